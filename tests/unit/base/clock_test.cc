#include "shared/base/clock.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(FakeClock, StandsStillUntilTold) {
  const FakeClock clock(TimePoint(seconds(100)));
  EXPECT_EQ(clock.Now(), TimePoint(seconds(100)));
  EXPECT_EQ(clock.Now(), clock.Now());
  EXPECT_EQ(clock.Monotonic(), clock.Monotonic());
}

TEST(FakeClock, AdvancesBothTimes) {
  FakeClock clock(TimePoint(seconds(100)));
  const MonotonicTime before = clock.Monotonic();
  clock.Advance(seconds(5));
  EXPECT_EQ(clock.Now(), TimePoint(seconds(105)));
  EXPECT_EQ(clock.Monotonic() - before, seconds(5));
}

TEST(FakeClock, AWallClockThatIsSetBackLeavesMonotonicTimeAlone) {
  FakeClock clock(TimePoint(hours(100)));
  const MonotonicTime before = clock.Monotonic();
  clock.SetWall(TimePoint(hours(1)));
  EXPECT_EQ(clock.Now(), TimePoint(hours(1)));
  EXPECT_EQ(clock.Monotonic(), before);
}

TEST(SystemClock, MonotonicTimeNeverGoesBack) {
  const SystemClock clock;
  MonotonicTime last = clock.Monotonic();
  for (int i = 0; i < 1000; ++i) {
    const MonotonicTime now = clock.Monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, WallTimeIsAfterThisWasWritten) {
  EXPECT_GT(SystemClock().Now(), *ParseTime("2024-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace octet
