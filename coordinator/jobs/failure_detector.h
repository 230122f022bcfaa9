// The failure detector: which boards are lost, from when each was last heard. Pure; monotonic
// times.
//
// A board is lost when it was not heard for limits::kHeartbeatTimeout, or when its process is known
// to be gone. Silence proves nothing if we were not listening: if the detector itself did not run
// for longer than limits::kHeartbeatInterval (the machine slept, the coordinator was stopped or
// starved), messages may wait unread, so no silence counts until one kHeartbeatTimeout after it
// runs again. A lost board may still be alive: its job gets a new fence before it starts elsewhere,
// and what it says later is refused.
#pragma once

#include <optional>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/time.h"

namespace octet {

struct LastHeard {
  BoardId board;
  MonotonicTime heard{};
  bool process_gone = false;  // Its provider saw it end.
};

struct DetectorState {
  std::optional<MonotonicTime> checked;  // The last time that the detector ran.
  MonotonicTime listening_since{};       // Silence before it does not count.
};

struct Detection {
  DetectorState state;        // For the next call.
  std::vector<BoardId> lost;  // In the order given.
  // When to look again at the latest: the first time at which a board that is silent from now on is
  // lost.
  std::optional<MonotonicTime> next;
};

Detection DetectLost(const DetectorState& state, const std::vector<LastHeard>& boards,
                     MonotonicTime now);

}  // namespace octet
