// A job through random events, right, late, repeated and with wrong fences. What must hold after
// each is said once, in Invariants; the counters are kept a second time by adding up what each
// event means.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "coordinator/jobs/lifecycle.h"
#include "shared/base/random.h"
#include "tests/unit/jobs/job_builder.h"

namespace octet {
namespace {

constexpr SessionEndCause kCauses[] = {SessionEndCause::kCompleted,
                                       SessionEndCause::kGrantReached,
                                       SessionEndCause::kStopped,
                                       SessionEndCause::kFailed,
                                       SessionEndCause::kBoardLost,
                                       SessionEndCause::kInterrupted,
                                       SessionEndCause::kCoordinatorRestarted};

// Equal as far as anybody can see.
bool Same(const TrainingJobStatus& a, const TrainingJobStatus& b) {
  return EncodeTrainingJobStatus(a) == EncodeTrainingJobStatus(b);
}

class LifecycleProperty : public ::testing::TestWithParam<uint64_t> {
 protected:
  Random random_{GetParam(), 1};
  TrainingJob job_ = MakeJob();
  TimePoint now_ = kStart;
  int64_t attempts_ = 0, failures_ = 0, interruptions_ = 0;

  size_t Pick(size_t bound) { return static_cast<size_t>(random_.Below(bound)); }

  // The right fence most of the time.
  Fence SomeFence() {
    const int64_t offset = Pick(4) == 0 ? static_cast<int64_t>(Pick(3)) - 1 : 0;
    return Fence(job_.status.fence.value() + offset);
  }

  Transition RandomEvent() {
    const bool open = job_.status.session.has_value();
    switch (Pick(9)) {
      case 0:
      case 1: {
        const Transition admitted = AdmitJob(job_, MakeJobSession(now_), now_);
        attempts_ += admitted.changed ? 1 : 0;
        return admitted;
      }
      case 2:
        return MarkBoardsReady(job_, SomeFence(), now_);
      case 3:
        return MarkRunning(job_, SomeFence(), now_);
      case 4:
        return TakeReport(job_, SomeFence(), MakeReport(1));
      case 5:
      case 6: {
        const SessionEnd end = MakeEnd(SomeFence(), kCauses[Pick(std::size(kCauses))]);
        if (open && end.fence == job_.status.fence) {
          failures_ += end.cause == SessionEndCause::kFailed ? 1 : 0;
          interruptions_ += end.cause == SessionEndCause::kBoardLost ||
                                    end.cause == SessionEndCause::kInterrupted ||
                                    end.cause == SessionEndCause::kCoordinatorRestarted
                                ? 1
                                : 0;
        }
        return EndJobSession(job_, end, now_);
      }
      case 7:
        return KeepWaiting(job_, {{.code = "BoardsMissing", .message = "none free"}}, {}, now_);
      default:
        return FollowSpec(job_, now_);
    }
  }

  void RandomUser() {
    if (Pick(6) == 0) {
      job_.spec.suspend = !job_.spec.suspend;
      ++job_.meta.generation;
    }
    if (Pick(80) == 0) job_.meta.deleted = now_;
  }

  void Invariants(const TrainingJobStatus& before, const Transition& transition) {
    const TrainingJobStatus& after = transition.status;
    ASSERT_EQ(after.phase, PhaseOf(after.conditions));
    const bool complete = IsTrue(after.conditions, "Complete");
    const bool failed = IsTrue(after.conditions, "Failed");
    ASSERT_FALSE(complete && failed);
    ASSERT_EQ(IsTerminal(after.phase), complete || failed);
    ASSERT_EQ(IsTerminal(after.phase), after.finished.has_value());
    ASSERT_EQ(after.session.has_value(),
              after.phase == JobPhase::kStarting || after.phase == JobPhase::kRunning);
    // Quota and boards are held together or not at all.
    ASSERT_EQ(after.session.has_value(), IsTrue(after.conditions, "QuotaReserved"));
    ASSERT_EQ(after.session.has_value(), IsTrue(after.conditions, "Admitted"));
    ASSERT_GE(after.fence, before.fence);
    ASSERT_EQ(after.fence.value() - before.fence.value(), after.attempts - before.attempts);
    ASSERT_EQ(attempts_, after.attempts);
    ASSERT_EQ(failures_, after.failures);
    ASSERT_EQ(interruptions_, after.interruptions);
    ASSERT_LE(after.failures, job_.spec.backoff_limit + 1);
    if (!transition.changed || IsTerminal(before.phase)) {
      ASSERT_TRUE(Same(before, after));
    }
    for (const Condition& condition : after.conditions) {
      const Condition* old = FindCondition(before.conditions, condition.type);
      const bool moved = old == nullptr || old->status != condition.status;
      ASSERT_EQ(moved && transition.changed ? now_ : condition.last_transition,
                condition.last_transition);
      if (!moved) {
        ASSERT_EQ(old->last_transition, condition.last_transition) << condition.type;
      }
    }
  }
};

TEST_P(LifecycleProperty, EveryEventKeepsTheInvariants) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  int finished = 0;
  for (int life = 0; life < 60; ++life) {
    job_ = MakeJob();
    job_.spec.on_limit = static_cast<OnLimit>(Pick(3));
    job_.spec.backoff_limit = static_cast<int64_t>(Pick(4));
    attempts_ = failures_ = interruptions_ = 0;
    for (int step = 0; step < 120; ++step) {
      now_ += Duration(1000);
      RandomUser();
      const TrainingJobStatus before = job_.status;
      const Transition transition = RandomEvent();
      Invariants(before, transition);
      if (HasFatalFailure()) return;
      job_ = With(job_, transition);
    }
    finished += IsTerminal(job_.status.phase) ? 1 : 0;
  }
  EXPECT_GT(finished, 0);
}

TEST_P(LifecycleProperty, AJobAlwaysFindsItsWayToAnEnd) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  for (int life = 0; life < 30; ++life) {
    job_ = MakeJob();
    job_.spec.on_limit = OnLimit::kSuspend;
    for (int step = 0; step < 20; ++step) {
      RandomUser();
      job_ = With(job_, RandomEvent());
    }
    // The faults stop, its user wants it to run, and the controllers do their part.
    job_.spec.suspend = false;
    ++job_.meta.generation;
    for (int step = 0; step < 4 && !IsTerminal(job_.status.phase); ++step) {
      job_ = With(job_, FollowSpec(job_, now_));
      job_ = With(job_, AdmitJob(job_, MakeJobSession(now_), now_));
      job_ = With(job_, MarkRunning(job_, job_.status.fence, now_));
      job_ = With(
          job_, EndJobSession(job_, MakeEnd(job_.status.fence, SessionEndCause::kCompleted), now_));
    }
    ASSERT_TRUE(IsTerminal(job_.status.phase)) << JobPhaseName(job_.status.phase);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LifecycleProperty, ::testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace octet
