// The WorkerLink over a ZeroMQ ROUTER and protobuf. A peer is the name that the worker's DEALER
// has.
#pragma once

#include <memory>
#include <string>

#include "coordinator/fleet/worker_link.h"
#include "shared/base/status.h"

namespace octet {

struct ZmqWorkerLinkOptions {
  std::string endpoint = "tcp://127.0.0.1:7444";  // Port 0: a free one.
  size_t message_bytes_max = 0;                   // 0: limits::kControlMessageBytesMax.
};

class ZmqWorkerLink final : public WorkerLink {
 public:
  // Binds. To be called, used and destroyed on one thread, Wake apart. kAlreadyExists: the port is
  // in use. kInvalidArgument: no such address.
  static Result<std::unique_ptr<ZmqWorkerLink>> Bind(const ZmqWorkerLinkOptions& options);
  ~ZmqWorkerLink() override;

  // Where workers connect to: the endpoint with its real port.
  const std::string& endpoint() const;

  void Send(const std::string& peer, const control::CoordinatorMessage& message) override;
  std::vector<FromWorker> Receive(Duration wait) override;
  void Wake() override;
  int64_t unreadable() const override;

 private:
  struct State;
  explicit ZmqWorkerLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace octet
