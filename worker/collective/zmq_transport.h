// ZmqTransport: the Transport of one gang over a worker's DataEndpoint: what this board sends goes
// through one DEALER socket for each peer, what it receives comes out of the endpoint's ROUTER.
//
// A peer's process that dies is seen by its socket's monitor within milliseconds, a stopped or
// unreachable one after kDataHeartbeatTimeout; a lost peer stays lost for this gang.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/clock.h"
#include "worker/collective/data_endpoint.h"
#include "worker/collective/transport.h"

namespace octet {

struct ZmqTransportOptions {
  GangId gang = {};
  int rank = 0;
  std::vector<std::string> addresses =
      {};  // The DataEndpoint::address() of each rank; own included.
};

class ZmqTransport final : public Transport {
 public:
  // Connects to all other ranks; does not wait for them. Made on the thread that uses it, which
  // becomes the endpoint's. `endpoint` and `clock` outlive the transport.
  // kInvalidArgument: an address that cannot be.
  static Result<std::unique_ptr<ZmqTransport>> Connect(DataEndpoint& endpoint, const Clock& clock,
                                                       const ZmqTransportOptions& options);
  // What was sent still goes out: ZeroMQ keeps at it in the background for kDataLinger.
  ~ZmqTransport() override;

  // As DataEndpoint::MoveToThisThread, for the transport and its endpoint.
  void MoveToThisThread();

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(peers_.size()); }
  Status Send(int rank, const FrameHeader& header, Payload payload) override;
  Result<std::optional<Received>> Receive(Duration wait) override;
  void Wake() override { endpoint_.Wake(); }

 private:
  struct Peer {
    std::optional<Socket> socket;  // Not for the own rank.
    bool lost = false;
  };
  struct Loss {
    int rank;
    MonotonicTime seen;
  };
  ZmqTransport(DataEndpoint& endpoint, const Clock& clock, GangId gang, int rank);
  void ReadMonitors();
  std::optional<Received> TakeLoss(Duration& wait);

  DataEndpoint& endpoint_;
  const Clock& clock_;
  GangId gang_;
  int rank_;
  std::vector<Peer> peers_;       // By rank.
  std::vector<Socket*> sockets_;  // The endpoint's and those of peers_, to wait for.
  std::deque<Loss> losses_;       // Not told yet.
};

}  // namespace octet
