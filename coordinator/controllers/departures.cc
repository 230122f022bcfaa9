#include "coordinator/controllers/departures.h"

#include <algorithm>

#include "coordinator/controllers/session_end.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {
namespace {

// Beyond the grace that it was given, a worker's answer may take as long as its silence would be
// noticed.
constexpr Duration kStopSlack = limits::kHeartbeatTimeout;

// Asks a running session to end for what its job's user asked for.
void StopSession(ControlContext& context, LiveSession& live, const WantedStop& wanted) {
  const MonotonicTime now = context.clock.Monotonic();
  const MonotonicTime limit = now + wanted.grace + kStopSlack;
  if (!live.ending) live.ending = Ending{.message = wanted.reason, .limit = limit};
  live.ending->limit = std::min(live.ending->limit, limit);
  for (auto& [board, part] : live.parts) {
    if (part.end) continue;
    context.fleet.Stop(board, live.id, wanted.grace, "the job was " + wanted.reason, now);
    // One that was never told to start has nothing to end.
    if (!part.assigned) part.end.emplace().set_reason(control::STOPPED);
  }
}

bool IsHeldByAWorker(const ControlContext& context, const JobUid& job) {
  return std::any_of(
      context.fleet.workers().begin(), context.fleet.workers().end(),
      [&](const auto& worker) { return worker.second.hold && worker.second.hold->id.job == job; });
}

// Logs and checkpoints of jobs that were deleted, once no worker writes there any more. Only of
// jobs that this process has seen: a store that was replaced must not cost anybody's checkpoints.
void RemoveRemains(ControlContext& context) {
  for (auto it = context.seen_jobs.begin(); it != context.seen_jobs.end();) {
    if (context.world.FindJob(*it) != nullptr || IsHeldByAWorker(context, *it)) {
      ++it;
      continue;
    }
    context.logs.Remove(*it);
    const Status status =
        context.files.RemoveAll(JoinPath(context.home, "checkpoints/" + it->str()));
    if (!status.ok()) context.Warn("checkpoints of a deleted job: " + status.message());
    context.retries.erase(*it);
    it = context.seen_jobs.erase(it);
  }
  for (const auto& [uid, entry] : context.world.jobs()) context.seen_jobs.insert(uid);
}

}  // namespace

void FollowDepartures(ControlContext& context) {
  std::vector<Write> writes;
  for (const auto& [uid, entry] : context.world.jobs()) {
    const auto open = context.world.open_sessions().find(uid);
    if (open == context.world.open_sessions().end()) {
      const Transition transition = FollowSpec(entry.typed, context.clock.Now());
      const bool leaves = entry.typed.meta.deleted.has_value();
      if (transition.changed || leaves) writes.push_back(WriteTransition(entry, transition));
      continue;
    }
    const auto live = context.live.find(open->second);
    const std::optional<WantedStop> stop = StopFor(entry.typed);
    if (stop && live != context.live.end() && !live->second.restarted) {
      StopSession(context, live->second, *stop);
    }
  }
  const Status status = context.Commit(writes);
  if (!status.ok() && !status.IsRetryable()) context.Warn("departures: " + status.ToString());
  RemoveRemains(context);
}

}  // namespace octet
