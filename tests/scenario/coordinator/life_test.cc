// The life of jobs through the whole control loop: start, progress, end, quota, suspension,
// deletion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/controllers/quotas.h"
#include "coordinator/quota/ledger.h"
#include "tests/scenario/coordinator/simulated_cluster.h"

namespace octet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kShortSessions[] =
    R"("session": {"duration": "10s", "minDuration": "5s", "gracePeriod": "1s"})";

TEST(JobLife, AJobRunsAndIsChargedForItsSession) {
  SimulatedCluster cluster(1);
  cluster.SubmitQuota("alice", "30h");
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  EXPECT_EQ(BoardState::kBusy, cluster.Board("local-0").state);
  EXPECT_EQ("default/digits", cluster.Board("local-0").job);
  EXPECT_THAT(cluster.JobObject("digits").meta.finalizers, ElementsAre(kBoardsHeldFinalizer));
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  const TrainingJob job = cluster.Job("digits");
  EXPECT_EQ("beef", job.status.weights_sha256);
  EXPECT_EQ(20, job.status.progress.step);
  EXPECT_EQ(20, job.status.checkpoint_step);
  EXPECT_TRUE(job.meta.finalizers.empty());
  ASSERT_EQ(1u, cluster.Sessions().size());
  const Session session = cluster.Sessions()[0];
  EXPECT_TRUE(session.ended);
  EXPECT_EQ("Completed", session.end_reason);
  EXPECT_GE(session.elapsed, seconds(2));  // 20 steps of 100 ms.
  EXPECT_LE(session.elapsed, seconds(3));
  EXPECT_EQ(ChargeOf(session), job.status.charged);
  EXPECT_THAT(cluster.Log(job.meta.uid), HasSubstr("step 20\n"));
  cluster.Step(seconds(5));
  EXPECT_EQ(BoardState::kReady, cluster.Board("local-0").state);
  const UserQuota quota =
      DecodeUserQuota(cluster.store->Get({.kind = Kind::kUserQuota, .name = "alice"}).value())
          .value();
  EXPECT_EQ(job.status.charged, quota.status.used);
  EXPECT_EQ(BoardMillis(0), quota.status.reserved);
}

TEST(JobLife, AGangGetsAllOfItsBoardsOrNone) {
  SimulatedCluster cluster(4);
  cluster.total_steps = 100;
  cluster.Submit("small");
  ASSERT_TRUE(cluster.UntilPhase("small", JobPhase::kRunning));
  cluster.Submit("large", "v3-32");
  cluster.Step(seconds(2));
  EXPECT_EQ(JobPhase::kQueued, cluster.Job("large").status.phase);
  EXPECT_EQ(3u, cluster.BoardsIn(BoardState::kReady));
  const Condition* admitted = FindCondition(cluster.Job("large").status.conditions, "Admitted");
  ASSERT_NE(nullptr, admitted);
  EXPECT_FALSE(admitted->status);
  EXPECT_THAT(admitted->message, HasSubstr("default/small"));
  ASSERT_TRUE(cluster.UntilPhase("large", JobPhase::kRunning));
  EXPECT_EQ(4u, cluster.BoardsIn(BoardState::kBusy));
  ASSERT_TRUE(cluster.UntilPhase("large", JobPhase::kSucceeded));
  EXPECT_EQ(ChargeOf(cluster.Sessions()[1]).count(), cluster.Sessions()[1].elapsed.count() * 4);
}

TEST(JobLife, RanksAndPeersFollowTheSessionsBoards) {
  SimulatedCluster cluster(4);
  cluster.Submit("large", "v3-32");
  ASSERT_TRUE(cluster.UntilPhase("large", JobPhase::kRunning));
  const Session session = cluster.Sessions()[0];
  for (size_t rank = 0; rank < session.boards.size(); ++rank) {
    const control::Assign assign = *cluster.Worker(session.boards[rank].str()).training;
    EXPECT_EQ(rank, assign.rank());
    ASSERT_EQ(4, assign.peers_size());
    for (size_t peer = 0; peer < 4; ++peer) {
      const auto& sent = assign.peers(static_cast<int>(peer));
      EXPECT_EQ(session.boards[peer].str(), sent.board());
      EXPECT_EQ(cluster.Board(sent.board()).data_endpoint, sent.data_endpoint());
    }
    EXPECT_EQ(session.fence.value(), assign.fence());
    EXPECT_EQ("/home/checkpoints/" + session.job_uid.str(), assign.checkpoint_folder());
    EXPECT_LE(assign.grant_millis(), session.grant.count());
  }
}

TEST(JobLife, ARefusalByTheQuotaIsSaidInTheConditions) {
  SimulatedCluster cluster(1);
  cluster.SubmitQuota("alice", "1m");
  cluster.Submit("digits");
  cluster.Step(seconds(2));
  const TrainingJob job = cluster.Job("digits");
  EXPECT_EQ(JobPhase::kQueued, job.status.phase);
  const Condition* reserved = FindCondition(job.status.conditions, "QuotaReserved");
  ASSERT_NE(nullptr, reserved);
  EXPECT_FALSE(reserved->status);
  EXPECT_EQ(kReasonWeeklyQuota, reserved->reason);
  EXPECT_THAT(reserved->message, HasSubstr("1m"));
  EXPECT_TRUE(cluster.Sessions().empty());
}

TEST(JobLife, TheWeekIsNeverOverdrawn) {
  SimulatedCluster cluster(2);
  cluster.SubmitQuota("alice", "30s");
  cluster.total_steps = 1'000'000;
  for (const char* name : {"a", "b", "c"}) cluster.Submit(name, "v3-8", kShortSessions);
  cluster.Step(minutes(3));
  BoardMillis used;
  for (const Session& session : cluster.Sessions()) {
    EXPECT_TRUE(session.ended);
    used += ChargeOf(session);
  }
  EXPECT_LE(used, BoardMillis(30'000));
  EXPECT_GT(used, BoardMillis(20'000));
}

TEST(JobLife, ASessionThatReachesItsGrantIsFollowedByAnother) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 150;
  cluster.Submit("digits", "v3-8", kShortSessions);
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  ASSERT_EQ(2u, cluster.Sessions().size());
  EXPECT_EQ("GrantReached", cluster.Sessions()[0].end_reason);
  EXPECT_LE(cluster.Sessions()[0].elapsed, seconds(10));
  EXPECT_EQ(0, cluster.Job("digits").status.interruptions);
  EXPECT_EQ(2, cluster.Job("digits").status.attempts);
  BoardMillis charged;
  for (const Session& session : cluster.Sessions()) charged += ChargeOf(session);
  EXPECT_EQ(charged, cluster.Job("digits").status.charged);
}

TEST(JobLife, OnLimitSuspendWaitsForItsUser) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 1000;
  cluster.Submit("digits", "v3-8", R"("session": {"duration": "10s", "minDuration": "5s",
    "gracePeriod": "1s", "onLimit": "Suspend"})");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSuspended));
  cluster.Step(seconds(5));
  EXPECT_EQ(1u, cluster.Sessions().size());
  EXPECT_TRUE(cluster.Job("digits").spec.suspend);
  cluster.SetSpec("digits", "suspend", false);
  EXPECT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
}

TEST(JobLife, ASuspendedJobKeepsItsCheckpointAndGoesOnWhenResumed) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 100;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.Until([&] { return cluster.checkpoints[JobUid("job-digits-1")] >= 10; }));
  cluster.SetSpec("digits", "suspend", true);
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSuspended, seconds(5)));
  const TrainingJob suspended = cluster.Job("digits");
  EXPECT_GT(suspended.status.checkpoint_step, 10);
  EXPECT_EQ("Stopped", cluster.Sessions()[0].end_reason);
  EXPECT_TRUE(suspended.meta.finalizers.empty());
  ASSERT_TRUE(cluster.Until([&] { return cluster.BoardsIn(BoardState::kReady) == 1; }));
  cluster.SetSpec("digits", "suspend", false);
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  EXPECT_EQ(0, cluster.Job("digits").status.failures);
  EXPECT_EQ(0, cluster.Job("digits").status.interruptions);
}

TEST(JobLife, ADeletedJobIsStoppedAndDisappearsAndItsBoardComesBack) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 1000;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Delete("digits");
  EXPECT_TRUE(cluster.JobExists("digits"));
  ASSERT_TRUE(cluster.Until([&] { return !cluster.JobExists("digits"); }, seconds(3)));
  ASSERT_EQ(1u, cluster.Sessions().size());
  EXPECT_EQ("Stopped", cluster.Sessions()[0].end_reason);
  ASSERT_TRUE(cluster.Until([&] { return cluster.BoardsIn(BoardState::kReady) == 1; }, seconds(3)));
  EXPECT_EQ("", cluster.Log("job-digits-1"));
  cluster.total_steps = 5;
  cluster.Submit("digits");  // A new job of the same name.
  EXPECT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
}

TEST(JobLife, AJobThatFailsIsTriedAgainUpToItsLimit) {
  SimulatedCluster cluster(1);
  cluster.jobs_fail = true;
  cluster.Submit("digits", "v3-8", R"("retries": {"backoffLimit": 2})");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kFailed));
  EXPECT_EQ(3, cluster.Job("digits").status.failures);
  EXPECT_EQ(3u, cluster.Sessions().size());
  EXPECT_THAT(cluster.Job("digits").status.message, HasSubstr("a label is out of range"));
}

TEST(JobLife, RepeatedMessagesChangeNothing) {
  SimulatedCluster once(4);
  SimulatedCluster thrice(4);
  thrice.repeat_messages = true;
  for (SimulatedCluster* cluster : {&once, &thrice}) {
    cluster->Submit("digits", "v3-32");
    ASSERT_TRUE(cluster->UntilPhase("digits", JobPhase::kSucceeded));
    cluster->Step(seconds(5));
  }
  EXPECT_EQ(once.Job("digits").status.charged, thrice.Job("digits").status.charged);
  EXPECT_EQ(1u, thrice.Sessions().size());
  EXPECT_EQ(1, thrice.Job("digits").status.attempts);
}

TEST(JobLife, TheRecountFindsNoDifference) {
  SimulatedCluster cluster(2);
  cluster.total_steps = 130;
  for (const char* name : {"a", "b", "c"}) cluster.Submit(name, "v3-8", kShortSessions);
  cluster.Step(seconds(12));
  EXPECT_EQ(BoardMillis(0), RecountDifference(cluster.loop->context().world, cluster.clock.Now()));
  cluster.Step(minutes(1));
  EXPECT_EQ(BoardMillis(0), RecountDifference(cluster.loop->context().world, cluster.clock.Now()));
  EXPECT_THAT(cluster.metrics->Text(),
              HasSubstr("octet_sessions_ended_total{reason=\"Completed\"} 3"));
}

TEST(JobLife, APoolThatIsScaledDownLosesItsLastBoards) {
  SimulatedCluster cluster(3);
  cluster.Scale(1);
  ASSERT_TRUE(cluster.Until(
      [&] { return cluster.store->List(Kind::kBoard, "").value().objects.size() == 1; }));
  EXPECT_EQ(BoardState::kReady, cluster.Board("local-0").state);
  cluster.Scale(2);
  EXPECT_TRUE(cluster.Until([&] { return cluster.BoardsIn(BoardState::kReady) == 2; }));
}

TEST(JobLife, APlanThatLosesTheRaceIsDecidedAgain) {
  SimulatedCluster cluster(1);
  cluster.Submit("digits");
  cluster.store->raced_job = "digits";
  EXPECT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  EXPECT_EQ(1u, cluster.Sessions().size());
  EXPECT_EQ("yes", cluster.JobObject("digits").meta.labels.at("raced"));
}

TEST(JobLife, AnIdleClusterWritesNothing) {
  SimulatedCluster cluster(2);
  cluster.SubmitQuota("alice", "30h");
  cluster.Step(seconds(3));
  const int commits = cluster.store->commits;
  cluster.Step(minutes(1));
  EXPECT_EQ(commits, cluster.store->commits);
}

TEST(JobLife, PrometheusFindsEveryWorker) {
  SimulatedCluster cluster(2);
  cluster.Step();
  const std::string text = cluster.files.Read("/home/prometheus/workers.json").value();
  EXPECT_THAT(text, HasSubstr("127.0.0.1:50001"));
  EXPECT_THAT(text, HasSubstr("\"board\": \"local-1\""));
}

}  // namespace
}  // namespace octet
