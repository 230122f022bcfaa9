// The life of a job: what each event makes of its status. Pure functions; the caller writes the
// result.
//
//   Queued --AdmitJob--> Starting --MarkRunning--> Running
//     ^                     |                        |
//     |<---- EndJobSession: requeued ----------------+----> Succeeded | Failed | Cancelled |
//     Suspended
//     +<---- FollowSpec: resumed -- Suspended
//
// - The phase is derived from the conditions (PhaseOf). Exactly one of Complete and Failed is True
// in a
//   terminal phase, none before; Cancelled is Failed with the reason Cancelled. Terminal phases
//   absorb: no event changes such a status.
// - Events of an assignment carry its fence; one with another fence than the status has, or without
// an
//   open session, changes nothing. So an event that comes twice or late has no effect, and never a
//   charge.
// - observedGeneration is the generation of the object that the transition was made on; a
// condition's
//   transition time moves only when its status does.
// - A status that would not change is returned as it was, with changed = false.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/reason.h"
#include "shared/base/units.h"
#include "shared/objects/training_job.h"

namespace octet {

// Why a session ended; its name is Session::end_reason.
enum class SessionEndCause {
  kCompleted,             // All epochs are done.
  kGrantReached,          // The session's time is used up: onLimit says what follows.
  kStopped,               // On our demand: suspended or deleted meanwhile.
  kFailed,                // The job's own fault: backoffLimit counts it.
  kBoardLost,             // A board was not heard any more. This and the next two: interruptions.
  kInterrupted,           // A peer, the assignment or the worker's process failed.
  kCoordinatorRestarted,  // Its workers did not come back after a restart.
};
std::string_view SessionEndCauseName(SessionEndCause cause);
std::optional<SessionEndCause> FindSessionEndCause(std::string_view name);

struct Transition {
  TrainingJobStatus status{};
  bool changed = false;
  // spec.suspend becomes true in the same transaction: the job suspended itself (onLimit: Suspend),
  // and its user resumes it by setting it to false.
  bool suspend_spec = false;
};

// The phase that these conditions mean.
JobPhase PhaseOf(const Conditions& conditions);

// The job got its boards: Starting, one attempt more, the next fence. Ignored unless the job is
// Queued, not suspended and not being deleted. `session` as it is written in the same transaction.
Transition AdmitJob(const TrainingJob& job, const JobSession& session, TimePoint now);
// The fence that AdmitJob gives.
Fence NextFence(const TrainingJob& job);

// Every board of the gang has accepted the assignment.
Transition MarkBoardsReady(const TrainingJob& job, Fence fence, TimePoint now);
// The first step has begun.
Transition MarkRunning(const TrainingJob& job, Fence fence, TimePoint now);

// What a running job says of itself.
struct JobReport {
  JobProgress progress{};
  // Of its newest checkpoint; an older step than the known one is not taken. Empty path: none.
  std::string checkpoint_path{};
  int64_t checkpoint_step = 0;
};
Transition TakeReport(const TrainingJob& job, Fence fence, const JobReport& report);

struct SessionEnd {
  Fence fence{};
  SessionEndCause cause = SessionEndCause::kInterrupted;
  std::string message{};         // For people: what failed, which board was lost.
  std::string weights_sha256{};  // When completed.
  // Of all ended sessions of the job, this one included (ChargedTo): a sum, not an increment, so
  // that a second copy of the event could not add to it.
  BoardMillis charged{};
};
// The session is over. Completed: Succeeded. Otherwise, if the job is being deleted: Cancelled.
// Otherwise by cause: Failed counts a failure and ends the job beyond backoffLimit; interruptions
// are counted and never end it; GrantReached does what onLimit says. What is left to do is
// Suspended if spec.suspend says so, else Queued.
Transition EndJobSession(const TrainingJob& job, const SessionEnd& end, TimePoint now);

// The job stays in the queue: QuotaReserved and Admitted are False with these reasons (the
// weightiest first, at least one), and the message says all of them. Ignored unless Queued.
Transition KeepWaiting(const TrainingJob& job, const std::vector<Reason>& reasons,
                       std::optional<TimePoint> expected_start, TimePoint now);

// Makes the status follow what its user asked for, where no session is in the way: Queued becomes
// Suspended, Suspended becomes Queued when spec.suspend was set to false since, and a job that is
// being deleted becomes Cancelled. Also gives a new job its first conditions.
Transition FollowSpec(const TrainingJob& job, TimePoint now);

// Whether the session of the job has to be stopped for what its user asked for, and why
// ("suspended", "deleted", "evicted"). With a grace for the last checkpoint if it will go on later.
struct WantedStop {
  std::string reason{};
  Duration grace{};
};
std::optional<WantedStop> StopFor(const TrainingJob& job);

}  // namespace octet
