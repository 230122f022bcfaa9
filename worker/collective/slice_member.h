// SliceMember: one board's side of the collective operations of a gang, as a state machine: frames
// and the time go in, frames come out. Pure; SliceAllReduce waits and sends for it.
//
// Every operation has the same shape. Its elements are cut into chunks; each chunk has an owner.
// Every board sends the owner its contribution to the chunk; when the owner has all of them it
// makes the result and sends it to all boards. A board is done when it has the results of all
// chunks, which proves that every board has begun the operation: so no board is ever more than one
// operation ahead of another.
//
//   sum         contribution: the board's roots of the chunk; result: their sum in the canonical
//               order. Up to star_bytes one chunk, whose owner is `operation % ranks` (a star);
//               above it chunks of at most chunk_bytes, owned in turn (reduce-scatter and
//               all-gather at once, chunk by chunk).
//   broadcast   contributions are empty; the root owns all chunks; first one of 8 bytes, the size.
//   barrier, join   one empty chunk, owned by rank `operation % ranks`.
//
// Window: a board sends its contribution to an owner's chunk k only after that owner's result k -
// kChunkWindow has arrived, which bounds what a slow board must hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/limits.h"
#include "shared/base/status.h"
#include "shared/base/time.h"
#include "worker/collective/canonical_sum.h"
#include "worker/collective/frame_header.h"
#include "worker/collective/sum_buffer.h"
#include "worker/collective/transport.h"

namespace octet {

struct SliceOptions {
  int rank = 0;
  int ranks = 1;
  Fence fence = {};
  int64_t shards = 8;                    // Logical shards of the job.
  std::vector<std::string> boards = {};  // Names by rank, for messages; may be empty.
  // An operation fails when nothing of it has arrived for this long (waiting for a result: a
  // quarter longer, so that it is the rank that is missing which is blamed, by the one who misses
  // it, and not the one who waits for it too).
  Duration deadline = limits::kCollectiveDeadline;
  Duration join_deadline = limits::kAssignTimeout;
  size_t star_bytes = limits::kCollectiveStarBytes;
  size_t chunk_bytes = limits::kCollectiveChunkBytes;
};

struct SliceCounters {
  int64_t operations = 0;  // Completed.
  int64_t bytes_sent = 0;  // Payload.
  int64_t bytes_received = 0;
  int64_t stale_frames = 0;  // Of an older fence or operation, or twice: dropped.
};

struct Outgoing {
  int rank = 0;
  FrameHeader header;
  Payload payload;
};

class SliceMember {
 public:
  explicit SliceMember(const SliceOptions& options);

  // Begin an operation; the last one is done. After a failure they do nothing.
  void BeginJoin(MonotonicTime now);
  void BeginBarrier(MonotonicTime now);
  // `buffer` stays until done.
  void BeginSum(SumBuffer& buffer, MonotonicTime now);
  // The two halves of a broadcast; both results are read by TakeBroadcast. `size` and `bytes` are
  // those of the root; the others' are ignored in the first half, and their `bytes` in the second.
  void BeginBroadcastSize(int root, uint64_t size, MonotonicTime now);
  void BeginBroadcast(int root, uint64_t size, std::string_view bytes, MonotonicTime now);

  void OnReceived(Received received, MonotonicTime now);
  // Fails if the deadline has passed.
  void OnTime(MonotonicTime now);
  void Abort(const Status& cause);

  bool done() const { return !active_ || !status_.ok(); }
  const Status& status() const { return status_; }
  // When OnTime must be called, if nothing else happens before.
  MonotonicTime deadline() const;
  // Frames to send since the last call, in order.
  std::vector<Outgoing> TakeOutgoing();
  // The result of a broadcast (of a size: 8 bytes) that is done.
  std::string TakeBroadcast();

  const SliceCounters& counters() const { return counters_; }
  // "rank 2 (local-2)"
  std::string NameOf(int rank) const;

 private:
  // A chunk that this board owns: what has come for it.
  struct OwnChunk {
    std::vector<std::optional<Payload>> contributions;  // By rank; never the own one.
    int missing = 0;
  };
  // Between this board and another one, in the running operation.
  struct Peer {
    int64_t sent = 0;     // Contributions to the peer's chunks.
    int64_t results = 0;  // That came from it.
  };

  bool Begin(OperationType type, uint64_t elements, int fixed_owner, MonotonicTime now);
  void Start(MonotonicTime now);
  void SetChunks();
  void Fail(Status status, bool tell_others);
  void OnFrame(Received received, MonotonicTime now);
  void OnContribution(Received received);
  void OnResult(const Received& received);
  void SendContributions();
  void FinishChunk(int64_t chunk);
  void SumChunk(int64_t chunk, const OwnChunk& own);
  void TakeResult(int64_t chunk);
  Status Mismatch(const Received& received) const;
  Status BadFrame(const Received& received, std::string_view what) const;
  std::string Title() const;
  std::string Missing() const;

  bool OwnsUnfinished() const { return own_left_ > 0; }
  int OwnerOf(int64_t chunk) const;
  int64_t NthChunkOf(int owner, int64_t n) const;
  int64_t ChunkBegin(int64_t chunk) const { return chunk * chunk_elements_; }
  int64_t ChunkSize(int64_t chunk) const;
  uint64_t ContributionBytes(int rank, int64_t chunk) const;
  uint64_t ResultBytes(int64_t chunk) const;
  Payload Contribution(int64_t chunk) const;
  char* ResultPlace(int64_t chunk) const;
  FrameHeader Header(FrameKind kind, int64_t chunk) const;
  uint16_t PlanHash() const;

  const SliceOptions options_;
  std::vector<int64_t> roots_;  // Of each rank.
  RootSum root_sum_;
  Status status_;
  SliceCounters counters_;

  // The running operation, or the last one.
  int64_t operation_ = -1;
  bool active_ = false;
  OperationType type_ = OperationType::kJoin;
  uint64_t elements_ = 0;
  int fixed_owner_ = -1;  // -1: the chunks are owned in turn.
  int64_t chunk_elements_ = 0;
  int64_t chunks_ = 0;
  int64_t own_left_ = 0;  // Chunks of this board without a result yet.
  int64_t left_ = 0;      // Chunks of any board without one here.
  std::vector<bool> finished_;
  std::map<int64_t, OwnChunk> own_;
  std::vector<Peer> peers_;  // By rank.
  SumBuffer* buffer_ = nullptr;
  std::shared_ptr<std::string> broadcast_;  // Frames on their way point into it.
  MonotonicTime progress_{};

  std::vector<Received> early_;  // Of the next operation.
  std::vector<Outgoing> outgoing_;
};

}  // namespace octet
