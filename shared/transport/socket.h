// ZeroMQ as Octet uses it: a context, sockets that send and receive frames, and waiting on several
// of them. The only place of the project that includes ZeroMQ's headers.
//
// A socket belongs to the thread that made it: every other call from another thread is our own
// mistake and stops the program. A context and a Waker may be used from any thread. Nothing here
// blocks longer than the wait that it is given; nothing throws.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/time.h"

namespace octet {

// The I/O threads of a process and its inproc names. Outlives its sockets.
class ZmqContext {
 public:
  explicit ZmqContext(int io_threads = 1);
  ~ZmqContext();
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;

 private:
  friend class Socket;
  struct State;
  std::unique_ptr<State> state_;
};

// One frame of a message; its bytes stay where they are when it is moved.
class Frame {
 public:
  struct State;
  explicit Frame(std::unique_ptr<State> state);
  static Frame Copy(std::string_view bytes);
  // Without a copy: `bytes` are read by ZeroMQ's threads until the frame has left, and `owner`,
  // which is shared because nobody can tell when that is, keeps them until then. Its last release
  // may happen on a thread of ZeroMQ.
  static Frame Borrow(std::shared_ptr<const void> owner, std::string_view bytes);
  ~Frame();
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;

  std::string_view bytes() const;
  std::string str() const { return std::string(bytes()); }

 private:
  friend class Socket;
  std::unique_ptr<State> state_;
};
using Frames = std::vector<Frame>;

struct SocketOptions {
  std::string routing_id{};  // Of a DEALER: what its ROUTER sees as its name. At most 255 bytes.
  size_t message_bytes_max = 4 * 1024 * 1024;  // A larger frame cuts the connection.
  int queue_messages_max = 10'000;             // Each way and peer; past it Send says kUnavailable.
  // What is queued when the socket closes goes out in the background for so long; the context's
  // end waits for it.
  Duration linger{0};
  // A DEALER asks its peer for a sign of life this often and gives the connection up after the
  // timeout. 0: it does not.
  Duration heartbeat_interval{0};
  Duration heartbeat_timeout{0};
  bool reconnect = true;    // By itself, when a connection is lost or refused.
  bool watch_loss = false;  // See Socket::TakeLoss.
};

class Socket {
 public:
  // ROUTER: the first frame received is the sender's name, the first frame sent is the receiver's.
  static Result<Socket> Router(ZmqContext& context, const SocketOptions& options);
  static Result<Socket> Dealer(ZmqContext& context, const SocketOptions& options);
  static Result<Socket> Pair(ZmqContext& context, const SocketOptions& options);
  ~Socket();
  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;

  // "tcp://127.0.0.1:0" takes a free port; gives the endpoint that peers connect to.
  // kAlreadyExists: the address is in use. kInvalidArgument: no such address.
  Result<std::string> Bind(const std::string& endpoint);
  Status Connect(const std::string& endpoint);

  // Queues one message; never waits. kUnavailable: the queue is full, or (ROUTER) nobody of that
  // name is connected.
  Status Send(std::span<const std::string_view> frames);
  Status Send(std::string_view frame);
  Status Send(Frames frames);

  // True if a connection was lost or refused since the last call. Needs options.watch_loss;
  // WaitForAny ends for it as for a message.
  bool TakeLoss();

  // Makes the calling thread the owner. The owner so far must have stopped using the socket, and
  // the calling thread must know it (it joined that thread, or took a lock after it).
  void MoveToThisThread();

  // The next whole message, waiting at most `wait`; nothing if none came.
  Result<std::optional<Frames>> Receive(Duration wait);

 private:
  friend class Waiter;
  struct State;
  explicit Socket(std::unique_ptr<State> state);
  static Result<Socket> Make(ZmqContext& context, int type, const SocketOptions& options);
  void CheckThread() const;
  template <typename SendPart>
  bool SendNow(const SendPart& send);
  template <typename Parts>
  Status SendParts(Parts& parts);
  void AllowAddress(const std::string& endpoint);

  std::unique_ptr<State> state_;
};

// Ends another thread's wait. Wake() from any thread; what it announces must be found elsewhere (a
// queue, a flag) by the one who was woken.
class Waker {
 public:
  Waker();
  ~Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  void Wake();
  // Forgets wakes so far. By the waiting thread.
  void Drain();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Waits until one of `sockets` has a message or lost a connection that it watches, `waker` (may be
// null) was woken or `wait` is over; true in all but the last case. A wake is drained.
bool WaitForAny(std::span<Socket* const> sockets, Waker* waker, Duration wait);

}  // namespace octet
