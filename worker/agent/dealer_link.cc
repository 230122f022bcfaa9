#include "worker/agent/dealer_link.h"

#include <utility>

#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {

Result<std::unique_ptr<DealerLink>> DealerLink::Connect(ZmqContext& context,
                                                        const DealerLinkOptions& options) {
  OCTET_ASSIGN_OR_RETURN(
      Socket socket,
      Socket::Dealer(context, {.routing_id = options.name,
                               .message_bytes_max = limits::kControlMessageBytesMax}));
  OCTET_RETURN_IF_ERROR(socket.Connect(options.coordinator));
  return std::unique_ptr<DealerLink>(new DealerLink(std::move(socket)));
}

Status DealerLink::Send(const control::WorkerMessage& message) {
  return socket_.Send(message.SerializeAsString());
}

Result<std::optional<control::CoordinatorMessage>> DealerLink::Receive(Duration wait) {
  Socket* const sockets[] = {&socket_};
  if (!WaitForAny(sockets, &waker_, wait)) return std::optional<control::CoordinatorMessage>();
  OCTET_ASSIGN_OR_RETURN(const auto frames, socket_.Receive(Duration(0)));
  if (!frames) return std::optional<control::CoordinatorMessage>();
  control::CoordinatorMessage message;
  if (frames->size() != 1 || !message.ParseFromString(frames->front().str())) {
    LogWarning("a control message that cannot be read was dropped");
    return std::optional<control::CoordinatorMessage>();
  }
  return std::optional(std::move(message));
}

}  // namespace octet
