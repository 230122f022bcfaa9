// SliceAllReduce: the collective operations of one gang, run by the board's leader thread. All
// ranks call the same operations in the same order; each call returns once this board has the
// result, or the error that ended the gang.
//
// Any failure is final for the gang: a lost board, a deadline, boards that ask for different
// things, an interruption here or elsewhere. The board that sees it first tells the others, and
// every call from then on, on every board, returns the same Status, which names the rank and the
// cause. A new assignment (a higher fence) makes a new gang. A slice of one board costs nothing.
//
// How it works is in slice_member.h, which is pure; here are the clock and the waiting.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "worker/collective/slice_member.h"
#include "worker/collective/sum_buffer.h"
#include "worker/collective/transport.h"

namespace octet {

class SliceAllReduce {
 public:
  // Asked about every 100 ms while waiting, and at once after Transport::Wake(): anything but Ok
  // ends the wait and the gang with it. May be empty.
  using Interrupted = std::function<Status()>;

  // `transport` (may be null for a slice of one board) and `clock` outlive it.
  SliceAllReduce(Transport* transport, const Clock& clock, const SliceOptions& options,
                 Interrupted interrupted);

  // The first call of every board: returns once all of them are there and agree on shards and
  // boards, within options.join_deadline.
  Status Join();

  // Sums buffer's roots over all boards into buffer.sum(), in the canonical order: the same bits on
  // every board. On an error parts of the sum may have been written, but never a wrong number in
  // the eyes of one board only: the step must not be used.
  Status AllReduce(SumBuffer& buffer);

  // `bytes` of rank `root` (the others' are ignored) on every board.
  Result<std::string> Broadcast(int root, std::string_view bytes);

  // Returns once every board has called it.
  Status Barrier();

  // Ends the gang on all boards. Later calls return `cause` with this rank's name in front; so do
  // those of the other boards.
  void Abort(const Status& cause);

  // Ok while the gang lives.
  const Status& status() const { return member_.status(); }
  const SliceCounters& counters() const { return member_.counters(); }

 private:
  Status Run();
  void SendAll();

  Transport* transport_;
  const Clock& clock_;
  Interrupted interrupted_;
  SliceMember member_;
};

}  // namespace octet
