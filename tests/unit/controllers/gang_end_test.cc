#include <gtest/gtest.h>

#include "coordinator/controllers/sessions.h"

namespace octet {
namespace {

// A session on three boards, b0 being rank 0.
LiveSession Gang() {
  LiveSession live{.leader = BoardId("b0")};
  for (const char* name : {"b0", "b1", "b2"}) live.parts[BoardId(name)].assigned = true;
  return live;
}

void End(LiveSession& live, const char* board, control::EndReason reason,
         const std::string& message = "") {
  control::AssignmentEnd& end = live.parts[BoardId(board)].end.emplace();
  end.set_reason(reason);
  end.set_message(message);
}

TEST(GangEnd, NobodyEndedIsNoEnd) { EXPECT_FALSE(GangEnd(Gang())); }

TEST(GangEnd, CompletedWhenAllAre) {
  LiveSession live = Gang();
  End(live, "b0", control::COMPLETED);
  live.parts[BoardId("b0")].end->set_weights_sha256("beef");
  End(live, "b1", control::COMPLETED);
  EXPECT_FALSE(GangEnd(live));
  End(live, "b2", control::COMPLETED);
  ASSERT_TRUE(GangEnd(live));
  EXPECT_EQ(SessionEndCause::kCompleted, GangEnd(live)->cause);
  EXPECT_EQ("beef", GangEnd(live)->weights_sha256);
}

TEST(GangEnd, WhatTheLeaderCompletedNoStragglerUndoes) {
  LiveSession live = Gang();
  End(live, "b0", control::COMPLETED);
  End(live, "b1", control::COMPLETED);
  End(live, "b2", control::GRANT_REACHED);
  EXPECT_EQ(SessionEndCause::kCompleted, GangEnd(live)->cause);
}

TEST(GangEnd, OneFailureEndsAll) {
  LiveSession live = Gang();
  End(live, "b1", control::INTERRUPTED, "a peer was lost");
  End(live, "b2", control::FAILED, "a label is out of range");
  ASSERT_TRUE(GangEnd(live));
  EXPECT_EQ(SessionEndCause::kFailed, GangEnd(live)->cause);
  EXPECT_EQ("a label is out of range", GangEnd(live)->message);
}

TEST(GangEnd, OneInterruptionEndsAll) {
  LiveSession live = Gang();
  End(live, "b1", control::INTERRUPTED, "a peer was lost");
  ASSERT_TRUE(GangEnd(live));
  EXPECT_EQ(SessionEndCause::kInterrupted, GangEnd(live)->cause);
}

TEST(GangEnd, AStopThatWasAskedForIsNoInterruption) {
  LiveSession live = Gang();
  live.ending = Ending{.message = "suspended"};
  End(live, "b0", control::STOPPED);
  End(live, "b1", control::INTERRUPTED, "a peer was lost");
  EXPECT_FALSE(GangEnd(live));
  End(live, "b2", control::STOPPED);
  ASSERT_TRUE(GangEnd(live));
  EXPECT_EQ(SessionEndCause::kStopped, GangEnd(live)->cause);
}

TEST(GangEnd, AStopThatNobodyAskedForIsAnInterruption) {
  LiveSession live = Gang();
  for (const char* board : {"b0", "b1", "b2"}) End(live, board, control::STOPPED, "who knows");
  EXPECT_EQ(SessionEndCause::kInterrupted, GangEnd(live)->cause);
}

TEST(GangEnd, TheGrantIsReachedWhenAllSaySo) {
  LiveSession live = Gang();
  End(live, "b0", control::GRANT_REACHED);
  End(live, "b1", control::GRANT_REACHED);
  EXPECT_FALSE(GangEnd(live));
  End(live, "b2", control::GRANT_REACHED);
  EXPECT_EQ(SessionEndCause::kGrantReached, GangEnd(live)->cause);
}

}  // namespace
}  // namespace octet
