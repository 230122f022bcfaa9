// A WorkerLink for tests: the test puts the workers' messages in and takes the coordinator's out.
// It never waits: Receive gives what is there.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "coordinator/fleet/worker_link.h"

namespace octet {

class SimulatedLink final : public WorkerLink {
 public:
  void Send(const std::string& peer, const control::CoordinatorMessage& message) override;
  std::vector<FromWorker> Receive(Duration wait) override;
  void Wake() override {}
  int64_t unreadable() const override { return 0; }

  // The test's side.
  void FromPeer(const std::string& peer, control::WorkerMessage message);
  std::vector<control::CoordinatorMessage> TakeSent(const std::string& peer);

 private:
  std::deque<FromWorker> arrived_;
  std::map<std::string, std::vector<control::CoordinatorMessage>> sent_;
};

}  // namespace octet
