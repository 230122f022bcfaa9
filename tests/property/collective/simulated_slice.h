// A whole slice in one thread and virtual time: the members of a gang, and a network that delays,
// reorders (even between two ranks), doubles or loses frames as a seed says.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/random.h"
#include "worker/collective/slice_member.h"

namespace octet {

struct NetworkFaults {
  bool reorder = false;
  double twice = 0;
  // Whether a frame vanishes.
  std::function<bool(int to, const FrameHeader&)> lose = nullptr;
};

class SimulatedSlice {
 public:
  SimulatedSlice(const SliceOptions& options, NetworkFaults faults, uint64_t seed)
      : faults_(std::move(faults)), random_(seed) {
    for (int rank = 0; rank < options.ranks; ++rank) {
      SliceOptions own = options;
      own.rank = rank;
      members_.push_back(std::make_unique<SliceMember>(own));
    }
  }

  SliceMember& member(int rank) { return *members_[static_cast<size_t>(rank)]; }
  MonotonicTime now() const { return now_; }

  // Delivers frames until `ranks` are done; where none is left, time passes to the next deadline.
  // False if that takes more than `steps_max` steps.
  bool Run(const std::vector<int>& ranks, int64_t steps_max = 1'000'000) {
    for (int64_t step = 0; step < steps_max; ++step) {
      bool done = true;
      for (const int rank : ranks) done = done && member(rank).done();
      if (done) return true;
      Collect();
      if (flying_.empty()) {
        PassTime(ranks);
        continue;
      }
      size_t next = 0;
      if (faults_.reorder) next = random_.Below(std::min<uint64_t>(flying_.size(), 64));
      Flying frame = std::move(flying_[next]);
      flying_.erase(flying_.begin() + static_cast<int64_t>(next));
      now_ += std::chrono::microseconds(10);
      member(frame.to).OnReceived(std::move(frame.received), now_);
    }
    return false;
  }
  bool RunAll() {
    std::vector<int> ranks;
    for (size_t rank = 0; rank < members_.size(); ++rank) ranks.push_back(static_cast<int>(rank));
    return Run(ranks);
  }

 private:
  struct Flying {
    int to;
    Received received;
  };

  void Collect() {
    for (size_t rank = 0; rank < members_.size(); ++rank) {
      for (Outgoing& out : members_[rank]->TakeOutgoing()) {
        if (faults_.lose && faults_.lose(out.rank, out.header)) continue;
        // As a network does: the bytes leave when they are sent.
        const Received received{.rank = static_cast<int>(rank),
                                .header = out.header,
                                .payload = Payload::Copy(out.payload.bytes)};
        if (random_.NextFloat() < static_cast<float>(faults_.twice)) {
          flying_.push_back({.to = out.rank, .received = received});
        }
        flying_.push_back({.to = out.rank, .received = received});
      }
    }
  }
  void PassTime(const std::vector<int>& ranks) {
    MonotonicTime next = MonotonicTime::max();
    for (const int rank : ranks) {
      if (!member(rank).done()) next = std::min(next, member(rank).deadline());
    }
    now_ = next;
    for (const int rank : ranks) member(rank).OnTime(now_);
  }

  NetworkFaults faults_;
  Random random_;
  std::vector<std::unique_ptr<SliceMember>> members_;
  std::vector<Flying> flying_;
  MonotonicTime now_{};
};

}  // namespace octet
