// The scheduler: which waiting jobs start now and on which boards, and why the others wait. Pure:
// the same snapshot and `now` give the same plan. It moves nothing: its caller writes the whole
// plan in one transaction, or throws it away and asks again.
//
// Guaranteed:
// - All boards of all slices of a job, or none.
// - Each slice is an aligned rectangle inside one pool (topology.h); slices of one job may be in
// several.
// - Only boards that are Ready, not unschedulable, within their pool's wanted size, not held by an
// open
//   session, and not taken by an earlier placement of the same plan.
// - Quota by Ledger::Offer, counting what earlier placements of the same plan reserve.
// - Order: priority, the higher first; then age, the older first; then uid. A job that cannot start
// does
//   not stop those behind it; none that could start in what the plan leaves is left waiting.
// - Of the places for a slice, one in the smallest free block, so that large blocks stay whole.
// Not guaranteed yet: that a large job is not overtaken by small ones for ever (nothing is reserved
// for it), fair shares between users, preemption.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/quota/ledger.h"
#include "shared/base/ids.h"
#include "shared/base/reason.h"
#include "shared/objects/board.h"
#include "shared/objects/session.h"
#include "shared/objects/training_job.h"
#include "shared/objects/user_quota.h"

namespace octet {

// Codes of the reasons about boards.
// No pool of boards of that version is large enough for the job: it can never start.
inline constexpr char kReasonNoPoolFits[] = "NoPoolFits";
inline constexpr char kReasonBoardsMissing[] = "BoardsMissing";

struct ClusterSnapshot {
  std::vector<TrainingJob> jobs{};
  std::vector<Board> boards{};
  std::vector<SlicePool> pools{};
  std::vector<Session> sessions{};
  std::vector<UserQuota> quotas{};
};

struct Placement {
  JobUid job{};
  std::string ns{}, name{};       // Of the job.
  std::vector<BoardId> boards{};  // In rank order.
  Grant grant{};                  // The Session is written with this and start = `now`.
};

// A job that stays in the queue.
struct Waiting {
  JobUid job{};
  std::string ns{}, name{};
  // All that stands in its way, the weightiest first: what can never be, then quota, then boards.
  std::vector<Reason> reasons{};
  // When all reasons may be gone, if that can be told. Jobs before it may be quicker.
  std::optional<TimePoint> expected_start{};
};

struct Plan {
  std::vector<Placement> placements{};  // In the order of the queue.
  std::vector<Waiting> waiting{};       // Likewise.
};

// Whether the scheduler would look at the job: Queued, not suspended, not being deleted, no
// session.
bool IsWaiting(const TrainingJob& job);

Plan Schedule(const ClusterSnapshot& snapshot, TimePoint now);

}  // namespace octet
