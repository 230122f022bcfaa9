// The scheduler against what its header promises, checked the dumb way: every placement by its
// coordinates, every quota by adding up, and every job that was left waiting by trying all
// rectangles of all pools.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "coordinator/scheduler/scheduler.h"
#include "shared/base/random.h"
#include "shared/tpu/topology.h"
#include "tests/unit/scheduler/cluster_builder.h"

namespace octet {
namespace {

const TimePoint kNow = ParseTime("2026-12-04T23:00:00Z").value();  // An hour before the reset.

size_t Pick(Random& random, size_t bound) { return static_cast<size_t>(random.Below(bound)); }

ClusterSnapshot RandomCluster(Random& random) {
  static const std::vector<std::string> kUsers = {"alice", "bert", "carol"};
  static const std::vector<std::string> kTypes = {"v3-8", "v3-8", "v3-32", "v3-64", "v2-8"};
  ClusterBuilder cluster;
  const size_t pools = Pick(random, 3);
  if (pools > 0) cluster.Pool("east", static_cast<int64_t>(Pick(random, 13)));
  if (pools > 1) cluster.Pool("west", static_cast<int64_t>(4 * Pick(random, 3)), "v3-32");
  for (Board& board : cluster.snapshot.boards) {
    const size_t fate = Pick(random, 8);
    if (fate == 0) board.state = static_cast<BoardState>(Pick(random, 4));
    if (fate == 1) board.unschedulable = true;
    if (fate == 2) {
      cluster
          .Held(kUsers[Pick(random, 3)], "held-by-" + board.meta.name, {board.meta.name},
                kNow - std::chrono::minutes(Pick(random, 90)),
                std::chrono::minutes(Pick(random, 180)))
          .ended = Pick(random, 3) == 0;
    }
  }
  // Boards come in any order.
  std::vector<Board>& boards = cluster.snapshot.boards;
  for (size_t i = boards.size(); i > 1; --i) std::swap(boards[i - 1], boards[Pick(random, i)]);
  for (const std::string& user : kUsers) {
    if (Pick(random, 3) == 0) continue;  // The standard quota.
    UserQuotaSpec& quota = cluster.Quota(user);
    quota.weekly = std::chrono::minutes(Pick(random, 400));
    quota.session = std::chrono::minutes(Pick(random, 150));
    quota.charge_by = Pick(random, 3) == 0 ? ChargeBy::kSession : ChargeBy::kBoard;
    quota.blocked = Pick(random, 8) == 0;
  }
  const size_t jobs = Pick(random, 10);
  for (size_t i = 0; i < jobs; ++i) {
    TrainingJob& job = cluster.Job("job-" + std::to_string(i), kTypes[Pick(random, kTypes.size())]);
    job.meta.created = kNow - std::chrono::minutes(Pick(random, 3));
    job.spec.user = UserName(kUsers[Pick(random, 3)]);
    job.spec.priority = static_cast<int64_t>(Pick(random, 3));
    job.spec.slice_count = static_cast<int64_t>(Pick(random, 5) == 0 ? 2 : 1);
    job.spec.session_duration = std::chrono::minutes(1 + Pick(random, 200));
    job.spec.session_min = std::chrono::minutes(1 + Pick(random, 60));
    job.spec.suspend = Pick(random, 10) == 0;
  }
  return cluster.snapshot;
}

const TrainingJob& JobOf(const ClusterSnapshot& cluster, const JobUid& uid) {
  for (const TrainingJob& job : cluster.jobs) {
    if (job.meta.uid == uid.str()) return job;
  }
  throw "a plan names only jobs of its snapshot";
}

bool MayBeTaken(const ClusterSnapshot& cluster, const std::set<BoardId>& taken, const BoardId& id) {
  for (const Session& session : cluster.sessions) {
    if (session.ended) continue;
    for (const BoardId& held : session.boards) {
      if (held == id) return false;
    }
  }
  for (const Board& board : cluster.boards) {
    if (board.id() == id) {
      return board.state == BoardState::kReady && !board.unschedulable && !taken.contains(id);
    }
  }
  return false;
}

// Every aligned rectangle of the type's shape in that pool, by its corners, as boards.
std::vector<std::vector<BoardId>> AllRectangles(const SlicePool& pool,
                                                const AcceleratorType& type) {
  const AcceleratorType& slice = *FindAcceleratorType(pool.accelerator_type);
  std::vector<std::vector<BoardId>> all;
  if (slice.version != type.version) return all;
  const int64_t size = slice.boards().count() * pool.replicas;
  for (int left = 0; left < 16; left += type.boards_x()) {
    for (int top = 0; top < 16; top += type.boards_y()) {
      std::vector<BoardId> boards;
      for (int x = left; x < left + type.boards_x(); ++x) {
        for (int y = top; y < top + type.boards_y(); ++y) {
          const int64_t ordinal = OrdinalAt({.x = x, .y = y});
          if (ordinal < size) boards.emplace_back(pool.meta.name + "-" + std::to_string(ordinal));
        }
      }
      if (Boards(static_cast<int64_t>(boards.size())) == type.boards()) all.push_back(boards);
    }
  }
  return all;
}

int64_t FreeRectangles(const ClusterSnapshot& cluster, const std::set<BoardId>& taken,
                       const AcceleratorType& type) {
  int64_t count = 0;
  for (const SlicePool& pool : cluster.pools) {
    for (const std::vector<BoardId>& boards : AllRectangles(pool, type)) {
      count += std::all_of(boards.begin(), boards.end(),
                           [&](const BoardId& board) { return MayBeTaken(cluster, taken, board); });
    }
  }
  return count;
}

bool IsOneOf(const ClusterSnapshot& cluster, const AcceleratorType& type,
             std::vector<BoardId> boards) {
  std::sort(boards.begin(), boards.end());
  for (const SlicePool& pool : cluster.pools) {
    for (std::vector<BoardId> rectangle : AllRectangles(pool, type)) {
      std::sort(rectangle.begin(), rectangle.end());
      if (rectangle == boards) return true;
    }
  }
  return false;
}

// The snapshot as it is after the plan.
ClusterSnapshot After(ClusterSnapshot cluster, const Plan& plan) {
  for (const Placement& placement : plan.placements) {
    const TrainingJob& job = JobOf(cluster, placement.job);
    Session session;
    session.meta.uid = "new-" + job.meta.uid;
    session.meta.ns = job.meta.ns;
    session.job_name = job.meta.name;
    session.job_uid = placement.job;
    session.user = job.spec.user;
    session.boards = placement.boards;
    session.charge_by = placement.grant.charge_by;
    session.start = kNow;
    session.grant = placement.grant.length;
    cluster.sessions.push_back(session);
  }
  return cluster;
}

class SchedulerProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(SchedulerProperty, PlacementsAreFreeAlignedRectanglesThatNeverOverlap) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam(), 1);
  int placed = 0;
  for (int round = 0; round < 100; ++round) {
    const ClusterSnapshot cluster = RandomCluster(random);
    std::set<BoardId> taken;
    for (const Placement& placement : Schedule(cluster, kNow).placements) {
      const TrainingJob& job = JobOf(cluster, placement.job);
      const auto each = static_cast<size_t>(job.spec.accelerator.boards().count());
      ASSERT_EQ(each * static_cast<size_t>(job.spec.slice_count), placement.boards.size());
      for (size_t first = 0; first < placement.boards.size(); first += each) {
        const auto begin = placement.boards.begin() + static_cast<std::ptrdiff_t>(first);
        ASSERT_TRUE(IsOneOf(cluster, job.spec.accelerator,
                            {begin, begin + static_cast<std::ptrdiff_t>(each)}));
      }
      for (const BoardId& board : placement.boards) {
        ASSERT_TRUE(MayBeTaken(cluster, taken, board)) << board;
        taken.insert(board);
      }
      ++placed;
    }
  }
  EXPECT_GT(placed, 0);
}

TEST_P(SchedulerProperty, NoPlanTakesAUserPastTheQuota) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam(), 2);
  for (int round = 0; round < 100; ++round) {
    const ClusterSnapshot cluster = RandomCluster(random);
    const Plan plan = Schedule(cluster, kNow);
    const Ledger before(cluster.sessions, cluster.quotas);
    const ClusterSnapshot then = After(cluster, plan);
    const Ledger after(then.sessions, then.quotas);
    for (const Placement& placement : plan.placements) {
      const TrainingJob& job = JobOf(cluster, placement.job);
      const UserQuotaSpec quota = after.QuotaOf(job.spec.user);
      ASSERT_FALSE(quota.blocked);
      ASSERT_LE(placement.grant.length, quota.session);
      ASSERT_LE(placement.grant.length, job.spec.session_duration);
      ASSERT_GE(placement.grant.length, std::min(job.spec.session_min, job.spec.session_duration));
      for (const Week week : {Week::Of(kNow), Week::Of(kNow).Next()}) {
        const auto sum = [&](const Ledger& ledger) {
          return (ledger.Used(job.spec.user, week) + ledger.Reserved(job.spec.user, week)).count();
        };
        // What ran before may be above a lowered limit; a plan adds nothing to that.
        ASSERT_LE(sum(after), std::max(quota.weekly.count(), sum(before)));
      }
    }
  }
}

TEST_P(SchedulerProperty, NoJobIsLeftWaitingThatCouldStartInWhatIsLeft) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam(), 3);
  int waited = 0;
  for (int round = 0; round < 100; ++round) {
    const ClusterSnapshot cluster = RandomCluster(random);
    const Plan plan = Schedule(cluster, kNow);
    const ClusterSnapshot then = After(cluster, plan);
    const Ledger ledger(then.sessions, then.quotas);
    for (const Waiting& waiting : plan.waiting) {
      const TrainingJob& job = JobOf(cluster, waiting.job);
      const bool boards = FreeRectangles(then, {}, job.spec.accelerator) >= job.spec.slice_count;
      const auto offer = ledger.Offer(job.spec.user, job.spec.boards(), job.spec.session_duration,
                                      job.spec.session_min, kNow);
      ASSERT_FALSE(boards && offer.ok()) << job.meta.name;
      // Exactly what stands in the way is told.
      const auto told = [&](ReasonScope scope) {
        return std::any_of(waiting.reasons.begin(), waiting.reasons.end(),
                           [scope](const Reason& reason) { return reason.scope == scope; });
      };
      ASSERT_EQ(!boards, told(ReasonScope::kBoards)) << job.meta.name;
      ASSERT_EQ(!offer.ok(), told(ReasonScope::kQuota)) << job.meta.name;
      ++waited;
    }
    // Asking again at once starts nobody.
    ASSERT_TRUE(Schedule(then, kNow).placements.empty());
  }
  EXPECT_GT(waited, 0);
}

TEST_P(SchedulerProperty, EveryWaitingJobIsInThePlanOnceAndInOrder) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam(), 4);
  for (int round = 0; round < 100; ++round) {
    const ClusterSnapshot cluster = RandomCluster(random);
    const Plan plan = Schedule(cluster, kNow);
    std::multiset<std::string> expected, found;
    for (const TrainingJob& job : cluster.jobs) {
      if (!job.spec.suspend) expected.insert(job.meta.uid);
    }
    for (const Placement& placement : plan.placements) found.insert(placement.job.str());
    for (const Waiting& waiting : plan.waiting) found.insert(waiting.job.str());
    ASSERT_EQ(expected, found);
    for (size_t i = 1; i < plan.placements.size(); ++i) {
      const TrainingJob& a = JobOf(cluster, plan.placements[i - 1].job);
      const TrainingJob& b = JobOf(cluster, plan.placements[i].job);
      ASSERT_GE(a.spec.priority, b.spec.priority);
      if (a.spec.priority == b.spec.priority) {
        ASSERT_LE(a.meta.created, b.meta.created);
      }
    }
  }
}

TEST_P(SchedulerProperty, TheOrderOfBoardsInTheSnapshotChangesNothing) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Random random(GetParam(), 5);
  for (int round = 0; round < 50; ++round) {
    ClusterSnapshot cluster = RandomCluster(random);
    const Plan plan = Schedule(cluster, kNow);
    std::reverse(cluster.boards.begin(), cluster.boards.end());
    std::reverse(cluster.jobs.begin(), cluster.jobs.end());
    std::reverse(cluster.sessions.begin(), cluster.sessions.end());
    const Plan again = Schedule(cluster, kNow);
    ASSERT_EQ(plan.placements.size(), again.placements.size());
    for (size_t i = 0; i < plan.placements.size(); ++i) {
      ASSERT_EQ(plan.placements[i].job, again.placements[i].job);
      ASSERT_EQ(plan.placements[i].boards, again.placements[i].boards);
      ASSERT_EQ(plan.placements[i].grant, again.placements[i].grant);
    }
    ASSERT_EQ(plan.waiting.size(), again.waiting.size());
    for (size_t i = 0; i < plan.waiting.size(); ++i) {
      ASSERT_EQ(plan.waiting[i].reasons, again.waiting[i].reasons);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SchedulerProperty, ::testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace octet
