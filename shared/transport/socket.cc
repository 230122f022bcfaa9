#include "shared/transport/socket.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "shared/base/check.h"

namespace octet {
namespace {

int Millis(Duration wait) {
  constexpr int64_t kMax = 1'000'000;
  return static_cast<int>(std::clamp<int64_t>(wait.count(), 0, kMax));
}

Status FromError(const zmq::error_t& error, const std::string& what) {
  std::string message = what + ": " + error.what();
  switch (error.num()) {
    case EADDRINUSE:
      return AlreadyExists(std::move(message));
    case EACCES:
      return PermissionDenied(std::move(message));
    case EINVAL:
    case EPROTONOSUPPORT:
    case ENODEV:
    case EADDRNOTAVAIL:
      return InvalidArgument(std::move(message));
    default:
      return Unavailable(std::move(message));
  }
}

}  // namespace

struct ZmqContext::State {
  zmq::context_t context;
};

ZmqContext::ZmqContext(int io_threads)
    : state_(std::make_unique<State>(State{zmq::context_t(io_threads)})) {}

ZmqContext::~ZmqContext() = default;

struct Frame::State {
  zmq::message_t message;
};

Frame::Frame(std::unique_ptr<State> state) : state_(std::move(state)) {}
Frame::~Frame() = default;
Frame::Frame(Frame&&) noexcept = default;
Frame& Frame::operator=(Frame&&) noexcept = default;

std::string_view Frame::bytes() const { return state_->message.to_string_view(); }

struct Socket::State {
  zmq::socket_t socket;
  std::thread::id owner = std::this_thread::get_id();
};

Socket::Socket(std::unique_ptr<State> state) : state_(std::move(state)) {}
Socket::~Socket() {
  if (state_ != nullptr) CheckThread();
}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;

void Socket::CheckThread() const {
  CHECK(state_->owner == std::this_thread::get_id()) << "a socket is used by another thread";
}

Result<Socket> Socket::Make(ZmqContext& context, int type, const SocketOptions& options) {
  try {
    auto state = std::make_unique<State>();
    state->socket = zmq::socket_t(context.state_->context, type);
    zmq::socket_t& socket = state->socket;
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, options.queue_messages_max);
    socket.set(zmq::sockopt::rcvhwm, options.queue_messages_max);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<int64_t>(options.message_bytes_max));
    if (!options.routing_id.empty()) {
      socket.set(zmq::sockopt::routing_id, options.routing_id);
    }
    if (type == ZMQ_ROUTER) {
      // A message to nobody is an error instead of a silent loss; a peer that comes back under its
      // old name takes the place of the old connection.
      socket.set(zmq::sockopt::router_mandatory, 1);
      socket.set(zmq::sockopt::router_handover, 1);
    }
    return Socket(std::move(state));
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot make a socket");
  }
}

Result<Socket> Socket::Router(ZmqContext& context, const SocketOptions& options) {
  return Make(context, ZMQ_ROUTER, options);
}
Result<Socket> Socket::Dealer(ZmqContext& context, const SocketOptions& options) {
  return Make(context, ZMQ_DEALER, options);
}
Result<Socket> Socket::Pair(ZmqContext& context, const SocketOptions& options) {
  return Make(context, ZMQ_PAIR, options);
}

Result<std::string> Socket::Bind(const std::string& endpoint) {
  CheckThread();
  try {
    state_->socket.bind(endpoint);
    return state_->socket.get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot bind " + endpoint);
  }
}

Status Socket::Connect(const std::string& endpoint) {
  CheckThread();
  try {
    state_->socket.connect(endpoint);
    return Ok();
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot connect to " + endpoint);
  }
}

Status Socket::Send(std::span<const std::string_view> frames) {
  CheckThread();
  CHECK(!frames.empty());
  try {
    for (size_t i = 0; i < frames.size(); ++i) {
      const auto flags = zmq::send_flags::dontwait |
                         (i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
      // Once the first frame is in, the queue takes the rest of its message too.
      if (!state_->socket.send(zmq::buffer(frames[i]), flags)) {
        return Unavailable("the send queue is full");
      }
    }
    return Ok();
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot send");
  }
}

Status Socket::Send(std::string_view frame) { return Send(std::span(&frame, 1)); }

Result<std::optional<Frames>> Socket::Receive(Duration wait) {
  CheckThread();
  try {
    auto first = std::make_unique<Frame::State>();
    if (!state_->socket.recv(first->message, zmq::recv_flags::dontwait)) {
      if (wait <= Duration(0)) return std::optional<Frames>();
      zmq::pollitem_t item{state_->socket.handle(), 0, ZMQ_POLLIN, 0};
      if (zmq::poll(&item, 1, std::chrono::milliseconds(Millis(wait))) == 0 ||
          !state_->socket.recv(first->message, zmq::recv_flags::dontwait)) {
        return std::optional<Frames>();
      }
    }
    Frames frames;
    bool more = first->message.more();
    frames.emplace_back(std::move(first));
    while (more) {
      auto next = std::make_unique<Frame::State>();
      // The parts of a message arrive together.
      if (!state_->socket.recv(next->message, zmq::recv_flags::dontwait)) {
        return Internal("a message without its end");
      }
      more = next->message.more();
      frames.emplace_back(std::move(next));
    }
    return std::optional<Frames>(std::move(frames));
  } catch (const zmq::error_t& error) {
    // A signal is no reason to stop waiting for good: the caller asks again.
    if (error.num() == EINTR) return std::optional<Frames>();
    return FromError(error, "cannot receive");
  }
}

Waker::Waker() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(descriptor_ >= 0) << "no eventfd";
}

Waker::~Waker() { close(descriptor_); }

void Waker::Wake() {
  const uint64_t one = 1;
  // It fails only when the counter is full, and then the other side is being woken anyway.
  (void)!write(descriptor_, &one, sizeof(one));
}

void Waker::Drain() {
  uint64_t count = 0;
  (void)!read(descriptor_, &count, sizeof(count));
}

// Reads the sockets' handles for WaitForAny.
class Waiter {
 public:
  static void* HandleOf(const Socket& socket) {
    socket.CheckThread();
    return socket.state_->socket.handle();
  }
};

bool WaitForAny(std::span<Socket* const> sockets, Waker* waker, Duration wait) {
  std::vector<zmq::pollitem_t> items;
  items.reserve(sockets.size() + 1);
  for (const Socket* socket : sockets)
    items.push_back({Waiter::HandleOf(*socket), 0, ZMQ_POLLIN, 0});
  if (waker != nullptr) items.push_back({nullptr, waker->descriptor(), ZMQ_POLLIN, 0});
  try {
    const int ready =
        zmq::poll(items.data(), items.size(), std::chrono::milliseconds(Millis(wait)));
    if (waker != nullptr && (items.back().revents & ZMQ_POLLIN) != 0) waker->Drain();
    return ready > 0;
  } catch (const zmq::error_t& error) {
    CHECK(error.num() == EINTR) << "zmq_poll: " << error.what();
    return false;
  }
}

}  // namespace octet
