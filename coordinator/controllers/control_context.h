// ControlContext: what the controllers share: the seams they act through, the world they read and
// the state that lives as long as the process. One thread: the control loop's.
#pragma once

#include <map>
#include <set>
#include <string>

#include "coordinator/controllers/live_session.h"
#include "coordinator/controllers/object_graph.h"
#include "coordinator/controllers/world.h"
#include "coordinator/fleet/board_provider.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/jobs/failure_detector.h"
#include "coordinator/metrics/coordinator_metrics.h"
#include "coordinator/store/job_logs.h"
#include "coordinator/store/store.h"
#include "shared/base/clock.h"
#include "shared/base/file_system.h"
#include "shared/base/log.h"
#include "shared/base/random.h"

namespace octet {

// Held by a TrainingJob from its admission until its boards are back; the API waits for it at a
// deletion.
inline constexpr char kBoardsHeldFinalizer[] = "octet.dev/boards";

// Everything outlives the controllers.
struct ControlSeams {
  Store& store;
  WorkerLink& link;
  BoardProvider& provider;
  const Clock& clock;
  FileSystem& files;
  CoordinatorMetrics& metrics;
  std::string home;  // Logs, checkpoints, file discovery.
  Random random;     // Uids, jitter.
};

// A job whose session did not go well waits a little before its next one.
struct RetryWait {
  int streak = 0;  // Short sessions in a row.
  MonotonicTime until{};
};

struct ControlContext {
  explicit ControlContext(const ControlSeams& seams)
      : store(seams.store),
        link(seams.link),
        provider(seams.provider),
        clock(seams.clock),
        files(seams.files),
        metrics(seams.metrics),
        home(seams.home),
        random(seams.random),
        fleet(seams.link),
        logs(seams.files, JoinPath(seams.home, "logs/jobs")) {}

  Store& store;
  const WorkerLink& link;  // The fleet sends.
  BoardProvider& provider;
  const Clock& clock;
  FileSystem& files;
  CoordinatorMetrics& metrics;
  const std::string home;
  Random random;

  Fleet fleet;
  JobLogs logs;
  World world;
  ObjectGraph graph;
  DetectorState detector;
  std::set<BoardId> gone;  // Boards whose process has ended since they were last registered.
  std::map<SessionUid, LiveSession> live;  // Exactly the world's open sessions.
  std::map<JobUid, RetryWait> retries;
  MonotonicTime usage_due{};     // Of the boards' figures.
  MonotonicTime decision_due{};  // Of the scheduler, also if nothing has changed.
  int64_t decided_version = -1;
  MonotonicTime quota_due{};
  int64_t quota_version = -1;
  MonotonicTime recount_due{};
  std::set<JobUid> seen_jobs;                     // By this process, not yet cleaned up after.
  std::string targets;                            // prometheus/workers.json as last written.
  std::map<std::string, MonotonicTime> warnings;  // When they were last said.
  bool draining = false;  // The coordinator stops: nothing is admitted, no worker is wanted.

  // The live session of an assignment, or nullptr.
  LiveSession* FindLive(const AssignmentId& id) {
    const auto open = world.open_sessions().find(id.job);
    if (open == world.open_sessions().end()) return nullptr;
    const auto found = live.find(open->second);
    return found != live.end() && found->second.id == id ? &found->second : nullptr;
  }

  // All of `writes` or none, and the world afterwards shows them. kAborted: somebody was faster.
  Status Commit(const std::vector<Write>& writes) {
    Status committed = Ok();
    if (!writes.empty()) committed = store.Commit(writes).status();
    const Status read = world.Refresh(store);
    return committed.ok() ? read : committed;
  }
  // Says once in a while what comes again with every round.
  void Warn(const std::string& message) {
    constexpr Duration kQuiet = std::chrono::seconds(30);
    constexpr size_t kWarningsMax = 100;
    const MonotonicTime now = clock.Monotonic();
    const auto said = warnings.find(message);
    if (said != warnings.end() && now - said->second < kQuiet) return;
    if (warnings.size() >= kWarningsMax) warnings.clear();
    warnings[message] = now;
    LogWarning(message);
  }
  std::string NewUid() {
    const uint64_t high = random.Next64();
    return FormatUuid(high, random.Next64());
  }
};

}  // namespace octet
