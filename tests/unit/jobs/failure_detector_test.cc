#include "coordinator/jobs/failure_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/base/limits.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MonotonicTime kNow{std::chrono::hours(10)};

// A detector that has run without a pause until now.
DetectorState Awake(MonotonicTime now) { return {.checked = now - 200ms}; }

std::vector<LastHeard> Heard(MonotonicTime when) {
  return {{.board = BoardId("local-0"), .heard = when}};
}

TEST(FailureDetector, ABoardIsLostExactlyAtTheTimeout) {
  const Duration limit = limits::kHeartbeatTimeout;
  EXPECT_THAT(DetectLost(Awake(kNow), Heard(kNow - limit + 1ns), kNow).lost, IsEmpty());
  EXPECT_THAT(DetectLost(Awake(kNow), Heard(kNow - limit), kNow).lost,
              ElementsAre(BoardId("local-0")));
}

TEST(FailureDetector, ABoardWhoseProcessIsGoneIsLostAtOnce) {
  const std::vector<LastHeard> boards = {
      {.board = BoardId("local-0"), .heard = kNow},
      {.board = BoardId("local-1"), .heard = kNow, .process_gone = true}};
  EXPECT_THAT(DetectLost({}, boards, kNow).lost, ElementsAre(BoardId("local-1")));
}

TEST(FailureDetector, APausedCoordinatorGivesLiveBoardsTimeToBeHeard) {
  // P25: the clock was stale, not the board.
  const DetectorState slept{.checked = kNow - 1h};
  const Detection woken = DetectLost(slept, Heard(kNow - 1h), kNow);
  EXPECT_THAT(woken.lost, IsEmpty());
  const MonotonicTime later = kNow + 2 * limits::kHeartbeatInterval;
  EXPECT_EQ(later, woken.next);
  DetectorState state = woken.state;
  state.checked = later - 200ms;
  EXPECT_THAT(DetectLost(state, Heard(kNow - 1h), later).lost, ElementsAre(BoardId("local-0")));
  EXPECT_THAT(DetectLost(state, Heard(kNow + 500ms), later).lost, IsEmpty());
}

TEST(FailureDetector, PatienceLastsOverSeveralLooks) {
  const Detection woken = DetectLost({.checked = kNow - 1h}, Heard(kNow - 1h), kNow);
  EXPECT_THAT(DetectLost(woken.state, Heard(kNow - 1h), kNow + 200ms).lost, IsEmpty());
}

TEST(FailureDetector, OnlyMoreThanTwoIntervalsBetweenLooksAreAPause) {
  const std::vector<LastHeard> silent = Heard(kNow - limits::kHeartbeatTimeout);
  const MonotonicTime checked = kNow - 2 * limits::kHeartbeatInterval;
  EXPECT_THAT(DetectLost({.checked = checked}, silent, kNow).lost, ElementsAre(BoardId("local-0")));
  EXPECT_THAT(DetectLost({.checked = checked - 1ns}, silent, kNow).lost, IsEmpty());
}

TEST(FailureDetector, TheFirstRunAfterAStartLosesNobodyBySilence) {
  EXPECT_THAT(DetectLost({}, Heard(MonotonicTime{}), kNow).lost, IsEmpty());
}

TEST(FailureDetector, ItSaysWhenToLookAgain) {
  std::vector<LastHeard> boards = Heard(kNow - 1s);
  boards.push_back({.board = BoardId("local-1"), .heard = kNow - 3s});
  EXPECT_EQ(kNow - 3s + limits::kHeartbeatTimeout, DetectLost(Awake(kNow), boards, kNow).next);
  EXPECT_EQ(std::nullopt, DetectLost(Awake(kNow), {}, kNow).next);
}

}  // namespace
}  // namespace octet
