#include "worker/agent/agent.h"

#include <gtest/gtest.h>

#include "shared/base/thread.h"
#include "worker/agent/memory_link.h"

namespace octet {
namespace {

using std::chrono_literals::operator""s;

constexpr uint64_t kIncarnation = 5;
// Longer than any wait that can pass; a test that reaches it has failed.
constexpr Duration kPatience = 20s;

// A worker's agent on a thread of its own; the test plays the coordinator and the session.
class AgentTest : public ::testing::Test {
 protected:
  AgentTest()
      : started_(16),
        stopped_(16),
        agent_(
            {.board = BoardId("local-0"), .pool = PoolName("local"), .incarnation = kIncarnation},
            link_, clock_,
            {.start = [this](const control::Assign& assign,
                             MonotonicTime) { (void)started_.Push(assign); },
             .stop = [this](const StopSession& stop) { (void)stopped_.Push(stop); },
             .usage = [] { return control::BoardUsage(); }}),
        thread_("agent", [this] { result_ = agent_.Run(); }) {}

  ~AgentTest() override {
    agent_.Shutdown("the test is over");
    // Whatever was not acknowledged is given up after a bounded time.
    thread_.Join();
  }

  // The next message of the kind, skipping others; a message without a kind where none comes.
  control::WorkerMessage Await(control::WorkerMessage::KindCase kind) {
    const MonotonicTime end = clock_.Monotonic() + kPatience;
    while (clock_.Monotonic() < end) {
      auto message = link_.Take(1s);
      if (message && message->kind_case() == kind) return *message;
    }
    ADD_FAILURE() << "no message of kind " << kind;
    return {};
  }

  void Register() {
    Await(control::WorkerMessage::kRegister);
    control::CoordinatorMessage message;
    message.mutable_registered()->set_incarnation(kIncarnation);
    link_.Give(message);
    Await(control::WorkerMessage::kHeartbeat);
  }

  void Assign(const std::string& job, int64_t fence) {
    control::CoordinatorMessage message;
    message.mutable_assign()->set_job_uid(job);
    message.mutable_assign()->set_fence(fence);
    message.mutable_assign()->set_grant_millis(3'600'000);
    link_.Give(message);
  }

  void AcknowledgeEnd(int64_t fence) {
    control::CoordinatorMessage message;
    message.mutable_end_ack()->set_fence(fence);
    link_.Give(message);
  }

  SystemClock clock_;
  MemoryLink link_;
  BoundedQueue<control::Assign> started_;
  BoundedQueue<StopSession> stopped_;
  Status result_;
  Agent agent_;
  Thread thread_;
};

control::AssignmentEnd EndOf(int64_t fence) {
  control::AssignmentEnd end;
  end.set_fence(fence);
  end.set_reason(control::COMPLETED);
  return end;
}

TEST_F(AgentTest, AnAssignmentGoesFromTheCoordinatorToTheSessionAndItsEndBack) {
  Register();
  Assign("a", 1);
  EXPECT_TRUE(Await(control::WorkerMessage::kAssignAck).assign_ack().accepted());
  ASSERT_EQ(started_.Pop(kPatience)->job_uid(), "a");
  control::StepReport report;
  report.set_fence(1);
  report.set_step(9);
  agent_.PostReport(report);
  EXPECT_EQ(Await(control::WorkerMessage::kStepReport).step_report().step(), 9);
  agent_.PostEnd(EndOf(1));
  EXPECT_EQ(Await(control::WorkerMessage::kAssignmentEnd).assignment_end().fence(), 1);
  AcknowledgeEnd(1);
}

TEST_F(AgentTest, AnEndThatWasLostIsSentAgain) {
  Register();
  Assign("a", 1);
  ASSERT_TRUE(started_.Pop(kPatience).has_value());
  link_.SetSilent(true);
  agent_.PostEnd(EndOf(1));
  // The end is on the lost line once the agent refuses the same assignment as ended.
  Assign("b", 1);
  ASSERT_TRUE(started_.Pop(kPatience).has_value());
  link_.SetSilent(false);
  EXPECT_EQ(Await(control::WorkerMessage::kAssignmentEnd).assignment_end().job_uid(), "a");
  AcknowledgeEnd(1);
  agent_.PostEnd(EndOf(1));
  AcknowledgeEnd(1);
}

TEST_F(AgentTest, ShutdownStopsTheSessionAndLeavesAfterItsEnd) {
  Register();
  Assign("a", 1);
  ASSERT_TRUE(started_.Pop(kPatience).has_value());
  agent_.Shutdown("SIGTERM");
  const auto stop = stopped_.Pop(kPatience);
  ASSERT_TRUE(stop.has_value());
  EXPECT_GT(stop->grace, Duration(0));
  agent_.PostEnd(EndOf(1));
  Await(control::WorkerMessage::kAssignmentEnd);
  AcknowledgeEnd(1);
  thread_.Join();
  EXPECT_TRUE(result_.ok()) << result_.ToString();
}

}  // namespace
}  // namespace octet
