// What the control loop makes of losses: workers, the coordinator itself, messages, the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/quota/ledger.h"
#include "shared/base/limits.h"
#include "tests/scenario/coordinator/simulated_cluster.h"

namespace octet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(WorkerLoss, AKilledWorkerCostsAnInterruptionAndTheJobEnds) {
  SimulatedCluster cluster(4);
  cluster.total_steps = 50;
  cluster.Submit("digits", "v3-32");
  ASSERT_TRUE(cluster.Until([&] { return cluster.checkpoints[JobUid("job-digits-1")] >= 10; }));
  cluster.Kill("local-2");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  const TrainingJob job = cluster.Job("digits");
  EXPECT_EQ(1, job.status.interruptions);
  EXPECT_EQ(0, job.status.failures);
  EXPECT_EQ(2, job.status.attempts);
  ASSERT_EQ(2u, cluster.Sessions().size());
  EXPECT_EQ("BoardLost", cluster.Sessions()[0].end_reason);
  EXPECT_LT(cluster.Sessions()[0].fence, cluster.Sessions()[1].fence);
  EXPECT_EQ(ChargeOf(cluster.Sessions()[0]) + ChargeOf(cluster.Sessions()[1]), job.status.charged);
}

TEST(WorkerLoss, ASilentWorkerIsLostAfterTheTimeoutAndChargedToWhenItWasHeard) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 1000;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Step(seconds(3));
  const TimePoint silent_from = cluster.clock.Now();
  cluster.Worker("local-0").cut = true;
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kQueued, seconds(8)));
  EXPECT_EQ(BoardState::kLost, cluster.Board("local-0").state);
  const Session lost = cluster.Sessions()[0];
  EXPECT_EQ("BoardLost", lost.end_reason);
  EXPECT_LE(lost.end(), silent_from + seconds(1));
  EXPECT_GE(lost.end(), silent_from - limits::kHeartbeatInterval);

  // It comes back with its old assignment, and is stopped before anything else starts there.
  cluster.Worker("local-0").cut = false;
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions().size() == 2; }));
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  EXPECT_EQ(lost.fence.Next().value(), cluster.Worker("local-0").training->fence());
  EXPECT_EQ(lost.elapsed, cluster.Sessions()[0].elapsed);
}

TEST(WorkerLoss, ABoardWhoseWorkerStillRunsTheOldSessionIsNotGivenOut) {
  SimulatedCluster cluster(1);
  cluster.Submit("digits", "v3-8",
                 R"("session": {"duration": "10s", "minDuration": "5s", "gracePeriod": "1s"})");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Worker("local-0").hung = true;
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions()[0].ended; }, seconds(15)));
  EXPECT_EQ("GrantReached", cluster.Sessions()[0].end_reason);
  EXPECT_EQ(seconds(10), cluster.Sessions()[0].elapsed);
  cluster.Step(seconds(10));
  EXPECT_EQ(1u, cluster.Sessions().size());
  EXPECT_EQ(BoardState::kBusy, cluster.Board("local-0").state);
  ASSERT_TRUE(cluster.Worker("local-0").stop.has_value());
  EXPECT_EQ(Duration(0), cluster.Worker("local-0").stop->grace);
  cluster.Worker("local-0").hung = false;
  EXPECT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
}

TEST(WorkerLoss, ASuspendedJobLeavesAHungWorkerAfterItsGrace) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 1000;
  cluster.Submit("digits", "v3-8", R"("session": {"gracePeriod": "3s"})");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Worker("local-0").hung = true;
  cluster.SetSpec("digits", "suspend", true);
  cluster.Step(seconds(3));
  EXPECT_EQ(JobPhase::kRunning, cluster.Job("digits").status.phase);
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSuspended, seconds(8)));
  EXPECT_EQ("Stopped", cluster.Sessions()[0].end_reason);
}

TEST(WorkerLoss, AGangThatDoesNotAssembleIsTakenBack) {
  SimulatedCluster cluster(4);
  cluster.total_steps = 1000;
  // This one hears nothing that is sent, but is heard: only its answer is missing.
  for (int i = 0; i < 4; ++i) cluster.Worker("local-" + std::to_string(i)).hung = true;
  cluster.Submit("digits", "v3-32");
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions().size() == 1; }));
  cluster.Worker("local-3").cut = true;
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions()[0].ended; }, minutes(1)));
  EXPECT_EQ(1, cluster.Job("digits").status.interruptions);
}

TEST(CoordinatorRestart, TheSessionGoesOnWithItsWorkers) {
  SimulatedCluster cluster(4);
  cluster.total_steps = 200;
  cluster.Submit("digits", "v3-32");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Step(seconds(3));
  cluster.CrashCoordinator();
  cluster.Step(seconds(4));
  cluster.StartCoordinator();
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  ASSERT_EQ(1u, cluster.Sessions().size());
  const Session session = cluster.Sessions()[0];
  EXPECT_EQ("Completed", session.end_reason);
  EXPECT_EQ(1, cluster.Job("digits").status.attempts);
  // The time without a coordinator was used all the same.
  // A worker takes its assignment a moment after its session has begun.
  EXPECT_GE(session.elapsed, seconds(19));
  EXPECT_LE(session.elapsed, seconds(22));
}

TEST(CoordinatorRestart, AnEndThatNobodyHeardIsHeardAfterwards) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 30;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.CrashCoordinator();
  cluster.Step(seconds(5));
  EXPECT_FALSE(cluster.Worker("local-0").training.has_value());
  cluster.StartCoordinator();
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded, seconds(5)));
  EXPECT_EQ(1u, cluster.Sessions().size());
  EXPECT_EQ("beef", cluster.Job("digits").status.weights_sha256);
}

TEST(CoordinatorRestart, WithoutItsWorkersASessionEndsAtItsLastSignOfLife) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 500;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Step(seconds(15));
  const Duration known = cluster.Sessions()[0].elapsed;
  EXPECT_GE(known, limits::kSignOfLifeInterval);
  cluster.CrashCoordinator();
  cluster.Kill("local-0");
  cluster.Step(minutes(1));
  cluster.StartCoordinator();
  cluster.Step(limits::kReconnectWindow - seconds(1));
  EXPECT_FALSE(cluster.Sessions()[0].ended);
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions()[0].ended; }, seconds(3)));
  EXPECT_EQ("CoordinatorRestarted", cluster.Sessions()[0].end_reason);
  EXPECT_EQ(known, cluster.Sessions()[0].elapsed);
  EXPECT_EQ(1, cluster.Job("digits").status.interruptions);
  EXPECT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
}

TEST(CoordinatorRestart, AWorkerWithASessionThatNobodyKnowsIsStopped) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 1000;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.Worker("local-0").cut = true;
  ASSERT_TRUE(cluster.Until([&] { return cluster.Sessions()[0].ended; }));
  cluster.SetSpec("digits", "suspend", true);
  cluster.CrashCoordinator();
  cluster.Worker("local-0").cut = false;
  cluster.StartCoordinator();
  ASSERT_TRUE(cluster.Until([&] { return cluster.BoardsIn(BoardState::kReady) == 1; }));
  EXPECT_FALSE(cluster.Worker("local-0").training.has_value());
  EXPECT_EQ(1u, cluster.Sessions().size());
}

TEST(CoordinatorRestart, ChargesDoNotDependOnAWallClockThatIsSet) {
  SimulatedCluster cluster(1);
  cluster.total_steps = 100;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.clock.SetWall(cluster.clock.Now() + std::chrono::hours(2));
  cluster.Step(seconds(2));
  cluster.clock.SetWall(cluster.clock.Now() - std::chrono::hours(3));
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded));
  EXPECT_GE(cluster.Sessions()[0].elapsed, seconds(10));
  EXPECT_LE(cluster.Sessions()[0].elapsed, seconds(12));
}

TEST(Disk, AnEndIsAcknowledgedWhenItIsDurableAndNotBefore) {
  SimulatedCluster cluster(1);
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.store->broken = true;
  ASSERT_TRUE(cluster.Until([&] { return !cluster.Worker("local-0").training.has_value(); }));
  cluster.Step(seconds(2));
  EXPECT_EQ(0, cluster.end_acks[BoardId("local-0")]);
  EXPECT_FALSE(cluster.Sessions()[0].ended);
  cluster.store->broken = false;
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kSucceeded, seconds(3)));
  cluster.Step();
  EXPECT_GE(cluster.end_acks[BoardId("local-0")], 1);
}

TEST(Stop, TheWorkersWriteTheirCheckpointsAndTheirJobsGoBackToTheQueue) {
  SimulatedCluster cluster(2);
  cluster.total_steps = 1000;
  cluster.Submit("digits");
  ASSERT_TRUE(cluster.UntilPhase("digits", JobPhase::kRunning));
  cluster.loop->Stop();
  cluster.loop->Run();  // Drains: the provider's processes end at once.
  EXPECT_TRUE(cluster.provider.Running().empty());
  EXPECT_EQ(JobPhase::kQueued, cluster.Job("digits").status.phase);
  EXPECT_TRUE(cluster.Sessions()[0].ended);
}

}  // namespace
}  // namespace octet
