#include "coordinator/jobs/session_rules.h"

#include <gtest/gtest.h>

#include "shared/base/limits.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime kNow{std::chrono::hours(10)};
const TimePoint kWall = ParseTime("2026-12-01T12:00:00Z").value();

// An open session of two boards that started at kWall, last signed after 10 min.
Session MakeOpen() {
  Session session;
  session.meta.uid = "s";
  session.boards = {BoardId("local-0"), BoardId("local-1")};
  session.start = kWall;
  session.grant = 1h;
  session.elapsed = 10min;
  return session;
}

TEST(SessionRules, ElapsedIsMonotonicWholeMillisecondsUpToTheGrant) {
  const Session session = MakeOpen();
  const SessionTimer timer = ArmNew(kNow);
  EXPECT_EQ(0ms, ElapsedAt(session, timer, kNow));
  EXPECT_EQ(1ms, ElapsedAt(session, timer, kNow + 1999us));
  EXPECT_EQ(1h, ElapsedAt(session, timer, kNow + 5h));
  EXPECT_EQ(0ms, ElapsedAt(session, timer, kNow - 1s));
}

TEST(SessionRules, TheGrantIsUsedUpExactlyAtItsEnd) {
  const Session session = MakeOpen();
  const SessionTimer timer = ArmNew(kNow);
  EXPECT_EQ(kNow + 1h, GrantEnd(session, timer));
  EXPECT_FALSE(GrantUsedUp(session, timer, kNow + 1h - 1ns));
  EXPECT_TRUE(GrantUsedUp(session, timer, kNow + 1h));
}

// A stored session of another hand cannot hold boards for ever, nor run backwards.
TEST(SessionRules, AGrantIsWithinTheLongestSession) {
  Session session = MakeOpen();
  session.grant = 10 * limits::kSessionLengthMax;
  const SessionTimer timer = ArmNew(kNow);
  EXPECT_EQ(kNow + limits::kSessionLengthMax, GrantEnd(session, timer));
  EXPECT_TRUE(GrantUsedUp(session, timer, kNow + limits::kSessionLengthMax));
  EXPECT_EQ(
      limits::kSessionLengthMax,
      EndedSession(session, SessionEndCause::kFailed, 20 * limits::kSessionLengthMax).elapsed);
  session.grant = -1h;
  EXPECT_TRUE(GrantUsedUp(session, timer, kNow));
  EXPECT_EQ(0ms, ElapsedAt(session, timer, kNow + 1s));
}

TEST(SessionRules, AfterARestartTheDeadlineIsArmedFromThePersistedStart) {
  // P17.
  const Session session = MakeOpen();
  const SessionTimer timer = ArmAgain(session, kWall + 25min, kNow);
  EXPECT_EQ(25min, ElapsedAt(session, timer, kNow));
  EXPECT_EQ(kNow + 35min, GrantEnd(session, timer));
}

TEST(SessionRules, AWallClockThatWasSetCannotLengthenASession) {
  const Session session = MakeOpen();
  EXPECT_EQ(10min, ElapsedAt(session, ArmAgain(session, kWall - 5h, kNow), kNow));
  EXPECT_EQ(1h, ElapsedAt(session, ArmAgain(session, kWall + 5h, kNow), kNow));
}

TEST(SessionRules, AWorkersOwnClockIsBelievedWithinReason) {
  const Session session = MakeOpen();
  EXPECT_EQ(30min, ArmFromWorker(session, 30min, kNow).elapsed);
  EXPECT_EQ(10min, ArmFromWorker(session, 1min, kNow).elapsed);
  EXPECT_EQ(1h, ArmFromWorker(session, 3h, kNow).elapsed);
}

TEST(SessionRules, ASignOfLifeIsDueOnceTheIntervalHasPassed) {
  Session session = MakeOpen();
  session.elapsed = 0ms;
  const SessionTimer timer = ArmNew(kNow);
  const Duration interval = limits::kSignOfLifeInterval;
  EXPECT_FALSE(SignOfLifeDue(session, timer, kNow + interval - 1ms));
  EXPECT_TRUE(SignOfLifeDue(session, timer, kNow + interval));
  session = WithSignOfLife(session, timer, kNow + interval);
  EXPECT_EQ(interval, session.elapsed);
  EXPECT_FALSE(SignOfLifeDue(session, timer, kNow + interval));
}

TEST(SessionRules, ASignOfLifeNeverGoesBackNorPastTheGrantNorReopens) {
  const Session session = MakeOpen();
  EXPECT_EQ(10min, WithSignOfLife(session, ArmNew(kNow), kNow + 1s).elapsed);
  EXPECT_EQ(1h, WithSignOfLife(session, ArmNew(kNow), kNow + 9h).elapsed);
  const Session ended = EndedSession(session, SessionEndCause::kFailed, 11min);
  EXPECT_EQ(11min, WithSignOfLife(ended, ArmNew(kNow), kNow + 30min).elapsed);
  EXPECT_FALSE(SignOfLifeDue(ended, ArmNew(kNow), kNow + 30min));
}

TEST(SessionRules, ASessionEndsOnceAndNeverPastItsGrant) {
  // Q10, Q12, P20.
  const Session ended = EndedSession(MakeOpen(), SessionEndCause::kGrantReached, 3h);
  EXPECT_TRUE(ended.ended);
  EXPECT_EQ("GrantReached", ended.end_reason);
  EXPECT_EQ(1h, ended.elapsed);
  const Session again = EndedSession(ended, SessionEndCause::kFailed, 1min);
  EXPECT_EQ("GrantReached", again.end_reason);
  EXPECT_EQ(1h, again.elapsed);
}

TEST(SessionRules, ALostBoardIsChargedUntilItsLastHeartbeat) {
  // Q22.
  const Session session = MakeOpen();
  const SessionTimer timer = ArmNew(kNow);
  EXPECT_EQ(20min, ElapsedAtLoss(session, timer, kNow + 20min));
  EXPECT_EQ(0ms, ElapsedAtLoss(session, timer, kNow - 1min));
}

TEST(SessionRules, ARestartedCoordinatorWaitsForAllWorkersOfASession) {
  const Session session = MakeOpen();
  const Duration window = limits::kReconnectWindow;
  const std::set<BoardId> one = {BoardId("local-0")};
  const std::set<BoardId> all = {BoardId("local-0"), BoardId("local-1"), BoardId("local-2")};
  EXPECT_EQ(RestartVerdict::kWait, JudgeAfterRestart(session, one, kNow, kNow + window - 1ms));
  EXPECT_EQ(RestartVerdict::kEnd, JudgeAfterRestart(session, one, kNow, kNow + window));
  EXPECT_EQ(RestartVerdict::kKeep, JudgeAfterRestart(session, all, kNow, kNow));
  EXPECT_EQ(RestartVerdict::kKeep, JudgeAfterRestart(session, all, kNow, kNow + 2 * window));
}

TEST(SessionRules, ASessionWhoseTrueEndIsUnknownEndsAtItsLastSignOfLife) {
  const Session ended = EndAfterRestart(MakeOpen());
  EXPECT_EQ(10min, ended.elapsed);
  EXPECT_EQ("CoordinatorRestarted", ended.end_reason);
  Session wrong = MakeOpen();
  wrong.elapsed = 5h;
  EXPECT_EQ(1h, EndAfterRestart(wrong).elapsed);
}

}  // namespace
}  // namespace octet
