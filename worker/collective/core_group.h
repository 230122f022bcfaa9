// The hand-over inside one board: between its leader thread and the threads that compute for its
// cores. Tokens of 24 bytes travel over ZeroMQ inproc pairs, one pair a thread; the data stay where
// they are, in memory that all of them see. Sending a token makes everything that its sender wrote
// before visible to its receiver.
//
// The leader releases a phase to all threads and gathers their tokens; a thread takes the next
// token, does its part and hands the token back. A step of training has these phases:
//
//   compute   each thread runs its cores' logical shards and hands back its shard buffers
//   reduce    each thread sums a range of elements of all shards to the board's roots (ShardSum)
//             -- the leader runs SliceAllReduce::AllReduce, the threads wait --
//   update    each thread runs the optimizer on a range of elements of the sum
//
// What the numbers of a phase mean is between the leader and its threads. A waiting thread uses no
// processor time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "shared/transport/socket.h"

namespace octet {

struct CoreToken {
  uint64_t place = 0;  // A pointer, an index or an offset.
  int64_t count = 0;
  uint32_t operation = 0;  // The phase.
  uint32_t code = 0;       // Of a token handed back: 0, or that the thread failed.
  bool operator==(const CoreToken&) const = default;
};
static_assert(sizeof(CoreToken) == 24, "stored inside a ZeroMQ message, without an allocation");

// The leader's side; used by the thread that made it. Stop() and join the threads before it goes.
class CoreGroup {
 public:
  // `context` and `clock` outlive the group.
  static Result<std::unique_ptr<CoreGroup>> Create(ZmqContext& context, const Clock& clock,
                                                   int threads);

  int threads() const { return static_cast<int>(sockets_.size()); }
  // What CoreMember::Join of thread `index` needs.
  std::string address(int index) const;

  // To all threads, or to one.
  Status Release(const CoreToken& token);
  Status ReleaseOne(int index, const CoreToken& token);

  // One token of each thread, by index. kDeadlineExceeded names a thread that has not answered in
  // time; the group cannot be used after it.
  Result<std::vector<CoreToken>> Gather(Duration deadline);

  // Ends every thread's Next(), now or when it gets there. Again: does nothing.
  void Stop();

 private:
  CoreGroup(const Clock& clock, std::string name) : clock_(clock), name_(std::move(name)) {}

  const Clock& clock_;
  std::string name_;
  std::vector<Socket> sockets_;
  bool stopped_ = false;
};

// A thread's side; made on that thread.
class CoreMember {
 public:
  static Result<CoreMember> Join(ZmqContext& context, const std::string& address);

  // Waits for the next token; nothing once the group has stopped.
  std::optional<CoreToken> Next();
  // Hands a token back to the leader: exactly one for each that Next() gave.
  void Done(const CoreToken& token);

 private:
  explicit CoreMember(Socket socket) : socket_(std::move(socket)) {}
  Socket socket_;
};

}  // namespace octet
