#include "coordinator/fleet/zmq_worker_link.h"

#include <atomic>
#include <optional>
#include <utility>

#include "shared/base/limits.h"
#include "shared/base/log.h"
#include "shared/transport/socket.h"

namespace octet {

// Destroyed in the reverse order: the socket before its context.
struct ZmqWorkerLink::State {
  size_t message_bytes_max = 0;
  ZmqContext context;
  std::optional<Socket> socket;
  Waker waker;
  std::string endpoint;
  std::atomic<int64_t> unreadable = 0;
};

ZmqWorkerLink::ZmqWorkerLink(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZmqWorkerLink::~ZmqWorkerLink() = default;

Result<std::unique_ptr<ZmqWorkerLink>> ZmqWorkerLink::Bind(const ZmqWorkerLinkOptions& options) {
  auto state = std::make_unique<State>();
  state->message_bytes_max =
      options.message_bytes_max != 0 ? options.message_bytes_max : limits::kControlMessageBytesMax;
  OCTET_ASSIGN_OR_RETURN(
      Socket socket,
      Socket::Router(state->context, {.message_bytes_max = state->message_bytes_max}));
  state->socket.emplace(std::move(socket));
  OCTET_ASSIGN_OR_RETURN(state->endpoint, state->socket->Bind(options.endpoint));
  return std::unique_ptr<ZmqWorkerLink>(new ZmqWorkerLink(std::move(state)));
}

const std::string& ZmqWorkerLink::endpoint() const { return state_->endpoint; }

void ZmqWorkerLink::Send(const std::string& peer, const control::CoordinatorMessage& message) {
  const std::string bytes = message.SerializeAsString();
  const std::string_view frames[] = {peer, bytes};
  const Status sent = state_->socket->Send(frames);
  // A peer that is gone is noticed by its silence.
  if (!sent.ok()) LogDebug("control message to " + peer + " was not sent: " + sent.message());
}

std::vector<FromWorker> ZmqWorkerLink::Receive(Duration wait) {
  std::vector<FromWorker> messages;
  Socket* const sockets[] = {&*state_->socket};
  if (!WaitForAny(sockets, &state_->waker, wait)) return messages;
  while (messages.size() < kWorkerMessagesPerRound) {
    Result<std::optional<Frames>> received = state_->socket->Receive(Duration(0));
    if (!received.ok()) {
      LogWarning("the control socket: " + received.status().message());
      break;
    }
    if (!received->has_value()) break;
    const Frames& frames = **received;
    FromWorker from;
    const bool readable = frames.size() == 2 &&
                          frames[1].bytes().size() <= state_->message_bytes_max &&
                          from.message.ParseFromArray(frames[1].bytes().data(),
                                                      static_cast<int>(frames[1].bytes().size()));
    if (!readable) {
      ++state_->unreadable;
      continue;
    }
    from.peer = frames[0].str();
    messages.push_back(std::move(from));
  }
  return messages;
}

void ZmqWorkerLink::Wake() { state_->waker.Wake(); }

int64_t ZmqWorkerLink::unreadable() const { return state_->unreadable; }

}  // namespace octet
