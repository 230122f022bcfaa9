// MemoryLink: the simulated ControlLink. A test plays the coordinator: it takes what the worker
// sent and gives it messages. It can lose what is sent, as a coordinator that is down does.
//
// Any thread may call any method.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "worker/agent/control_link.h"

namespace octet {

class MemoryLink final : public ControlLink {
 public:
  Status Send(const control::WorkerMessage& message) override;
  Result<std::optional<control::CoordinatorMessage>> Receive(Duration wait) override;
  void Wake() override;

  // As the coordinator: gives the worker a message.
  void Give(control::CoordinatorMessage message);
  // As the coordinator: the oldest message of the worker that was not taken, nothing after `wait`.
  std::optional<control::WorkerMessage> Take(Duration wait);
  // From now on what the worker sends is lost, or arrives again.
  void SetSilent(bool silent);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<control::WorkerMessage> sent_;
  std::deque<control::CoordinatorMessage> given_;
  bool woken_ = false;
  bool silent_ = false;
};

}  // namespace octet
