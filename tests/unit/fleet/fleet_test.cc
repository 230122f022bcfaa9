#include "coordinator/fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/fleet/simulated_link.h"
#include "shared/base/limits.h"

namespace octet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kPeer[] = "connection-1";
const BoardId kBoard("local-0");
const AssignmentId kAssignment{.job = JobUid("job"), .fence = Fence(3)};

// A fleet with the messages of one board, local-0.
class FleetTest : public ::testing::Test {
 protected:
  std::optional<FleetEvent> Hear(control::WorkerMessage message, const std::string& peer = kPeer) {
    return fleet_.OnMessage({.peer = peer, .message = std::move(message)}, now_);
  }
  std::optional<FleetEvent> Register(uint64_t incarnation, const std::string& peer = kPeer,
                                     std::optional<AssignmentId> running = std::nullopt) {
    control::WorkerMessage message;
    message.mutable_register_()->set_board(kBoard.str());
    message.mutable_register_()->set_pool("local");
    message.mutable_register_()->set_incarnation(incarnation);
    message.mutable_register_()->set_data_endpoint("tcp://127.0.0.1:5");
    if (running) Fill(*message.mutable_register_()->mutable_running(), *running);
    return Hear(message, peer);
  }
  std::optional<FleetEvent> Heartbeat(uint64_t incarnation,
                                      std::optional<AssignmentId> running = std::nullopt) {
    control::WorkerMessage message;
    message.mutable_heartbeat()->set_board(kBoard.str());
    message.mutable_heartbeat()->set_incarnation(incarnation);
    if (running) Fill(*message.mutable_heartbeat()->mutable_running(), *running);
    return Hear(message);
  }
  std::optional<FleetEvent> Ack(bool accepted = true) {
    control::WorkerMessage message;
    message.mutable_assign_ack()->set_board(kBoard.str());
    message.mutable_assign_ack()->set_fence(kAssignment.fence.value());
    message.mutable_assign_ack()->set_accepted(accepted);
    return Hear(message);
  }
  std::optional<FleetEvent> End(const std::string& peer = kPeer) {
    control::WorkerMessage message;
    message.mutable_assignment_end()->set_board(kBoard.str());
    message.mutable_assignment_end()->set_fence(kAssignment.fence.value());
    message.mutable_assignment_end()->set_job_uid(kAssignment.job.str());
    message.mutable_assignment_end()->set_reason(control::COMPLETED);
    return Hear(message, peer);
  }
  std::optional<FleetEvent> Report(int64_t fence) {
    control::WorkerMessage message;
    message.mutable_step_report()->set_board(kBoard.str());
    message.mutable_step_report()->set_fence(fence);
    message.mutable_step_report()->set_job_uid(kAssignment.job.str());
    return Hear(message);
  }
  static void Fill(control::Running& running, const AssignmentId& id) {
    running.set_job_uid(id.job.str());
    running.set_fence(id.fence.value());
  }
  static control::Assign AssignMessage() {
    control::Assign assign;
    assign.set_job_uid(kAssignment.job.str());
    assign.set_fence(kAssignment.fence.value());
    return assign;
  }
  void Advance(Duration step) {
    now_ += step;
    fleet_.OnTick(now_);
  }
  // The kinds of the messages that were sent to a peer since last asked.
  std::vector<control::CoordinatorMessage::KindCase> Sent(const std::string& peer = kPeer) {
    std::vector<control::CoordinatorMessage::KindCase> kinds;
    for (const auto& message : link_.TakeSent(peer)) kinds.push_back(message.kind_case());
    return kinds;
  }
  bool Holds() const {
    const auto found = fleet_.workers().find(kBoard);
    return found != fleet_.workers().end() && found->second.hold.has_value();
  }

  SimulatedLink link_;
  Fleet fleet_{link_};
  MonotonicTime now_{seconds(100)};
};

using Message = control::CoordinatorMessage;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(FleetTest, ARegisterIsAnsweredAndToldOnce) {
  const auto event = Register(7);
  ASSERT_TRUE(event && std::holds_alternative<WorkerRegistered>(*event));
  EXPECT_TRUE(std::get<WorkerRegistered>(*event).new_process);
  EXPECT_FALSE(Register(7));  // The answer was lost: it is sent again.
  EXPECT_THAT(Sent(), ElementsAre(Message::kRegistered, Message::kRegistered));
}

TEST_F(FleetTest, AHeartbeatOfAnUnknownWorkerIsAnsweredUnknown) {
  EXPECT_FALSE(Heartbeat(7));
  EXPECT_THAT(Sent(), ElementsAre(Message::kUnknown));
  EXPECT_EQ(1, fleet_.stale_messages());
}

TEST_F(FleetTest, AHeartbeatOfAnotherIncarnationIsAnsweredUnknown) {
  Register(7);
  Sent();
  Heartbeat(8);
  EXPECT_THAT(Sent(), ElementsAre(Message::kUnknown));
}

TEST_F(FleetTest, AnAssignIsResentUntilItIsAnswered) {
  Register(7);
  Sent();
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  Advance(limits::kResendInterval);
  EXPECT_THAT(Sent(), ElementsAre(Message::kAssign, Message::kAssign));
  const auto event = Ack();
  ASSERT_TRUE(event && std::holds_alternative<AssignAnswered>(*event));
  EXPECT_EQ(kAssignment, std::get<AssignAnswered>(*event).id);
  EXPECT_FALSE(Ack());  // Of the second Assign.
  Advance(10 * limits::kResendInterval);
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_TRUE(Holds());
}

TEST_F(FleetTest, ARefusedAssignIsNotHeld) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  ASSERT_TRUE(Ack(false));
  EXPECT_FALSE(Holds());
}

TEST_F(FleetTest, AStopIsResentUntilTheAssignmentHasEnded) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  Ack();
  Sent();
  fleet_.Stop(kBoard, kAssignment, seconds(5), "suspended", now_);
  Advance(limits::kResendInterval);
  EXPECT_THAT(Sent(), ElementsAre(Message::kStop, Message::kStop));
  EXPECT_TRUE(End());
  Advance(limits::kResendInterval);
  EXPECT_THAT(Sent(), IsEmpty());
  EXPECT_FALSE(Holds());
}

TEST_F(FleetTest, AStopWithLessGraceReplacesOneWithMore) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  Sent();
  fleet_.Stop(kBoard, kAssignment, seconds(5), "suspended", now_);
  fleet_.Stop(kBoard, kAssignment, seconds(9), "again", now_);
  fleet_.Stop(kBoard, kAssignment, seconds(0), "grant over", now_);
  const auto sent = link_.TakeSent(kPeer);
  ASSERT_EQ(2u, sent.size());
  EXPECT_EQ(0, sent[1].stop().grace_millis());
}

TEST_F(FleetTest, AStopForAnAssignThatNeverArrivedSettlesByHeartbeats) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  fleet_.Stop(kBoard, kAssignment, seconds(0), "board lost", now_);
  Heartbeat(7);
  EXPECT_TRUE(Holds());  // The Assign may still be on its way.
  Advance(seconds(3));
  Heartbeat(7);
  EXPECT_FALSE(Holds());
}

TEST_F(FleetTest, AnEndIsToldEachTimeUntilItIsAcknowledged) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  Ack();
  Sent();
  EXPECT_TRUE(End());
  EXPECT_TRUE(End());
  EXPECT_THAT(Sent(), IsEmpty());
  fleet_.AcknowledgeEnd(kBoard, kAssignment);
  EXPECT_THAT(Sent(), ElementsAre(Message::kEndAck));
}

TEST_F(FleetTest, AReportWithAnOlderFenceIsStale) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  Ack();
  EXPECT_FALSE(Report(2));
  EXPECT_EQ(1, fleet_.stale_messages());
  EXPECT_TRUE(Report(3));
}

TEST_F(FleetTest, AMessageOfAnotherConnectionIsStale) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  EXPECT_FALSE(End("connection-0"));
  EXPECT_TRUE(Holds());
}

TEST_F(FleetTest, ANewProcessDropsWhatTheOldOneHeld) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  const auto event = Register(8, "connection-2");
  ASSERT_TRUE(event && std::holds_alternative<WorkerRegistered>(*event));
  EXPECT_EQ(kAssignment, std::get<WorkerRegistered>(*event).dropped);
  EXPECT_FALSE(Holds());
}

TEST_F(FleetTest, AGivenUpWorkerKeepsWhatItHoldsUntilItsProcessIsGone) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  fleet_.GiveUp(kBoard, /*gone=*/false);
  EXPECT_EQ(nullptr, fleet_.FindPresent(kBoard));
  EXPECT_TRUE(Holds());
  Sent();
  Heartbeat(7);
  EXPECT_THAT(Sent(), ElementsAre(Message::kUnknown));
  Register(7, kPeer, kAssignment);
  EXPECT_TRUE(Holds());
  fleet_.GiveUp(kBoard, /*gone=*/true);
  EXPECT_FALSE(Holds());
}

TEST_F(FleetTest, ABoardThatHoldsAnAssignmentTakesNoOther) {
  Register(7);
  ASSERT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());
  EXPECT_TRUE(fleet_.Assign(kBoard, AssignMessage(), now_).ok());  // The same one.
  control::Assign other = AssignMessage();
  other.set_job_uid("another");
  EXPECT_EQ(StatusCode::kFailedPrecondition, fleet_.Assign(kBoard, other, now_).code());
}

TEST_F(FleetTest, AWorkerThatRegistersRunningHoldsIt) {
  Register(7, kPeer, kAssignment);
  EXPECT_TRUE(Holds());
  EXPECT_EQ(StatusCode::kNotFound, fleet_.Assign(BoardId("local-9"), AssignMessage(), now_).code());
}

TEST_F(FleetTest, AnEmptyMessageIsCounted) {
  EXPECT_FALSE(Hear({}));
  EXPECT_EQ(1, fleet_.stale_messages());
}

}  // namespace
}  // namespace octet
