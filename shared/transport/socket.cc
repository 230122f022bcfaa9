#include "shared/transport/socket.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <type_traits>
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
    case ENAMETOOLONG:
    case EPROTONOSUPPORT:
    case ENODEV:
    case EADDRNOTAVAIL:
      return InvalidArgument(std::move(message));
    default:
      return Unavailable(std::move(message));
  }
}

// A peer that does not speak ZeroMQ as we do is as good as lost.
constexpr int kLossEvents = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED |
                            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

std::string MonitorName() {
  static std::atomic<int64_t> count = 0;
  return "inproc://monitor-" + std::to_string(count++);
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

Frame Frame::Copy(std::string_view bytes) {
  return Frame(std::make_unique<State>(State{zmq::message_t(bytes.data(), bytes.size())}));
}

Frame Frame::Borrow(std::shared_ptr<const void> owner, std::string_view bytes) {
  auto* const held = new std::shared_ptr<const void>(std::move(owner));
  // ZeroMQ asks for a writable pointer but only reads what it sends.
  return Frame(std::make_unique<State>(State{zmq::message_t(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void*, void* hint) { delete static_cast<std::shared_ptr<const void>*>(hint); }, held)}));
}

std::string_view Frame::bytes() const { return state_->message.to_string_view(); }

struct Socket::State {
  zmq::socket_t socket;
  zmq::socket_t monitor;  // Closed unless losses are watched.
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
    socket.set(zmq::sockopt::linger, Millis(options.linger));
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
    if (options.heartbeat_interval > Duration(0)) {
      socket.set(zmq::sockopt::heartbeat_ivl, Millis(options.heartbeat_interval));
      socket.set(zmq::sockopt::heartbeat_timeout, Millis(options.heartbeat_timeout));
    }
    if (!options.reconnect) socket.set(zmq::sockopt::reconnect_ivl, -1);
    if (options.watch_loss) {
      const std::string name = MonitorName();
      if (zmq_socket_monitor(socket.handle(), name.c_str(), kLossEvents) != 0) {
        throw zmq::error_t();
      }
      state->monitor = zmq::socket_t(context.state_->context, ZMQ_PAIR);
      state->monitor.set(zmq::sockopt::linger, 0);
      state->monitor.connect(name);
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

// Only where it is asked for, since a socket for both families tells IPv4 addresses in IPv6's form.
void Socket::AllowAddress(const std::string& endpoint) {
  if (endpoint.find('[') != std::string::npos) state_->socket.set(zmq::sockopt::ipv6, 1);
}

Result<std::string> Socket::Bind(const std::string& endpoint) {
  CheckThread();
  try {
    AllowAddress(endpoint);
    state_->socket.bind(endpoint);
    return state_->socket.get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot bind " + endpoint);
  }
}

Status Socket::Connect(const std::string& endpoint) {
  CheckThread();
  try {
    AllowAddress(endpoint);
    state_->socket.connect(endpoint);
    return Ok();
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot connect to " + endpoint);
  }
}

// `send` queues one part without waiting and returns whether it could. A socket learns only now and
// then that its peer has taken messages out of a full queue; asking for its events makes it look.
template <typename SendPart>
bool Socket::SendNow(const SendPart& send) {
  if (send()) return true;
  (void)state_->socket.get(zmq::sockopt::events);
  return static_cast<bool>(send());
}

// `parts`: views, whose bytes are copied, or frames. Once the first part is in, the queue takes the
// rest of its message too.
template <typename Parts>
Status Socket::SendParts(Parts& parts) {
  CheckThread();
  CHECK(parts.size() > 0);
  try {
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto flags = zmq::send_flags::dontwait |
                         (i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
      const bool sent = SendNow([&] {
        if constexpr (std::is_same_v<Parts, Frames>) {
          return state_->socket.send(parts[i].state_->message, flags);
        } else {
          return state_->socket.send(zmq::buffer(parts[i]), flags);
        }
      });
      if (!sent) return Unavailable("the send queue is full");
    }
    return Ok();
  } catch (const zmq::error_t& error) {
    return FromError(error, "cannot send");
  }
}

Status Socket::Send(std::span<const std::string_view> frames) { return SendParts(frames); }

Status Socket::Send(std::string_view frame) { return Send(std::span(&frame, 1)); }

Status Socket::Send(Frames frames) { return SendParts(frames); }

bool Socket::TakeLoss() {
  CheckThread();
  CHECK(state_->monitor.handle() != nullptr) << "TakeLoss needs watch_loss";
  bool lost = false;
  try {
    zmq::message_t part;
    // Two parts an event: its number, which the filter above has settled, and the address.
    while (state_->monitor.recv(part, zmq::recv_flags::dontwait)) lost = true;
  } catch (const zmq::error_t& error) {
    CHECK(error.num() == EINTR) << "monitor: " << error.what();
  }
  return lost;
}

void Socket::MoveToThisThread() { state_->owner = std::this_thread::get_id(); }

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
  static void Add(Socket& socket, std::vector<zmq::pollitem_t>& items) {
    socket.CheckThread();
    items.push_back({socket.state_->socket.handle(), 0, ZMQ_POLLIN, 0});
    if (socket.state_->monitor.handle() != nullptr) {
      items.push_back({socket.state_->monitor.handle(), 0, ZMQ_POLLIN, 0});
    }
  }
};

bool WaitForAny(std::span<Socket* const> sockets, Waker* waker, Duration wait) {
  std::vector<zmq::pollitem_t> items;
  items.reserve(2 * sockets.size() + 1);
  for (Socket* socket : sockets) Waiter::Add(*socket, items);
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
