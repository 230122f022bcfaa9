#include "coordinator/jobs/lifecycle.h"

#include <array>
#include <utility>

#include "shared/base/check.h"
#include "shared/objects/holds.h"

namespace octet {
namespace {

constexpr std::array<std::pair<SessionEndCause, std::string_view>, 7> kCauseNames = {{
    {SessionEndCause::kCompleted, "Completed"},
    {SessionEndCause::kGrantReached, "GrantReached"},
    {SessionEndCause::kStopped, "Stopped"},
    {SessionEndCause::kFailed, "Failed"},
    {SessionEndCause::kBoardLost, "BoardLost"},
    {SessionEndCause::kInterrupted, "Interrupted"},
    {SessionEndCause::kCoordinatorRestarted, "CoordinatorRestarted"},
}};

bool IsInterruption(SessionEndCause cause) {
  return cause == SessionEndCause::kBoardLost || cause == SessionEndCause::kInterrupted ||
         cause == SessionEndCause::kCoordinatorRestarted;
}

bool SameConditions(const Conditions& a, const Conditions& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type || a[i].status != b[i].status || a[i].reason != b[i].reason ||
        a[i].message != b[i].message || a[i].observed_generation != b[i].observed_generation) {
      return false;
    }
  }
  return true;
}

// One transition being made: the new status, and what every condition of it has in common.
class Draft {
 public:
  Draft(const TrainingJob& job, TimePoint now)
      : status(job.status), generation_(job.meta.generation), now_(now) {}

  void Set(const std::string& type, bool is, const std::string& reason,
           const std::string& message) {
    SetCondition(status.conditions,
                 {.type = type,
                  .status = is,
                  .reason = reason,
                  .message = message,
                  .observed_generation = generation_},
                 now_);
  }

  // The job holds nothing: no boards, no quota.
  void SetNothingHeld(const std::string& reason, const std::string& message) {
    Set("QuotaReserved", false, reason, message);
    Set("Admitted", false, reason, message);
    Clear("BoardsReady", reason, message);
    Clear("Running", reason, message);
    Clear("Suspended", reason, message);
    status.session.reset();
    status.message = message;
  }

  // `type` is Complete or Failed.
  void Finish(const std::string& type, const std::string& reason, const std::string& message) {
    SetNothingHeld(reason, message);
    Clear("Complete", reason, message);
    Clear("Failed", reason, message);
    Set(type, true, reason, message);
    status.finished = now_;
  }

  void Suspend(const std::string& reason, const std::string& message) {
    SetNothingHeld(reason, message);
    Set("Suspended", true, reason, message);
  }

  // False, if it was ever told.
  void Clear(const std::string& type, const std::string& reason, const std::string& message) {
    if (FindCondition(status.conditions, type) != nullptr) Set(type, false, reason, message);
  }

  Transition Done() && {
    status.phase = PhaseOf(status.conditions);
    return {.status = std::move(status), .changed = true};
  }

  TrainingJobStatus status;

 private:
  int64_t generation_;
  TimePoint now_;
};

Transition Unchanged(const TrainingJob& job) { return {.status = job.status}; }

// Whether an event with this fence is about the session that the job has now.
bool IsCurrent(const TrainingJob& job, Fence fence) {
  return !IsTerminal(job.status.phase) && job.status.session && job.status.fence == fence;
}

std::string Count(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string OrElse(const std::string& text, const std::string& otherwise) {
  return text.empty() ? otherwise : text;
}

// What is left of the job goes on later: at once in the queue, or when its user resumes it.
void GoOnLater(Draft& draft, const TrainingJob& job, const std::string& reason,
               const std::string& message) {
  if (job.spec.suspend) {
    draft.Suspend("SuspendedByUser", "suspended by spec.suspend");
  } else {
    draft.SetNothingHeld(reason, message);
  }
}

void EndByGrant(Draft& draft, const TrainingJob& job, const SessionEnd& end) {
  const std::string used_up = OrElse(end.message, "the session's time is used up");
  switch (job.spec.on_limit) {
    case OnLimit::kRequeue:
      GoOnLater(draft, job, "GrantReached", used_up + "; the job goes on in its next session");
      return;
    case OnLimit::kSuspend:
      draft.Suspend("GrantReached", used_up + "; set spec.suspend to false to go on");
      return;
    case OnLimit::kFail:
      draft.Finish("Failed", "GrantReached", used_up + " before the job was done");
      return;
  }
}

void EndByFailure(Draft& draft, const TrainingJob& job, const SessionEnd& end) {
  const std::string what = OrElse(end.message, "the job failed");
  if (draft.status.failures > job.spec.backoff_limit) {
    draft.Finish("Failed", "BackoffLimitExceeded",
                 what + " (failure " + std::to_string(draft.status.failures) +
                     "; retries.backoffLimit is " + std::to_string(job.spec.backoff_limit) + ")");
    return;
  }
  GoOnLater(draft, job, "Failed",
            what + " (failure " + std::to_string(draft.status.failures) + " of " +
                std::to_string(job.spec.backoff_limit + 1) + " that end the job)");
}

}  // namespace

std::string_view SessionEndCauseName(SessionEndCause cause) {
  for (const auto& [known, name] : kCauseNames) {
    if (known == cause) return name;
  }
  CHECK(false) << "no such cause";
  return "";
}

std::optional<SessionEndCause> FindSessionEndCause(std::string_view name) {
  for (const auto& [cause, known] : kCauseNames) {
    if (known == name) return cause;
  }
  return std::nullopt;
}

JobPhase PhaseOf(const Conditions& conditions) {
  if (IsTrue(conditions, "Complete")) return JobPhase::kSucceeded;
  if (IsTrue(conditions, "Failed")) {
    return FindCondition(conditions, "Failed")->reason == "Cancelled" ? JobPhase::kCancelled
                                                                      : JobPhase::kFailed;
  }
  if (IsTrue(conditions, "Suspended")) return JobPhase::kSuspended;
  if (IsTrue(conditions, "Running")) return JobPhase::kRunning;
  return IsTrue(conditions, "Admitted") ? JobPhase::kStarting : JobPhase::kQueued;
}

Fence NextFence(const TrainingJob& job) { return job.status.fence.Next(); }

Transition AdmitJob(const TrainingJob& job, const JobSession& session, TimePoint now) {
  if (job.status.phase != JobPhase::kQueued || job.spec.suspend || job.meta.deleted ||
      job.status.session) {
    return Unchanged(job);
  }
  Draft draft(job, now);
  const std::string boards = Count(session.boards.size(), "board");
  draft.Set("QuotaReserved", true, "Reserved",
            FormatDuration(session.grant) + " on " + boards + " reserved");
  draft.Set("Admitted", true, "Admitted", "holds " + boards + " as session " + session.name);
  draft.Set("BoardsReady", false, "Assigning", "the boards take up the job");
  draft.Set("Running", false, "Starting", "the first step has not begun");
  draft.status.session = session;
  draft.status.fence = NextFence(job);
  ++draft.status.attempts;
  if (!draft.status.started) draft.status.started = now;
  draft.status.message = "starting on " + boards;
  return std::move(draft).Done();
}

Transition MarkBoardsReady(const TrainingJob& job, Fence fence, TimePoint now) {
  if (!IsCurrent(job, fence) || IsTrue(job.status.conditions, "BoardsReady")) {
    return Unchanged(job);
  }
  Draft draft(job, now);
  draft.Set("BoardsReady", true, "Accepted", "every board has taken up the job");
  return std::move(draft).Done();
}

Transition MarkRunning(const TrainingJob& job, Fence fence, TimePoint now) {
  if (!IsCurrent(job, fence) || IsTrue(job.status.conditions, "Running")) return Unchanged(job);
  Draft draft(job, now);
  // A board that computes has taken up the job, also if its answer was lost.
  draft.Set("BoardsReady", true, "Accepted", "every board has taken up the job");
  draft.Set("Running", true, "Training", "the first step has begun");
  draft.status.message = "running on " + Count(job.status.session->boards.size(), "board");
  return std::move(draft).Done();
}

Transition TakeReport(const TrainingJob& job, Fence fence, const JobReport& report) {
  if (!IsCurrent(job, fence)) return Unchanged(job);
  Transition taken{.status = job.status, .changed = true};
  taken.status.progress = report.progress;
  if (!report.checkpoint_path.empty() && report.checkpoint_step >= job.status.checkpoint_step) {
    taken.status.checkpoint_path = report.checkpoint_path;
    taken.status.checkpoint_step = report.checkpoint_step;
  }
  return taken;
}

Transition EndJobSession(const TrainingJob& job, const SessionEnd& end, TimePoint now) {
  if (!IsCurrent(job, end.fence)) return Unchanged(job);
  Draft draft(job, now);
  const std::string cause(SessionEndCauseName(end.cause));
  draft.status.charged = end.charged;
  if (end.cause == SessionEndCause::kFailed) ++draft.status.failures;
  if (IsInterruption(end.cause)) ++draft.status.interruptions;
  bool suspend_spec = false;
  if (end.cause == SessionEndCause::kCompleted) {
    draft.status.weights_sha256 = end.weights_sha256;
    draft.Finish("Complete", cause, OrElse(end.message, "all epochs are done"));
  } else if (job.meta.deleted) {
    draft.Finish("Failed", "Cancelled", "deleted by its user");
  } else if (end.cause == SessionEndCause::kFailed) {
    EndByFailure(draft, job, end);
  } else if (end.cause == SessionEndCause::kGrantReached) {
    EndByGrant(draft, job, end);
    suspend_spec = job.spec.on_limit == OnLimit::kSuspend && !job.spec.suspend;
  } else {
    GoOnLater(draft, job, cause, OrElse(end.message, "the session ended: " + cause));
  }
  Transition transition = std::move(draft).Done();
  transition.suspend_spec = suspend_spec;
  return transition;
}

Transition KeepWaiting(const TrainingJob& job, const std::vector<Reason>& reasons,
                       std::optional<TimePoint> expected_start, TimePoint now) {
  CHECK(!reasons.empty()) << "a job that waits for nothing";
  if (job.status.phase != JobPhase::kQueued || job.status.session) return Unchanged(job);
  std::string all;
  std::string quota_code;
  std::string quota;
  for (const Reason& reason : reasons) {
    all += (all.empty() ? "" : "; ") + reason.message;
    if (reason.scope != ReasonScope::kQuota) continue;
    if (quota_code.empty()) quota_code = reason.code;
    quota += (quota.empty() ? "" : "; ") + reason.message;
  }
  if (expected_start) {
    all +=
        "; expected start " + FormatTime(std::chrono::ceil<std::chrono::seconds>(*expected_start));
  }
  Draft draft(job, now);
  draft.Set("QuotaReserved", false, OrElse(quota_code, "WaitingForBoards"),
            OrElse(quota, "the quota is enough; it is reserved together with the boards"));
  draft.Set("Admitted", false, reasons.front().code, all);
  draft.status.message = all;
  if (draft.status.message == job.status.message &&
      SameConditions(draft.status.conditions, job.status.conditions)) {
    return Unchanged(job);
  }
  return std::move(draft).Done();
}

Transition FollowSpec(const TrainingJob& job, TimePoint now) {
  if (IsTerminal(job.status.phase) || job.status.session) return Unchanged(job);
  Draft draft(job, now);
  if (job.meta.deleted) {
    draft.Finish("Failed", "Cancelled", "deleted by its user");
    return std::move(draft).Done();
  }
  if (job.status.phase == JobPhase::kSuspended) {
    const Condition* suspended = FindCondition(job.status.conditions, "Suspended");
    if (suspended != nullptr && suspended->observed_generation >= job.meta.generation) {
      return Unchanged(job);
    }
    if (job.spec.suspend && suspended != nullptr) {
      draft.Set("Suspended", true, suspended->reason, suspended->message);
    } else if (job.spec.suspend) {
      draft.Suspend("SuspendedByUser", "suspended by spec.suspend");
    } else {
      draft.SetNothingHeld("Resumed", "resumed by its user");
    }
    return std::move(draft).Done();
  }
  if (job.spec.suspend) {
    draft.Suspend("SuspendedByUser", "suspended by spec.suspend");
    return std::move(draft).Done();
  }
  if (!job.status.conditions.empty()) return Unchanged(job);
  draft.SetNothingHeld("Pending", "waits for its first turn");
  return std::move(draft).Done();
}

std::optional<WantedStop> StopFor(const TrainingJob& job) {
  if (!job.status.session || IsTerminal(job.status.phase)) return std::nullopt;
  if (job.meta.deleted) return WantedStop{.reason = "deleted"};
  if (job.spec.suspend) return WantedStop{.reason = "suspended", .grace = job.spec.grace_period};
  const auto evicted = job.meta.annotations.find(kEvictAnnotation);
  if (evicted != job.meta.annotations.end() && evicted->second == job.status.session->uid.str()) {
    return WantedStop{.reason = "evicted", .grace = job.spec.grace_period};
  }
  return std::nullopt;
}

}  // namespace octet
