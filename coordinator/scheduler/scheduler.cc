#include "coordinator/scheduler/scheduler.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "coordinator/scheduler/pool_map.h"

namespace octet {
namespace {

// The waiting jobs in the order of the queue.
std::vector<const TrainingJob*> QueueOf(const ClusterSnapshot& snapshot) {
  // A job whose session is open has boards, whatever its status says.
  std::set<JobUid> holding;
  for (const Session& session : snapshot.sessions) {
    if (!session.ended) holding.insert(session.job_uid);
  }
  std::vector<const TrainingJob*> queue;
  for (const TrainingJob& job : snapshot.jobs) {
    if (IsWaiting(job) && !holding.contains(JobUid(job.meta.uid))) queue.push_back(&job);
  }
  std::sort(queue.begin(), queue.end(), [](const TrainingJob* a, const TrainingJob* b) {
    return std::tuple(-a->spec.priority, a->meta.created, a->meta.uid) <
           std::tuple(-b->spec.priority, b->meta.created, b->meta.uid);
  });
  return queue;
}

Decision<Grant> OfferTo(const TrainingJob& job, const Ledger& ledger, TimePoint now) {
  return ledger.Offer(job.spec.user, job.spec.boards(), job.spec.session_duration,
                      job.spec.session_min, now);
}

// In this plan a job's uid stands for the uid of the session that it will have.
SessionUid PlannedSession(const TrainingJob& job) { return SessionUid("job/" + job.meta.uid); }

// Takes the job's boards and quota, or changes nothing.
std::optional<Placement> Place(const TrainingJob& job, std::vector<PoolMap>& pools, Ledger& ledger,
                               TimePoint now) {
  const Decision<Grant> grant = OfferTo(job, ledger, now);
  if (!grant.ok()) return std::nullopt;
  const auto choices = TakeSlices(pools, job.spec.accelerator, job.spec.slice_count);
  if (!choices) return std::nullopt;
  const Status reserved = ledger.Reserve(PlannedSession(job), job.spec.user, *grant, now);
  CHECK(reserved.ok()) << "what was offered is refused: " << reserved.ToString();
  HoldFor(pools, *choices, job.meta.ns + "/" + job.meta.name, now + grant->length);
  return Placement{.job = JobUid(job.meta.uid),
                   .ns = job.meta.ns,
                   .name = job.meta.name,
                   .boards = BoardsAt(pools, *choices),
                   .grant = *grant};
}

bool CanNeverStart(const Reason& reason) {
  return reason.code == kReasonNoPoolFits || reason.code == kReasonUserBlocked ||
         reason.code == kReasonSessionLimit;
}

Waiting Explain(const TrainingJob& job, const std::vector<PoolMap>& pools, const Ledger& ledger,
                TimePoint now) {
  Waiting waiting{
      .job = JobUid(job.meta.uid), .ns = job.meta.ns, .name = job.meta.name, .reasons = {}};
  const Decision<Grant> grant = OfferTo(job, ledger, now);
  if (!grant.ok()) waiting.reasons = grant.reasons();
  auto boards = BoardsReason(pools, job.spec.accelerator, job.spec.slice_count, now);
  if (boards) waiting.reasons.push_back(*std::move(boards));
  CHECK(!waiting.reasons.empty()) << "nothing stands in the way of " << job.meta.name;
  std::stable_partition(waiting.reasons.begin(), waiting.reasons.end(), CanNeverStart);
  waiting.expected_start = now;
  for (const Reason& reason : waiting.reasons) {
    if (!reason.next_chance) {
      waiting.expected_start.reset();
      break;
    }
    waiting.expected_start = std::max(*waiting.expected_start, *reason.next_chance);
  }
  return waiting;
}

}  // namespace

bool IsWaiting(const TrainingJob& job) {
  return job.status.phase == JobPhase::kQueued && !job.spec.suspend && !job.meta.deleted &&
         !job.status.session;
}

Plan Schedule(const ClusterSnapshot& snapshot, TimePoint now) {
  Ledger ledger(snapshot.sessions, snapshot.quotas);
  std::vector<PoolMap> pools = MapPools(snapshot, now);
  Plan plan;
  std::vector<const TrainingJob*> held_back;
  for (const TrainingJob* job : QueueOf(snapshot)) {
    std::optional<Placement> placement = Place(*job, pools, ledger, now);
    if (placement) {
      plan.placements.push_back(*std::move(placement));
    } else {
      held_back.push_back(job);
    }
  }
  // Only now, so that a reason counts the jobs that start in this very plan. Nothing is given back
  // in a plan: what stood in the way of a job at its turn still does.
  for (const TrainingJob* job : held_back) {
    plan.waiting.push_back(Explain(*job, pools, ledger, now));
  }
  return plan;
}

}  // namespace octet
