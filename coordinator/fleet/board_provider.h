// The BoardProvider seam: whoever makes worker processes exist: child processes, pods, a
// simulation.
//
// Level-triggered: it is told which boards are wanted and works towards that at each tick, restarts
// with back-off included. It knows processes, not what they run. One thread; times are monotonic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/status.h"
#include "shared/base/time.h"

namespace octet {

struct WantedBoard {
  BoardId board{};
  PoolName pool{};
  int64_t ordinal = 0;
  auto operator<=>(const WantedBoard&) const = default;
};

// A worker process has ended, wanted or not.
struct WorkerExit {
  BoardId board{};
  int64_t pid = 0;
  std::string how{};  // "was ended by signal 9"
};

class BoardProvider {
 public:
  virtual ~BoardProvider() = default;

  // Replaces the set of wanted boards. Workers that are not wanted any more are told to stop, with
  // time for a checkpoint, and are killed if they do not.
  virtual void SetWanted(const std::vector<WantedBoard>& boards) = 0;
  // Starts, stops and restarts what is due; gives the processes that have ended since the last
  // tick.
  virtual std::vector<WorkerExit> OnTick(MonotonicTime now) = 0;
  // Boards whose process exists, in order. Always empty where somebody else makes the workers.
  virtual std::vector<BoardId> Running() const = 0;
  // Whether workers come by themselves, also more than are wanted.
  virtual bool workers_come_by_themselves() const = 0;
  // Why a wanted board has no process yet: "could not be started: …". Empty: nothing to say.
  virtual std::string Message(const BoardId& board) const = 0;
};

// Workers are started by others, as pods are.
class NoProvider final : public BoardProvider {
 public:
  void SetWanted(const std::vector<WantedBoard>&) override {}
  std::vector<WorkerExit> OnTick(MonotonicTime) override { return {}; }
  std::vector<BoardId> Running() const override { return {}; }
  bool workers_come_by_themselves() const override { return true; }
  std::string Message(const BoardId&) const override { return ""; }
};

}  // namespace octet
