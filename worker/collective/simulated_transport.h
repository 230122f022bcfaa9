// SimulatedNetwork: the Transport of each rank of a gang in one process's memory, for tests. From a
// seed it delays frames, so that frames of different senders overtake each other, and loses some;
// boards can be killed (the others are told) or silenced (they are not).
//
// Each rank's transport is used by one thread; the network by any. Waiting is real time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "shared/base/random.h"
#include "worker/collective/transport.h"

namespace octet {

struct SimulatedNetworkOptions {
  uint64_t seed = 0;
  // A frame lets up to so many later frames of other senders pass, if there are any.
  int delay_frames_max = 0;
  double loss = 0;  // Share of frames that vanish, 0 to 1: more than a real network does to ZeroMQ.
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(int ranks, const SimulatedNetworkOptions& options);
  ~SimulatedNetwork();

  Transport& transport(int rank);

  // The rank's process dies: what it sent still arrives, then the others learn of it.
  void Kill(int rank);
  // Nothing from or to the rank arrives from now on, and nobody is told.
  void Silence(int rank);

 private:
  class Port;
  struct Waiting {
    Received received;
    int delay = 0;
  };

  Status Send(int from, int to, Received received);
  std::optional<Received> Receive(int rank, Duration wait);
  std::optional<Received> TakeLocked(int rank);
  void Wake(int rank);

  const SimulatedNetworkOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Random random_;
  std::vector<std::vector<std::deque<Waiting>>> queues_;  // By receiver, then by sender.
  std::vector<bool> dead_;
  std::vector<bool> silent_;
  std::vector<bool> woken_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace octet
