#include "coordinator/controllers/admission.h"

#include "coordinator/controllers/session_end.h"
#include "coordinator/jobs/lifecycle.h"
#include "coordinator/quota/week.h"
#include "coordinator/scheduler/scheduler.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {
namespace {

// So that a week's reset and the end of a wait are noticed although nothing was written.
constexpr Duration kDecisionInterval = std::chrono::seconds(1);

// What the scheduler needs to know: not the jobs that are over, nor sessions of weeks before.
ClusterSnapshot TakeSnapshot(const ControlContext& context, TimePoint now) {
  ClusterSnapshot snapshot;
  const MonotonicTime monotonic = context.clock.Monotonic();
  for (const auto& [uid, entry] : context.world.jobs()) {
    const auto retry = context.retries.find(uid);
    const bool waits = retry != context.retries.end() && monotonic < retry->second.until;
    if (!IsTerminal(entry.typed.status.phase) && !waits) snapshot.jobs.push_back(entry.typed);
  }
  for (const auto& [id, entry] : context.world.boards()) snapshot.boards.push_back(entry.typed);
  for (const auto& [name, entry] : context.world.pools()) snapshot.pools.push_back(entry.typed);
  for (const auto& [name, entry] : context.world.quotas()) snapshot.quotas.push_back(entry.typed);
  const TimePoint week = Week::Of(now).start();
  for (const auto& [uid, entry] : context.world.sessions()) {
    if (!entry.typed.ended || entry.typed.end() > week) snapshot.sessions.push_back(entry.typed);
  }
  return snapshot;
}

Session MakeSession(ControlContext& context, const TrainingJob& job, const Placement& placement,
                    TimePoint now) {
  Session session;
  session.meta.uid = context.NewUid();
  session.meta.name = job.meta.name + "-" + session.meta.uid.substr(0, 8);
  session.meta.ns = job.meta.ns;
  session.meta.created = now;
  session.job_name = job.meta.name;
  session.job_uid = placement.job;
  session.user = job.spec.user;
  session.boards = placement.boards;
  session.charge_by = placement.grant.charge_by;
  session.fence = NextFence(job);
  session.attempt = job.status.attempts + 1;
  session.start = now;
  session.grant = placement.grant.length;
  return session;
}

void AppendPlacement(ControlContext& context, const Placement& placement, TimePoint now,
                     std::vector<Write>& writes) {
  const JobEntry* entry = context.world.FindJob(placement.job);
  if (entry == nullptr) return;
  const Session session = MakeSession(context, entry->typed, placement, now);
  const Transition admitted = AdmitJob(entry->typed,
                                       {.uid = session.uid(),
                                        .name = session.meta.name,
                                        .boards = session.boards,
                                        .grant = session.grant,
                                        .started = session.start},
                                       now);
  if (!admitted.changed) return;
  writes.push_back(CreateObject{EncodeSession(session, ChargeByWeek(session))});
  writes.push_back(WriteTransition(*entry, admitted));
}

void AppendWaiting(const ControlContext& context, const Waiting& waiting, TimePoint now,
                   std::vector<Write>& writes) {
  const JobEntry* entry = context.world.FindJob(waiting.job);
  if (entry == nullptr) return;
  const Transition held = KeepWaiting(entry->typed, waiting.reasons, waiting.expected_start, now);
  if (held.changed) writes.push_back(WriteTransition(*entry, held));
}

}  // namespace

void AdmitJobs(ControlContext& context) {
  const MonotonicTime monotonic = context.clock.Monotonic();
  const bool changed = context.world.version() != context.decided_version;
  if (context.draining || (!changed && monotonic < context.decision_due)) return;
  context.decision_due = monotonic + kDecisionInterval;
  for (int attempt = 0; attempt < limits::kCommitAttemptsMax; ++attempt) {
    const TimePoint now = context.clock.Now();
    const MonotonicTime before = context.clock.Monotonic();
    const Plan plan = Schedule(TakeSnapshot(context, now), now);
    context.metrics.ObserveDecision(context.clock.Monotonic() - before);
    std::vector<Write> writes;
    for (const Placement& placement : plan.placements) {
      AppendPlacement(context, placement, now, writes);
    }
    for (const Waiting& waiting : plan.waiting) AppendWaiting(context, waiting, now, writes);
    const Status status = context.Commit(writes);
    context.decided_version = context.world.version();
    if (status.ok()) return;
    if (status.code() != StatusCode::kAborted) {
      context.Warn("a plan could not be written: " + status.ToString());
      return;
    }
  }
  context.Warn("the scheduler's plan lost the race for its transaction; it is decided again");
}

}  // namespace octet
