// DealerLink: the ControlLink over a ZeroMQ DEALER socket, one frame a message.
#pragma once

#include <memory>
#include <string>

#include "shared/transport/socket.h"
#include "worker/agent/control_link.h"

namespace octet {

struct DealerLinkOptions {
  std::string coordinator;  // "tcp://127.0.0.1:7444"
  std::string name;  // What the coordinator's ROUTER calls this socket; distinct for each process.
};

class DealerLink final : public ControlLink {
 public:
  // Made on the thread that uses it. `context` outlives it. kInvalidArgument for a bad address; a
  // coordinator that is not there yet is no error.
  static Result<std::unique_ptr<DealerLink>> Connect(ZmqContext& context,
                                                     const DealerLinkOptions& options);

  Status Send(const control::WorkerMessage& message) override;
  Result<std::optional<control::CoordinatorMessage>> Receive(Duration wait) override;
  void Wake() override { waker_.Wake(); }

 private:
  explicit DealerLink(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
  Waker waker_;
};

}  // namespace octet
