#include "worker/agent/agent_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/base/limits.h"
#include "worker/agent/agent_limits.h"

namespace octet {
namespace {

using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr uint64_t kIncarnation = 77;
constexpr MonotonicTime kStart{std::chrono::nanoseconds(1'000'000'000)};

AgentCore NewCore() {
  return AgentCore({.board = BoardId("local-3"),
                    .pool = PoolName("local"),
                    .ordinal = 3,
                    .incarnation = kIncarnation,
                    .data_endpoint = "tcp://127.0.0.1:1",
                    .metrics_address = "127.0.0.1:2",
                    .version = "0.1.0",
                    .host = "h",
                    .pid = 4});
}

control::CoordinatorMessage Registered() {
  control::CoordinatorMessage message;
  message.mutable_registered()->set_incarnation(kIncarnation);
  return message;
}

control::CoordinatorMessage Unknown() {
  control::CoordinatorMessage message;
  message.mutable_unknown()->set_incarnation(kIncarnation);
  return message;
}

control::CoordinatorMessage AssignOf(const std::string& job, int64_t fence) {
  control::CoordinatorMessage message;
  control::Assign& assign = *message.mutable_assign();
  assign.set_job_uid(job);
  assign.set_fence(fence);
  assign.set_session("session-" + job);
  assign.set_grant_millis(60'000);
  assign.set_grace_millis(5'000);
  return message;
}

control::CoordinatorMessage StopOf(const std::string& job, int64_t fence, int64_t grace_millis) {
  control::CoordinatorMessage message;
  message.mutable_stop()->set_job_uid(job);
  message.mutable_stop()->set_fence(fence);
  message.mutable_stop()->set_grace_millis(grace_millis);
  message.mutable_stop()->set_reason("suspended");
  return message;
}

control::CoordinatorMessage EndAckOf(const std::string& job, int64_t fence) {
  control::CoordinatorMessage message;
  message.mutable_end_ack()->set_job_uid(job);
  message.mutable_end_ack()->set_fence(fence);
  return message;
}

control::AssignmentEnd EndOf(int64_t fence, control::EndReason reason = control::COMPLETED) {
  control::AssignmentEnd end;
  end.set_fence(fence);
  end.set_reason(reason);
  return end;
}

control::StepReport ReportOf(int64_t fence, const std::string& line) {
  control::StepReport report;
  report.set_fence(fence);
  report.set_step(7);
  report.add_log_lines(line);
  return report;
}

AgentCore RegisteredCore() {
  AgentCore core = NewCore();
  (void)core.OnTick(kStart);
  (void)core.OnMessage(Registered(), kStart);
  (void)core.OnTick(kStart);  // The first heartbeat.
  return core;
}

AgentCore BusyCore(const std::string& job = "a", int64_t fence = 1) {
  AgentCore core = RegisteredCore();
  (void)core.OnMessage(AssignOf(job, fence), kStart);
  return core;
}

TEST(AgentCore, RegistersAgainAndAgainUntilItIsRegistered) {
  AgentCore core = NewCore();
  AgentActions actions = core.OnTick(kStart);
  ASSERT_EQ(actions.send.size(), 1U);
  EXPECT_EQ(actions.send[0].register_().board(), "local-3");
  EXPECT_EQ(actions.send[0].register_().incarnation(), kIncarnation);
  EXPECT_FALSE(actions.send[0].register_().has_running());
  EXPECT_TRUE(core.OnTick(kStart + 1ms).send.empty());
  EXPECT_EQ(core.OnTick(kStart + limits::kResendInterval).send.size(), 1U);
  (void)core.OnMessage(Registered(), kStart + 1s);
  EXPECT_TRUE(core.registered());
  EXPECT_TRUE(core.OnTick(kStart + 1s).send.at(0).has_heartbeat());
}

TEST(AgentCore, ARegisteredOfAnotherIncarnationIsNotMeant) {
  AgentCore core = NewCore();
  control::CoordinatorMessage other;
  other.mutable_registered()->set_incarnation(kIncarnation + 1);
  (void)core.OnMessage(other, kStart);
  EXPECT_FALSE(core.registered());
}

TEST(AgentCore, HeartbeatsSayWhatRunsAndForHowLong) {
  AgentCore core = BusyCore("a", 5);
  const AgentActions actions = core.OnTick(kStart + limits::kHeartbeatInterval);
  ASSERT_EQ(actions.send.size(), 1U);
  const control::Running& running = actions.send[0].heartbeat().running();
  EXPECT_EQ(running.job_uid(), "a");
  EXPECT_EQ(running.session(), "session-a");
  EXPECT_EQ(running.fence(), 5);
  EXPECT_EQ(running.elapsed_millis(), 1000);
}

TEST(AgentCore, RegistersWithItsRunningJobWhenTheCoordinatorHasForgottenIt) {
  AgentCore core = BusyCore();
  const AgentActions actions = core.OnMessage(Unknown(), kStart + 2s);
  ASSERT_EQ(actions.send.size(), 1U);
  EXPECT_EQ(actions.send[0].register_().running().elapsed_millis(), 2000);
  EXPECT_TRUE(core.OnMessage(Unknown(), kStart + 2s).send.empty()) << "one register is on its way";
  EXPECT_FALSE(actions.stop.has_value());
}

TEST(AgentCore, TakesAnAssignmentOnceAndAcknowledgesEachTime) {
  AgentCore core = RegisteredCore();
  const AgentActions first = core.OnMessage(AssignOf("a", 1), kStart);
  ASSERT_TRUE(first.start.has_value());
  EXPECT_TRUE(first.send.at(0).assign_ack().accepted());
  const AgentActions again = core.OnMessage(AssignOf("a", 1), kStart);
  EXPECT_FALSE(again.start.has_value());
  EXPECT_TRUE(again.send.at(0).assign_ack().accepted());
}

TEST(AgentCore, AnOlderFenceOfTheSameJobIsRefused) {
  AgentCore core = BusyCore("a", 5);
  const AgentActions actions = core.OnMessage(AssignOf("a", 4), kStart);
  EXPECT_FALSE(actions.start.has_value());
  EXPECT_FALSE(actions.stop.has_value());
  EXPECT_FALSE(actions.send.at(0).assign_ack().accepted());
  EXPECT_THAT(actions.send.at(0).assign_ack().error(), HasSubstr("the fence 4 is older than 5"));
}

TEST(AgentCore, AnAssignmentThatHasEndedDoesNotStartAgain) {
  AgentCore core = BusyCore("a", 5);
  (void)core.OnSessionEnd(EndOf(5), kStart + 1s);
  const AgentActions actions = core.OnMessage(AssignOf("a", 5), kStart + 1s);
  EXPECT_FALSE(actions.start.has_value());
  EXPECT_FALSE(actions.send.at(0).assign_ack().accepted());
}

TEST(AgentCore, AJobWithASmallerFenceIsTakenAfterAnother) {
  AgentCore core = BusyCore("a", 5);
  (void)core.OnSessionEnd(EndOf(5), kStart + 1s);
  EXPECT_TRUE(core.OnMessage(AssignOf("b", 1), kStart + 1s).start.has_value());
}

TEST(AgentCore, ANewerFenceStopsTheOldSessionFirst) {
  AgentCore core = BusyCore("a", 5);
  const AgentActions newer = core.OnMessage(AssignOf("a", 6), kStart);
  ASSERT_TRUE(newer.stop.has_value());
  EXPECT_EQ(newer.stop->fence, Fence(5));
  EXPECT_EQ(newer.stop->grace, Duration(0));
  EXPECT_FALSE(newer.start.has_value());
  const AgentActions ended = core.OnSessionEnd(EndOf(5, control::STOPPED), kStart + 1s);
  ASSERT_TRUE(ended.start.has_value());
  EXPECT_EQ(ended.start->fence(), 6);
  EXPECT_EQ(ended.send.at(0).assignment_end().fence(), 5);
}

TEST(AgentCore, AnAssignmentThatWaitsIsReplacedByANewerOne) {
  AgentCore core = BusyCore("a", 5);
  (void)core.OnMessage(AssignOf("a", 6), kStart);
  const AgentActions newest = core.OnMessage(AssignOf("a", 7), kStart);
  ASSERT_EQ(newest.send.size(), 2U);
  EXPECT_EQ(newest.send[1].assignment_end().fence(), 6);
  EXPECT_EQ(core.OnSessionEnd(EndOf(5, control::STOPPED), kStart).start->fence(), 7);
}

TEST(AgentCore, TheEndIsSentUntilItIsAcknowledged) {
  AgentCore core = BusyCore();
  const AgentActions end = core.OnSessionEnd(EndOf(1), kStart + 3s);
  ASSERT_EQ(end.send.size(), 1U);
  EXPECT_EQ(end.send[0].assignment_end().board(), "local-3");
  EXPECT_EQ(end.send[0].assignment_end().job_uid(), "a");
  EXPECT_EQ(end.send[0].assignment_end().elapsed_millis(), 3000);
  auto ends_at = [&](MonotonicTime now) {
    int ends = 0;
    for (const auto& message : core.OnTick(now).send) ends += message.has_assignment_end() ? 1 : 0;
    return ends;
  };
  EXPECT_EQ(ends_at(kStart + 3s + limits::kResendInterval), 1);
  (void)core.OnMessage(EndAckOf("b", 1), kStart + 4s);
  EXPECT_EQ(ends_at(kStart + 4s), 1) << "another job's acknowledgement";
  (void)core.OnMessage(EndAckOf("a", 1), kStart + 4s);
  EXPECT_EQ(ends_at(kStart + 9s), 0);
}

TEST(AgentCore, TheEndIsSentAfterTheCoordinatorCameBack) {
  AgentCore core = BusyCore();
  (void)core.OnMessage(Unknown(), kStart + 1s);
  (void)core.OnSessionEnd(EndOf(1), kStart + 3s);
  (void)core.OnMessage(Registered(), kStart + 5s);
  bool sent = false;
  for (const auto& message : core.OnTick(kStart + 5s).send)
    sent = sent || message.has_assignment_end();
  EXPECT_TRUE(sent);
}

TEST(AgentCore, AStopReachesTheSessionOnceUnlessItBecomesHarder) {
  AgentCore core = BusyCore();
  EXPECT_EQ(core.OnMessage(StopOf("a", 1, 30'000), kStart).stop->grace, Duration(30'000));
  EXPECT_FALSE(core.OnMessage(StopOf("a", 1, 30'000), kStart).stop.has_value());
  EXPECT_EQ(core.OnMessage(StopOf("a", 1, 0), kStart).stop->grace, Duration(0));
  EXPECT_FALSE(core.OnMessage(StopOf("a", 1, 0), kStart).stop.has_value());
}

TEST(AgentCore, AStopOfAnOlderAssignmentOrOfAnotherJobIsIgnored) {
  AgentCore core = BusyCore("a", 5);
  EXPECT_FALSE(core.OnMessage(StopOf("a", 4, 0), kStart).stop.has_value());
  EXPECT_FALSE(core.OnMessage(StopOf("b", 9, 0), kStart).stop.has_value());
  EXPECT_TRUE(core.OnMessage(StopOf("", 5, 0), kStart).stop.has_value());
}

TEST(AgentCore, ReportsOfTheRunningSessionGoOutAndOthersDoNot) {
  AgentCore core = BusyCore("a", 5);
  const AgentActions sent = core.OnReport(ReportOf(5, "line"), kStart);
  ASSERT_EQ(sent.send.size(), 1U);
  EXPECT_EQ(sent.send[0].step_report().job_uid(), "a");
  EXPECT_EQ(sent.send[0].step_report().board(), "local-3");
  EXPECT_TRUE(core.OnReport(ReportOf(4, "late"), kStart).send.empty());
}

TEST(AgentCore, LogLinesWaitUntilTheCoordinatorKnowsTheWorker) {
  AgentCore core = BusyCore();
  (void)core.OnMessage(Unknown(), kStart);
  control::StepReport first = ReportOf(1, "one");
  first.mutable_checkpoint()->set_step(100);
  EXPECT_TRUE(core.OnReport(first, kStart).send.empty());
  EXPECT_TRUE(core.OnReport(ReportOf(1, "two"), kStart).send.empty());
  (void)core.OnMessage(Registered(), kStart);
  const AgentActions sent = core.OnReport(ReportOf(1, "three"), kStart);
  ASSERT_EQ(sent.send.size(), 1U);
  const control::StepReport& report = sent.send[0].step_report();
  EXPECT_THAT(std::vector<std::string>(report.log_lines().begin(), report.log_lines().end()),
              ::testing::ElementsAre("one", "two", "three"));
  EXPECT_EQ(report.checkpoint().step(), 100);
}

TEST(AgentCore, KeptLogLinesAreBounded) {
  AgentCore core = BusyCore();
  (void)core.OnMessage(Unknown(), kStart);
  for (int i = 0; i < kHeldLogLinesMax + 10; ++i) {
    (void)core.OnReport(ReportOf(1, std::to_string(i)), kStart);
  }
  const AgentActions end = core.OnSessionEnd(EndOf(1), kStart);
  const control::StepReport& last = end.send.at(0).assignment_end().last();
  EXPECT_EQ(last.log_lines_size(), kHeldLogLinesMax);
  EXPECT_EQ(last.log_lines(0), "10");
}

TEST(AgentCore, ASilentCoordinatorDoesNotLengthenTheGrant) {
  AgentCore core = BusyCore();
  EXPECT_FALSE(core.OnTick(kStart + 64'999ms).stop.has_value());
  const AgentActions hard = core.OnTick(kStart + 65s);
  ASSERT_TRUE(hard.stop.has_value());
  EXPECT_EQ(hard.stop->grace, Duration(0));
  EXPECT_FALSE(hard.die);
  EXPECT_FALSE(core.OnTick(kStart + 66s).stop.has_value()) << "once is enough";
  EXPECT_TRUE(core.OnTick(kStart + 65s + kHardStopWait).die);
}

TEST(AgentCore, NextDeadlineIsTheHardStopWhereThatIsFirst) {
  AgentCore core = BusyCore();
  (void)core.OnTick(kStart + 64'500ms);
  EXPECT_EQ(core.NextDeadline(), kStart + 65s);
}

TEST(AgentCore, AShutdownStopsWithACheckpointAndLeavesWhenTheEndIsAcknowledged) {
  AgentCore core = BusyCore();
  const AgentActions asked = core.OnShutdown("SIGTERM", kStart);
  ASSERT_TRUE(asked.stop.has_value());
  EXPECT_GT(asked.stop->grace, Duration(0));
  EXPECT_FALSE(asked.leave);
  const AgentActions ended = core.OnSessionEnd(EndOf(1, control::STOPPED), kStart + 1s);
  EXPECT_EQ(ended.send.at(0).assignment_end().reason(), control::INTERRUPTED)
      << "the job did not ask for it";
  EXPECT_FALSE(ended.leave);
  EXPECT_TRUE(core.OnMessage(EndAckOf("a", 1), kStart + 1s).leave);
}

TEST(AgentCore, AShutdownDoesNotWaitForASilentCoordinator) {
  AgentCore core = BusyCore();
  (void)core.OnShutdown("SIGTERM", kStart);
  (void)core.OnSessionEnd(EndOf(1, control::STOPPED), kStart + 1s);
  EXPECT_FALSE(core.OnTick(kStart + 2s).leave);
  const AgentActions late = core.OnTick(kStart + kShutdownWaitMax);
  EXPECT_TRUE(late.leave);
  EXPECT_FALSE(late.die);
}

TEST(AgentCore, AnIdleWorkerLeavesAtOnceAndTakesNothingMore) {
  AgentCore core = RegisteredCore();
  EXPECT_TRUE(core.OnShutdown("SIGTERM", kStart).leave);
  const AgentActions late = core.OnMessage(AssignOf("a", 1), kStart);
  EXPECT_FALSE(late.start.has_value());
  EXPECT_FALSE(late.send.at(0).assign_ack().accepted());
}

TEST(AgentCore, AShutdownDuringAStopOfTheCoordinatorKeepsItsReason) {
  AgentCore core = BusyCore();
  (void)core.OnMessage(StopOf("a", 1, 10'000), kStart);
  (void)core.OnShutdown("SIGTERM", kStart);
  const AgentActions ended = core.OnSessionEnd(EndOf(1, control::STOPPED), kStart + 1s);
  EXPECT_EQ(ended.send.at(0).assignment_end().reason(), control::STOPPED);
}

}  // namespace
}  // namespace octet
