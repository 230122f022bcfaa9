#include "coordinator/controllers/session_end.h"

#include <algorithm>

#include "coordinator/controllers/progress.h"
#include "coordinator/quota/ledger.h"
#include "shared/base/backoff.h"
#include "shared/base/log.h"

namespace octet {
namespace {

// A session that lasted longer than this was no part of a crash loop.
constexpr Duration kHealthySession = std::chrono::seconds(30);
constexpr BackoffOptions kRetryBackoff = {
    .first = std::chrono::milliseconds(500), .max = std::chrono::seconds(30), .factor = 2.0};

void NoteRetry(ControlContext& context, const JobUid& job, const SessionClosing& closing) {
  const bool smooth = closing.cause == SessionEndCause::kCompleted ||
                      closing.cause == SessionEndCause::kGrantReached ||
                      closing.cause == SessionEndCause::kStopped;
  if (smooth) {
    context.retries.erase(job);
    return;
  }
  RetryWait& wait = context.retries[job];
  wait.streak = closing.elapsed >= kHealthySession ? 1 : wait.streak + 1;
  wait.until = context.clock.Monotonic() + BackoffDelay(kRetryBackoff, wait.streak, context.random);
}

// The workers may forget their ends, and so may we the session.
void Forget(ControlContext& context, const SessionUid& uid) {
  const auto found = context.live.find(uid);
  if (found == context.live.end()) return;
  for (const auto& [board, part] : found->second.parts) {
    if (part.end) context.fleet.AcknowledgeEnd(board, found->second.id);
  }
  context.live.erase(found);
}

// The job with its last report applied, then its transition.
Transition EndOfJob(const ControlContext& context, const TrainingJob& before, const Session& ended,
                    const SessionClosing& closing) {
  TrainingJob job = before;
  const auto live = context.live.find(ended.uid());
  if (live != context.live.end() && live->second.report) {
    job.status = TakeReport(job, ended.fence, ReadReport(*live->second.report, job.status)).status;
  }
  BoardMillis charged = ChargeOf(ended);
  for (const Session* session : context.world.SessionsOf(ended.job_uid)) {
    if (session->ended && session->uid() != ended.uid()) charged += ChargeOf(*session);
  }
  return EndJobSession(job,
                       {.fence = ended.fence,
                        .cause = closing.cause,
                        .message = closing.message,
                        .weights_sha256 = closing.weights_sha256,
                        .charged = charged},
                       context.clock.Now());
}

}  // namespace

Write WriteTransition(const JobEntry& entry, const Transition& transition) {
  const int64_t version = entry.object.meta.resource_version;
  Object object = entry.object;
  object.status = EncodeTrainingJobStatus(transition.status);
  if (transition.suspend_spec) object.spec.Set("suspend", true);
  std::vector<std::string>& finalizers = object.meta.finalizers;
  std::erase(finalizers, kBoardsHeldFinalizer);
  if (transition.status.session) finalizers.push_back(kBoardsHeldFinalizer);
  if (object.meta.deleted && finalizers.empty()) {
    return DeleteObject{.key = KeyOf(object), .uid = object.meta.uid, .expected_version = version};
  }
  return UpdateObject{.object = std::move(object), .expected_version = version};
}

void CloseSession(ControlContext& context, const SessionUid& uid, const SessionClosing& closing) {
  const auto found = context.world.sessions().find(uid);
  if (found == context.world.sessions().end() || found->second.typed.ended) {
    return Forget(context, uid);
  }
  const Session ended = EndedSession(found->second.typed, closing.cause, closing.elapsed);
  Object object = EncodeSession(ended, ChargeByWeek(ended));
  std::vector<Write> writes = {UpdateObject{
      .object = std::move(object), .expected_version = found->second.object.meta.resource_version}};
  if (const JobEntry* entry = context.world.FindJob(ended.job_uid)) {
    const Transition transition = EndOfJob(context, entry->typed, ended, closing);
    if (transition.changed) writes.push_back(WriteTransition(*entry, transition));
  }
  const Status status = context.Commit(writes);
  if (!status.ok()) {
    context.Warn("session " + ended.meta.name + " could not be closed yet: " + status.ToString());
    return;
  }
  LogInfo("session " + ended.meta.name + " of " + ended.user.str() + " ended: " + ended.end_reason +
          " after " + FormatDuration(ended.elapsed) +
          (closing.message.empty() ? "" : ": " + closing.message));
  context.metrics.CountSessionEnded(ended.end_reason);
  NoteRetry(context, ended.job_uid, closing);
  Forget(context, uid);
}

}  // namespace octet
