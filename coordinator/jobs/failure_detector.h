// The failure detector: which boards are lost, from when each was last heard. Pure; monotonic
// times.
//
// A board is lost when it was not heard for limits::kHeartbeatTimeout, or when its process is known
// to be gone. Silence proves nothing if we were not listening: if the detector itself did not run
// for longer than two limits::kHeartbeatInterval (the machine slept, the coordinator was stopped or
// starved), heartbeats may wait unread, so for two more intervals no silence counts; a board that
// lives is heard in that time. A detector that always runs that seldom finds no silent board.
//
// A lost board may still be alive: its job gets a new fence before it starts elsewhere, and what
// the board says later is refused.
#pragma once

#include <optional>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/time.h"

namespace octet {

struct LastHeard {
  BoardId board{};
  MonotonicTime heard{};
  bool process_gone = false;  // Its provider saw it end.
};

struct DetectorState {
  std::optional<MonotonicTime> checked{};  // When the detector last ran.
  MonotonicTime patient_until{};           // No silence counts before.
};

struct Detection {
  DetectorState state{};        // For the next call.
  std::vector<BoardId> lost{};  // In the order given.
  // The first time at which another board is lost if none is heard until then. Absent: no board is
  // left.
  std::optional<MonotonicTime> next{};
};

Detection DetectLost(const DetectorState& state, const std::vector<LastHeard>& boards,
                     MonotonicTime now);

}  // namespace octet
