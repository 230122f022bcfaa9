#include "coordinator/jobs/lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/jobs/job_builder.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Condition& ConditionOf(const TrainingJob& job, const std::string& type) {
  const Condition* condition = FindCondition(job.status.conditions, type);
  CHECK(condition != nullptr) << "no condition " << type;
  return *condition;
}

Reason Because(ReasonScope scope, const std::string& code, const std::string& message) {
  return {.scope = scope, .code = code, .message = message};
}

TEST(Lifecycle, AnAdmittedJobHasItsSessionTheNextFenceAndOneAttemptMore) {
  TrainingJob job = MakeJob();
  job.status.fence = Fence(7);
  job.status.attempts = 2;
  const Transition admitted = AdmitJob(job, MakeJobSession(), kStart);
  EXPECT_TRUE(admitted.changed);
  EXPECT_EQ(JobPhase::kStarting, admitted.status.phase);
  EXPECT_EQ(Fence(8), admitted.status.fence);
  EXPECT_EQ(NextFence(job), admitted.status.fence);
  EXPECT_EQ(3, admitted.status.attempts);
  EXPECT_EQ(SessionUid("session-1"), admitted.status.session->uid);
  EXPECT_TRUE(IsTrue(admitted.status.conditions, "QuotaReserved"));
  EXPECT_TRUE(IsTrue(admitted.status.conditions, "Admitted"));
  EXPECT_FALSE(IsTrue(admitted.status.conditions, "BoardsReady"));
  EXPECT_EQ(kStart, admitted.status.started);
}

TEST(Lifecycle, AJobThatHoldsBoardsIsNotAdmittedAgain) {
  const TrainingJob job = Admitted(MakeJob());
  EXPECT_FALSE(AdmitJob(job, MakeJobSession(), kStart + 1h).changed);
}

// Also if its conditions were lost: the boards are held all the same.
TEST(Lifecycle, ASessionAloneSaysThatBoardsAreHeld) {
  TrainingJob job = MakeJob();
  job.status.session = MakeJobSession();
  EXPECT_FALSE(AdmitJob(job, MakeJobSession(), kStart).changed);
}

TEST(Lifecycle, AJobStartedWhenItFirstGotBoards) {
  const TrainingJob job = EndedWith(Running(MakeJob()), SessionEndCause::kBoardLost);
  EXPECT_EQ(kStart, AdmitJob(job, MakeJobSession(), kStart + 1h).status.started);
}

TEST(Lifecycle, ASuspendedOrDeletedJobIsNotAdmitted) {
  TrainingJob suspended = MakeJob();
  suspended.spec.suspend = true;
  EXPECT_FALSE(AdmitJob(suspended, MakeJobSession(), kStart).changed);
  TrainingJob deleted = MakeJob();
  deleted.meta.deleted = kStart;
  EXPECT_FALSE(AdmitJob(deleted, MakeJobSession(), kStart).changed);
}

TEST(Lifecycle, StartingBecomesRunningWithTheFirstStep) {
  TrainingJob job = Admitted(MakeJob());
  job = With(job, MarkBoardsReady(job, job.status.fence, kStart));
  EXPECT_EQ(JobPhase::kStarting, job.status.phase);
  EXPECT_TRUE(IsTrue(job.status.conditions, "BoardsReady"));
  job = With(job, MarkRunning(job, job.status.fence, kStart));
  EXPECT_EQ(JobPhase::kRunning, job.status.phase);
}

TEST(Lifecycle, ABoardThatComputesHasAcceptedEvenIfItsAnswerWasLost) {
  TrainingJob job = Admitted(MakeJob());
  job = With(job, MarkRunning(job, job.status.fence, kStart));
  EXPECT_TRUE(IsTrue(job.status.conditions, "BoardsReady"));
}

TEST(Lifecycle, BeingReadyOrRunningTwiceIsNoChange) {
  TrainingJob job = Admitted(MakeJob());
  job = With(job, MarkBoardsReady(job, job.status.fence, kStart));
  EXPECT_FALSE(MarkBoardsReady(job, job.status.fence, kStart + 1s).changed);
  job = With(job, MarkRunning(job, job.status.fence, kStart));
  EXPECT_FALSE(MarkRunning(job, job.status.fence, kStart + 1s).changed);
}

TEST(Lifecycle, CompletedIsSucceededWithTheHashAndOneTerminalCondition) {
  // P32.
  const TrainingJob job = Running(MakeJob());
  SessionEnd end = MakeEnd(job.status.fence, SessionEndCause::kCompleted);
  end.weights_sha256 = "abc";
  const TrainingJob done = With(job, EndJobSession(job, end, kStart + 1h));
  EXPECT_EQ(JobPhase::kSucceeded, done.status.phase);
  EXPECT_EQ("abc", done.status.weights_sha256);
  EXPECT_EQ(kStart + 1h, done.status.finished);
  EXPECT_EQ(BoardMillis(1000), done.status.charged);
  EXPECT_FALSE(done.status.session);
  EXPECT_TRUE(IsTrue(done.status.conditions, "Complete"));
  for (const char* type : {"Failed", "Running", "Admitted", "QuotaReserved", "BoardsReady"}) {
    EXPECT_FALSE(IsTrue(done.status.conditions, type)) << type;
  }
}

TEST(Lifecycle, AFailureIsTriedAgainUntilTheBackoffLimit) {
  // P23.
  TrainingJob job = MakeJob();
  job.spec.backoff_limit = 2;
  for (int failure = 1; failure <= 2; ++failure) {
    job = EndedWith(Running(job), SessionEndCause::kFailed);
    EXPECT_EQ(JobPhase::kQueued, job.status.phase);
    EXPECT_EQ(failure, job.status.failures);
  }
  job = EndedWith(Running(job), SessionEndCause::kFailed);
  EXPECT_EQ(JobPhase::kFailed, job.status.phase);
  EXPECT_EQ("BackoffLimitExceeded", ConditionOf(job, "Failed").reason);
  EXPECT_EQ(3, job.status.attempts);
}

TEST(Lifecycle, WithoutRetriesTheFirstFailureIsTheEnd) {
  TrainingJob job = MakeJob();
  job.spec.backoff_limit = 0;
  const TrainingJob running = Running(job);
  SessionEnd end = MakeEnd(running.status.fence, SessionEndCause::kFailed);
  end.message = "data/iris.csv:7: not a number";
  const TrainingJob failed = With(running, EndJobSession(running, end, kStart));
  EXPECT_EQ(JobPhase::kFailed, failed.status.phase);
  EXPECT_THAT(failed.status.message, HasSubstr("data/iris.csv:7: not a number"));
}

TEST(Lifecycle, InterruptionsAreNoFailuresHoweverMany) {
  TrainingJob job = MakeJob();
  job.spec.backoff_limit = 0;
  int count = 0;
  for (const SessionEndCause cause :
       {SessionEndCause::kBoardLost, SessionEndCause::kInterrupted,
        SessionEndCause::kCoordinatorRestarted, SessionEndCause::kBoardLost}) {
    job = EndedWith(Running(job), cause);
    EXPECT_EQ(JobPhase::kQueued, job.status.phase);
    EXPECT_EQ(++count, job.status.interruptions);
    EXPECT_EQ(0, job.status.failures);
    EXPECT_EQ(SessionEndCauseName(cause), ConditionOf(job, "Admitted").reason);
  }
}

TEST(Lifecycle, AnInterruptionGivesBackQuotaAndBoardsInTheSameTransition) {
  // P2.
  const TrainingJob job = EndedWith(Running(MakeJob()), SessionEndCause::kBoardLost);
  for (const char* type : {"QuotaReserved", "Admitted", "BoardsReady", "Running"}) {
    EXPECT_FALSE(IsTrue(job.status.conditions, type)) << type;
  }
  EXPECT_FALSE(job.status.session);
}

TEST(Lifecycle, AGrantThatIsReachedDoesWhatOnLimitSays) {
  TrainingJob job = MakeJob();
  job.spec.on_limit = OnLimit::kRequeue;
  EXPECT_EQ(JobPhase::kQueued,
            EndedWith(Running(job), SessionEndCause::kGrantReached).status.phase);
  job.spec.on_limit = OnLimit::kFail;
  const TrainingJob failed = EndedWith(Running(job), SessionEndCause::kGrantReached);
  EXPECT_EQ(JobPhase::kFailed, failed.status.phase);
  EXPECT_EQ("GrantReached", ConditionOf(failed, "Failed").reason);
  job.spec.on_limit = OnLimit::kSuspend;
  const TrainingJob suspended = EndedWith(Running(job), SessionEndCause::kGrantReached);
  EXPECT_EQ(JobPhase::kSuspended, suspended.status.phase);
  EXPECT_TRUE(suspended.spec.suspend);
  for (const TrainingJob& ended : {failed, suspended}) {
    EXPECT_EQ(0, ended.status.failures);
    EXPECT_EQ(0, ended.status.interruptions);
  }
}

TEST(Lifecycle, AJobThatSuspendedItselfGoesOnWhenItsUserSaysSo) {
  TrainingJob job = MakeJob();
  job.spec.on_limit = OnLimit::kSuspend;
  job = EndedWith(Running(job), SessionEndCause::kGrantReached);
  job = With(job, FollowSpec(job, kStart));
  EXPECT_EQ(JobPhase::kSuspended, job.status.phase);
  EXPECT_FALSE(FollowSpec(job, kStart).changed);
  job.spec.suspend = false;
  ++job.meta.generation;
  job = With(job, FollowSpec(job, kStart));
  EXPECT_EQ(JobPhase::kQueued, job.status.phase);
}

TEST(Lifecycle, SuspendingIsNoFailureHoweverOften) {
  // P24.
  TrainingJob job = MakeJob();
  job.spec.backoff_limit = 0;
  for (int cycle = 0; cycle < 5; ++cycle) {
    job = Running(job);
    job.spec.suspend = true;
    ++job.meta.generation;
    ASSERT_TRUE(StopFor(job));
    EXPECT_EQ(30s, StopFor(job)->grace);
    job = EndedWith(job, SessionEndCause::kStopped);
    EXPECT_EQ(JobPhase::kSuspended, job.status.phase);
    EXPECT_FALSE(StopFor(job));
    job.spec.suspend = false;
    ++job.meta.generation;
    job = With(job, FollowSpec(job, kStart));
    EXPECT_EQ(JobPhase::kQueued, job.status.phase);
  }
  EXPECT_EQ(0, job.status.failures);
  EXPECT_EQ(0, job.status.interruptions);
  EXPECT_EQ(5, job.status.attempts);
}

TEST(Lifecycle, AJobThatIsToBeSuspendedIsHoweverItsSessionEnds) {
  TrainingJob job = MakeJob();
  job = Running(job);
  job.spec.suspend = true;
  for (const SessionEndCause cause :
       {SessionEndCause::kStopped, SessionEndCause::kFailed, SessionEndCause::kBoardLost,
        SessionEndCause::kGrantReached}) {
    const TrainingJob ended = EndedWith(job, cause);
    EXPECT_EQ(JobPhase::kSuspended, ended.status.phase) << SessionEndCauseName(cause);
    EXPECT_EQ("SuspendedByUser", ConditionOf(ended, "Suspended").reason);
  }
}

TEST(Lifecycle, AJobThatItsUserSuspendedNeedNotSuspendItself) {
  TrainingJob job = MakeJob();
  job.spec.on_limit = OnLimit::kSuspend;
  job = Running(job);
  const SessionEnd end = MakeEnd(job.status.fence, SessionEndCause::kGrantReached);
  EXPECT_TRUE(EndJobSession(job, end, kStart).suspend_spec);
  job.spec.suspend = true;
  const Transition ended = EndJobSession(job, end, kStart);
  EXPECT_EQ(JobPhase::kSuspended, ended.status.phase);
  EXPECT_FALSE(ended.suspend_spec);
}

TEST(Lifecycle, AQueuedJobIsSuspendedAndDeletedWithoutASession) {
  TrainingJob job = MakeJob();
  job.spec.suspend = true;
  job = With(job, FollowSpec(job, kStart));
  EXPECT_EQ(JobPhase::kSuspended, job.status.phase);
  job.meta.deleted = kStart;
  job = With(job, FollowSpec(job, kStart));
  EXPECT_EQ(JobPhase::kCancelled, job.status.phase);
  EXPECT_FALSE(IsTrue(job.status.conditions, "Suspended"));
  EXPECT_TRUE(IsTrue(job.status.conditions, "Failed"));
}

TEST(Lifecycle, ARunningJobThatIsDeletedIsStoppedAtOnceAndCancelled) {
  TrainingJob job = Running(MakeJob());
  EXPECT_FALSE(StopFor(job));
  job.meta.deleted = kStart;
  EXPECT_FALSE(FollowSpec(job, kStart).changed);
  ASSERT_TRUE(StopFor(job));
  EXPECT_EQ(0ms, StopFor(job)->grace);
  // However its session ends, unless it was done.
  for (const SessionEndCause cause :
       {SessionEndCause::kStopped, SessionEndCause::kFailed, SessionEndCause::kBoardLost,
        SessionEndCause::kGrantReached}) {
    EXPECT_EQ(JobPhase::kCancelled, EndedWith(job, cause).status.phase);
  }
  EXPECT_EQ(JobPhase::kSucceeded, EndedWith(job, SessionEndCause::kCompleted).status.phase);
}

TEST(Lifecycle, EventsWithAnotherFenceChangeNothing) {
  const TrainingJob first = Running(MakeJob());
  const Fence old = first.status.fence;
  const TrainingJob job = Running(EndedWith(first, SessionEndCause::kBoardLost));
  for (const Fence fence : {old, job.status.fence.Next()}) {
    EXPECT_FALSE(MarkBoardsReady(job, fence, kStart).changed);
    EXPECT_FALSE(MarkRunning(job, fence, kStart).changed);
    EXPECT_FALSE(TakeReport(job, fence, {}).changed);
    EXPECT_FALSE(EndJobSession(job, MakeEnd(fence, SessionEndCause::kCompleted), kStart).changed);
  }
}

TEST(Lifecycle, ARepeatedEndNeverChangesTheCharge) {
  // Q10.
  TrainingJob job = Running(MakeJob());
  SessionEnd end = MakeEnd(job.status.fence, SessionEndCause::kInterrupted);
  job = With(job, EndJobSession(job, end, kStart));
  end.charged = BoardMillis(5000);
  for (int again = 0; again < 5; ++again) {
    const Transition repeated = EndJobSession(job, end, kStart + 1h);
    EXPECT_FALSE(repeated.changed);
    EXPECT_EQ(BoardMillis(1000), repeated.status.charged);
    EXPECT_EQ(1, repeated.status.interruptions);
  }
}

TEST(Lifecycle, TerminalStatesAbsorb) {
  // Q2, P20.
  TrainingJob job = EndedWith(Running(MakeJob()), SessionEndCause::kCompleted);
  const Fence fence = job.status.fence;
  job.spec.suspend = true;
  job.meta.deleted = kStart;
  ++job.meta.generation;
  EXPECT_FALSE(AdmitJob(job, MakeJobSession(), kStart).changed);
  EXPECT_FALSE(MarkRunning(job, fence, kStart).changed);
  EXPECT_FALSE(TakeReport(job, fence, {}).changed);
  EXPECT_FALSE(EndJobSession(job, MakeEnd(fence, SessionEndCause::kFailed), kStart).changed);
  EXPECT_FALSE(KeepWaiting(job, {Because(ReasonScope::kBoards, "X", "x")}, {}, kStart).changed);
  EXPECT_FALSE(FollowSpec(job, kStart).changed);
  EXPECT_FALSE(StopFor(job));
}

TEST(Lifecycle, AWaitingJobTellsAllReasonsInItsConditions) {
  const TrainingJob job = MakeJob();
  const TrainingJob waiting =
      With(job, KeepWaiting(job,
                            {Because(ReasonScope::kQuota, "WeeklyQuotaUsed", "quota leaves 48m"),
                             Because(ReasonScope::kBoards, "BoardsMissing", "3 free")},
                            kStart + 1h, kStart));
  EXPECT_EQ(JobPhase::kQueued, waiting.status.phase);
  EXPECT_FALSE(ConditionOf(waiting, "QuotaReserved").status);
  EXPECT_EQ("WeeklyQuotaUsed", ConditionOf(waiting, "QuotaReserved").reason);
  EXPECT_EQ("quota leaves 48m", ConditionOf(waiting, "QuotaReserved").message);
  EXPECT_EQ("WeeklyQuotaUsed", ConditionOf(waiting, "Admitted").reason);
  EXPECT_EQ("quota leaves 48m; 3 free; expected start 2026-12-01T13:00:00Z",
            ConditionOf(waiting, "Admitted").message);
  EXPECT_EQ(waiting.status.message, ConditionOf(waiting, "Admitted").message);
}

// Who looks at that second finds it started.
TEST(Lifecycle, AnExpectedStartIsRoundedUp) {
  const TrainingJob job = MakeJob();
  const Transition waiting =
      KeepWaiting(job, {Because(ReasonScope::kBoards, "BoardsMissing", "x")}, kStart + 1ms, kStart);
  EXPECT_THAT(waiting.status.message, HasSubstr("expected start 2026-12-01T12:00:01Z"));
}

TEST(Lifecycle, WaitingForTheSameReasonsIsNoChange) {
  const std::vector<Reason> reasons = {Because(ReasonScope::kBoards, "BoardsMissing", "3 free")};
  const TrainingJob job = MakeJob();
  const TrainingJob waiting = With(job, KeepWaiting(job, reasons, {}, kStart));
  EXPECT_EQ("WaitingForBoards", ConditionOf(waiting, "QuotaReserved").reason);
  EXPECT_FALSE(KeepWaiting(waiting, reasons, {}, kStart + 1h).changed);
}

TEST(Lifecycle, TransitionTimesMoveOnlyWithTheStatus) {
  TrainingJob job = MakeJob();
  job = With(job, KeepWaiting(job, {Because(ReasonScope::kBoards, "A", "a")}, {}, kStart));
  ++job.meta.generation;
  job = With(job, KeepWaiting(job, {Because(ReasonScope::kBoards, "B", "b")}, {}, kStart + 1h));
  EXPECT_EQ("B", ConditionOf(job, "Admitted").reason);
  EXPECT_EQ(2, ConditionOf(job, "Admitted").observed_generation);
  EXPECT_EQ(kStart, ConditionOf(job, "Admitted").last_transition);
  job = With(job, AdmitJob(job, MakeJobSession(), kStart + 2h));
  EXPECT_EQ(kStart + 2h, ConditionOf(job, "Admitted").last_transition);
}

TEST(Lifecycle, ANewJobGetsItsFirstConditionsOnce) {
  TrainingJob job = MakeJob();
  job = With(job, FollowSpec(job, kStart));
  EXPECT_FALSE(ConditionOf(job, "Admitted").status);
  EXPECT_FALSE(FollowSpec(job, kStart + 1h).changed);
}

TEST(Lifecycle, AReportGivesTheProgressAndNeverAnOlderCheckpoint) {
  TrainingJob job = Running(MakeJob());
  job = With(job, TakeReport(job, job.status.fence, MakeReport(20, "b", 20)));
  job = With(job, TakeReport(job, job.status.fence, MakeReport(21, "a", 10)));
  job = With(job, TakeReport(job, job.status.fence, MakeReport(22)));
  EXPECT_EQ(22, job.status.progress.step);
  EXPECT_EQ("b", job.status.checkpoint_path);
  EXPECT_EQ(20, job.status.checkpoint_step);
}

// As a session does that repeats the steps behind its last checkpoint.
TEST(Lifecycle, ACheckpointOfTheSameStepReplacesTheKnownOne) {
  TrainingJob job = Running(MakeJob());
  job = With(job, TakeReport(job, job.status.fence, MakeReport(20, "a", 20)));
  job = With(job, TakeReport(job, job.status.fence, MakeReport(20, "b", 20)));
  EXPECT_EQ("b", job.status.checkpoint_path);
}

TEST(Lifecycle, CausesHaveNamesThatReadBack) {
  for (const char* name : {"Completed", "GrantReached", "Stopped", "Failed", "BoardLost",
                           "Interrupted", "CoordinatorRestarted"}) {
    ASSERT_TRUE(FindSessionEndCause(name)) << name;
    EXPECT_EQ(name, SessionEndCauseName(*FindSessionEndCause(name)));
  }
  EXPECT_FALSE(FindSessionEndCause("Vanished"));
}

}  // namespace
}  // namespace octet
