#include "coordinator/scheduler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/scheduler/free_blocks.h"
#include "tests/unit/scheduler/cluster_builder.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TimePoint kNow = ParseTime("2026-12-01T12:00:00Z").value();

std::vector<std::string> Names(const std::vector<BoardId>& boards) {
  std::vector<std::string> names;
  for (const BoardId& board : boards) names.push_back(board.str());
  return names;
}

std::vector<std::string> Started(const Plan& plan) {
  std::vector<std::string> names;
  for (const Placement& placement : plan.placements) names.push_back(placement.name);
  return names;
}

TEST(Scheduler, AnEmptyClusterHasAnEmptyPlan) {
  const Plan plan = Schedule({}, kNow);
  EXPECT_THAT(plan.placements, IsEmpty());
  EXPECT_THAT(plan.waiting, IsEmpty());
}

TEST(Scheduler, AJobGetsAllItsBoardsInRankOrderWithItsGrant) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Job("digits", "v3-32");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.placements.size());
  EXPECT_THAT(Names(plan.placements[0].boards),
              ElementsAre("local-0", "local-1", "local-2", "local-3"));
  EXPECT_EQ(1h, plan.placements[0].grant.length);
  EXPECT_EQ(Charge(Boards(4), 1h), plan.placements[0].grant.charge_max);
  EXPECT_THAT(plan.waiting, IsEmpty());
}

TEST(Scheduler, AGangGetsAllOfItsBoardsOrNone) {
  // P10, P11.
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Job("gang", "v3-32");
  cluster.BoardNamed("local-2").state = BoardState::kLost;
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(plan.placements, IsEmpty());
  ASSERT_EQ(1u, plan.waiting.size());
  EXPECT_EQ(kReasonBoardsMissing, plan.waiting[0].reasons[0].code);
  EXPECT_EQ("needs 4 boards in one 2x2 rectangle; 3 free, local-2 is Lost",
            plan.waiting[0].reasons[0].message);
  EXPECT_EQ(std::nullopt, plan.waiting[0].expected_start);
}

TEST(Scheduler, TwoGangsNeverHoldHalfEach) {
  // P11: the second waits with a reason and holds nothing.
  ClusterBuilder cluster;
  cluster.Pool("local", 4);
  cluster.Job("first", "v3-32");
  cluster.Job("second", "v3-32");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(Started(plan), ElementsAre("first"));
  ASSERT_EQ(1u, plan.waiting.size());
  EXPECT_EQ("needs 4 boards in one 2x2 rectangle; 0 free, 4 held by default/first until 13:00 UTC",
            plan.waiting[0].reasons[0].message);
  EXPECT_EQ(kNow + 1h, plan.waiting[0].expected_start);
}

TEST(Scheduler, NoBoardIsGivenTwiceInOnePlan) {
  // P16.
  ClusterBuilder cluster;
  cluster.Pool("local", 2);
  for (const char* name : {"a", "b", "c"}) cluster.Job(name);
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_THAT(Started(plan), ElementsAre("a", "b"));
  EXPECT_THAT(Names(plan.placements[0].boards), ElementsAre("local-0"));
  EXPECT_THAT(Names(plan.placements[1].boards), ElementsAre("local-1"));
}

TEST(Scheduler, PriorityGoesBeforeAgeAndAgeBeforeUid) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4);
  cluster.Job("young").meta.created = kNow - 1h;
  cluster.Job("old").meta.created = kNow - 2h;
  cluster.Job("old-too").meta.created = kNow - 2h;
  cluster.Job("urgent").spec.priority = 101;
  cluster.snapshot.jobs.back().meta.created = kNow;
  EXPECT_THAT(Started(Schedule(cluster.snapshot, kNow)),
              ElementsAre("urgent", "old", "old-too", "young"));
}

TEST(Scheduler, AJobThatCannotStartDoesNotStopThoseBehindIt) {
  ClusterBuilder cluster;
  cluster.Pool("local", 3);
  cluster.Job("large", "v3-32").spec.priority = 900;
  cluster.Job("small");
  EXPECT_THAT(Started(Schedule(cluster.snapshot, kNow)), ElementsAre("small"));
}

TEST(Scheduler, OnlyReadySchedulableFreeBoardsAreTaken) {
  ClusterBuilder cluster;
  cluster.Pool("local", 6);
  cluster.BoardNamed("local-0").state = BoardState::kBusy;
  cluster.BoardNamed("local-1").unschedulable = true;
  cluster.BoardNamed("local-2").state = BoardState::kStarting;
  cluster.BoardNamed("local-4").meta.deleted = kNow;
  cluster.Held("bert", "other", {"local-3"}, kNow - 1h, 2h);
  cluster.Job("a");
  cluster.Job("b");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.placements.size());
  EXPECT_THAT(Names(plan.placements[0].boards), ElementsAre("local-5"));
  EXPECT_EQ(
      "needs 1 board; 0 of 6 boards free; in the best place 0 free, 1 held by default/other "
      "until 13:00 UTC",
      plan.waiting[0].reasons[0].message);
}

TEST(Scheduler, AnEndedSessionHoldsNoBoard) {
  // Q1, Q21.
  ClusterBuilder cluster;
  cluster.Pool("local", 1).Held("bert", "other", {"local-0"}, kNow - 1h, 2h).ended = true;
  cluster.Job("a");
  EXPECT_THAT(Started(Schedule(cluster.snapshot, kNow)), ElementsAre("a"));
}

TEST(Scheduler, BoardsPastTheWantedSizeOfTheirPoolAreGoingAway) {
  ClusterBuilder cluster;
  cluster.Pool("local", 2);
  cluster.snapshot.pools[0].replicas = 1;
  cluster.Job("a");
  cluster.Job("b");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.placements.size());
  EXPECT_THAT(Names(plan.placements[0].boards), ElementsAre("local-0"));
}

TEST(Scheduler, BoardsOfNoPoolAreNotTaken) {
  ClusterBuilder cluster;
  cluster.Pool("local", 1).Job("a");
  cluster.snapshot.pools.clear();
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.waiting.size());
  EXPECT_EQ(kReasonNoPoolFits, plan.waiting[0].reasons[0].code);
}

TEST(Scheduler, AJobLargerThanEveryPoolCanNeverStartAndSaysSo) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Job("huge", "v3-64");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_EQ(
      "needs 8 boards in one 2x4 rectangle of TPU v3; no pool is large enough: local has 4 "
      "boards of v3",
      plan.waiting[0].reasons[0].message);
  EXPECT_EQ(std::nullopt, plan.waiting[0].expected_start);
}

TEST(Scheduler, ABoardOfAnotherVersionDoesNotDo) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Job("old", "v2-8");
  EXPECT_EQ(kReasonNoPoolFits, Schedule(cluster.snapshot, kNow).waiting[0].reasons[0].code);
}

TEST(Scheduler, AJobOfASmallerTypeMayUsePartOfALargerSlice) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4, "v3-32").Job("small");
  EXPECT_THAT(Started(Schedule(cluster.snapshot, kNow)), ElementsAre("small"));
}

TEST(Scheduler, ASliceIsAnAlignedRectangleNotJustAnyBoards) {
  ClusterBuilder cluster;
  cluster.Pool("local", 8).Job("gang", "v3-32");
  cluster.Held("bert", "a", {"local-0"}, kNow, 1h);
  cluster.Held("bert", "b", {"local-4"}, kNow, 2h);
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.waiting.size());
  EXPECT_EQ(
      "needs 4 boards in one 2x2 rectangle; 6 of 8 boards free; in the best place 3 free, 1 "
      "held by default/a until 13:00 UTC",
      plan.waiting[0].reasons[0].message);
}

TEST(Scheduler, SmallJobsLeaveLargeBlocksWhole) {
  ClusterBuilder cluster;
  cluster.Pool("local", 8).Held("bert", "other", {"local-5"}, kNow, 1h);
  cluster.Job("small");
  cluster.Job("gang", "v3-32");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_THAT(Started(plan), ElementsAre("small", "gang"));
  EXPECT_THAT(Names(plan.placements[0].boards), ElementsAre("local-4"));
}

TEST(Scheduler, TwoSlicesMayBeInTwoPools) {
  ClusterBuilder cluster;
  cluster.Pool("east", 4).Pool("west", 4);
  cluster.Job("both", "v3-32").spec.slice_count = 2;
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(1u, plan.placements.size());
  EXPECT_THAT(
      Names(plan.placements[0].boards),
      ElementsAre("east-0", "east-1", "east-2", "east-3", "west-0", "west-1", "west-2", "west-3"));
}

TEST(Scheduler, OneOfTwoSlicesIsNotTaken) {
  ClusterBuilder cluster;
  cluster.Pool("local", 8).Held("bert", "other", {"local-7"}, kNow, 1h);
  cluster.Job("both", "v3-32").spec.slice_count = 2;
  cluster.Job("one", "v3-32");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(Started(plan), ElementsAre("one"));
  EXPECT_THAT(plan.waiting[0].reasons[0].message,
              HasSubstr("needs 2 slices of 4 boards, each in one 2x2 rectangle; 3 free"));
}

TEST(Scheduler, QuotaReservedInThisPlanIsNotOfferedAgain) {
  // P1.
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Quota("alice").weekly = 90min;
  for (const char* name : {"a", "b", "c"}) cluster.Job(name);
  const Plan plan = Schedule(cluster.snapshot, kNow);
  ASSERT_THAT(Started(plan), ElementsAre("a", "b"));
  EXPECT_EQ(1h, plan.placements[0].grant.length);
  EXPECT_EQ(30min, plan.placements[1].grant.length);
  EXPECT_EQ(kReasonWeeklyQuota, plan.waiting[0].reasons[0].code);
}

TEST(Scheduler, OneUsersQuotaDoesNotStopAnother) {
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Quota("alice").weekly = 0min;
  cluster.Job("a").spec.priority = 1000;
  cluster.Job("b").spec.user = UserName("bert");
  EXPECT_THAT(Started(Schedule(cluster.snapshot, kNow)), ElementsAre("b"));
}

TEST(Scheduler, AllBlockersAreToldRankedWithTheTimeWhenAllMayBeGone) {
  ClusterBuilder cluster;
  cluster.Pool("local", 1).Held("bert", "other", {"local-0"}, kNow, 1h);
  cluster.Quota("alice").weekly = 0min;
  cluster.Job("a");
  const Waiting waiting = Schedule(cluster.snapshot, kNow).waiting.at(0);
  ASSERT_EQ(2u, waiting.reasons.size());
  EXPECT_EQ(kReasonWeeklyQuota, waiting.reasons[0].code);
  EXPECT_EQ(kReasonBoardsMissing, waiting.reasons[1].code);
  EXPECT_EQ(std::nullopt, waiting.expected_start);  // No week has anything.

  cluster.snapshot.quotas[0].spec.weekly = 2h;
  cluster.Held("alice", "mine", {"far-away-0", "far-away-1"}, kNow, 1h);
  EXPECT_EQ(ParseTime("2026-12-05T00:00:00Z").value(),
            Schedule(cluster.snapshot, kNow).waiting.at(0).expected_start);
}

TEST(Scheduler, WhatCanNeverBeIsToldFirst) {
  ClusterBuilder cluster;
  cluster.Pool("local", 1).Quota("alice").weekly = 0min;
  cluster.Job("huge", "v3-32");
  const Waiting waiting = Schedule(cluster.snapshot, kNow).waiting.at(0);
  ASSERT_EQ(2u, waiting.reasons.size());
  EXPECT_EQ(kReasonNoPoolFits, waiting.reasons[0].code);
  EXPECT_EQ(kReasonWeeklyQuota, waiting.reasons[1].code);
}

TEST(Scheduler, OnlyQueuedJobsThatAreWantedAndHoldNothingWait) {
  ClusterBuilder cluster;
  cluster.Pool("local", 8);
  cluster.Job("suspended").spec.suspend = true;
  cluster.Job("deleted").meta.deleted = kNow;
  cluster.Job("running").status.phase = JobPhase::kRunning;
  cluster.Job("done").status.phase = JobPhase::kSucceeded;
  cluster.Job("assigned").status.session = JobSession{};
  cluster.Job("holding");
  cluster.Held("alice", "holding", {"local-0"}, kNow, 1h);
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(plan.placements, IsEmpty());
  EXPECT_THAT(plan.waiting, IsEmpty());
}

TEST(Scheduler, AfterARestartNothingIsAdmittedTwice) {
  // P1, P8: what the first plan started is in the second snapshot as sessions.
  ClusterBuilder cluster;
  cluster.Pool("local", 4).Quota("alice").weekly = 2h;
  for (const char* name : {"a", "b", "c"}) cluster.Job(name);
  const Plan first = Schedule(cluster.snapshot, kNow);
  ASSERT_EQ(2u, first.placements.size());
  for (const Placement& placement : first.placements) {
    cluster.Held("alice", placement.name, Names(placement.boards), kNow, placement.grant.length);
  }
  const Plan second = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(second.placements, IsEmpty());
  ASSERT_EQ(1u, second.waiting.size());
  EXPECT_EQ("c", second.waiting[0].name);
}

TEST(Scheduler, AnOverdueSessionStillHoldsItsBoards) {
  ClusterBuilder cluster;
  cluster.Pool("local", 1).Held("bert", "other", {"local-0"}, kNow - 2h, 1h);
  cluster.Job("a");
  const Plan plan = Schedule(cluster.snapshot, kNow);
  EXPECT_THAT(plan.placements, IsEmpty());
  EXPECT_EQ(kNow, plan.waiting[0].expected_start);
}

TEST(FreeBlocks, TheSmallestFreeBlockWithRoomIsFound) {
  FreeBlocks blocks({true, true, true, true, false, true, true, true});
  EXPECT_EQ((SlicePlace{5, 1}), blocks.Find(1)->place);
  EXPECT_EQ((SlicePlace{6, 2}), blocks.Find(2)->place);
  EXPECT_EQ((SlicePlace{0, 4}), blocks.Find(4)->place);
  EXPECT_FALSE(blocks.Find(8));
  blocks.Take({0, 4});
  EXPECT_FALSE(blocks.Find(4));
  EXPECT_EQ(3, blocks.free());
  blocks.GiveBack({0, 4});
  EXPECT_EQ((SlicePlace{0, 4}), blocks.Find(4)->place);
}

}  // namespace
}  // namespace octet
