#include "coordinator/jobs/failure_detector.h"

#include <algorithm>

#include "shared/base/limits.h"

namespace octet {
namespace {

constexpr Duration kPatience = 2 * limits::kHeartbeatInterval;

}  // namespace

Detection DetectLost(const DetectorState& state, const std::vector<LastHeard>& boards,
                     MonotonicTime now) {
  Detection detection{.state = {.checked = now, .patient_until = state.patient_until}};
  if (!state.checked || now - *state.checked > kPatience) {
    detection.state.patient_until = now + kPatience;
  }
  for (const LastHeard& board : boards) {
    const MonotonicTime lost_at = std::max<MonotonicTime>(board.heard + limits::kHeartbeatTimeout,
                                                          detection.state.patient_until);
    if (board.process_gone || now >= lost_at) {
      detection.lost.push_back(board.board);
    } else if (!detection.next || lost_at < *detection.next) {
      detection.next = lost_at;
    }
  }
  return detection;
}

}  // namespace octet
