#include "coordinator/quota/week.h"

#include <gtest/gtest.h>

#include "tests/unit/quota/quota_builder.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

TEST(Week, BeginsOnSaturdayAtMidnight) {
  const Week week = Week::Of(At("2026-12-01T06:00:00Z"));
  EXPECT_EQ(At("2026-11-28T00:00:00Z"), week.start());
  EXPECT_EQ(At("2026-12-05T00:00:00Z"), week.end());
  EXPECT_EQ("2026-11-28", week.Name());
}

TEST(Week, ItsFirstInstantBelongsToItAndItsEndToTheNext) {
  const Week week = Week::Of(At("2026-12-05T00:00:00Z"));
  EXPECT_EQ(At("2026-12-05T00:00:00Z"), week.start());
  EXPECT_EQ(week, Week::Of(week.start()));
  EXPECT_EQ(week, Week::Of(week.end() - 1ms));
  EXPECT_EQ(week.Next(), Week::Of(week.end()));
}

TEST(Week, WeekZeroContainsTheEpochAndEarlierOnesAreNegative) {
  EXPECT_EQ(0, Week::Of(TimePoint{}).index());
  EXPECT_EQ("1969-12-27", Week(0).Name());
  EXPECT_EQ(-1, Week::Of(Week(0).start() - 1ms).index());
  EXPECT_EQ(-1, Week::Of(Week(-1).start()).index());
  EXPECT_EQ(-2, Week::Of(Week(-1).start() - 1ms).index());
}

TEST(Week, ALengthInsideOneWeekIsOnePart) {
  const TimePoint start = At("2026-12-04T21:00:00Z");
  EXPECT_EQ((std::vector<WeekPart>{{Week::Of(start), 3h}}), SplitByWeek(start, 3h));
}

TEST(Week, ALengthAcrossTheResetIsCutExactly) {
  const TimePoint start = At("2026-12-04T23:59:59.999Z");
  const Week week = Week::Of(start);
  EXPECT_EQ((std::vector<WeekPart>{{week, 1ms}, {week.Next(), 1ms}}), SplitByWeek(start, 2ms));
}

TEST(Week, ALengthOfManyWeeksHasAPartOfEach) {
  const TimePoint start = At("2026-12-04T00:00:00Z");
  const Week week = Week::Of(start);
  EXPECT_EQ((std::vector<WeekPart>{{week, 24h},
                                   {week.Next(), kWeekLength},
                                   {week.Next().Next(), kWeekLength},
                                   {week.Next().Next().Next(), 1h}}),
            SplitByWeek(start, 24h + 2 * kWeekLength + 1h));
}

TEST(Week, NothingHasNoParts) {
  EXPECT_TRUE(SplitByWeek(At("2026-12-04T00:00:00Z"), 0ms).empty());
  EXPECT_TRUE(SplitByWeek(At("2026-12-04T00:00:00Z"), -5ms).empty());
}

TEST(Week, DaylightSavingDoesNotChangeItsLength) {
  // Europe and America change their clocks in these weeks.
  for (const char* day : {"2026-03-29T00:00:00Z", "2026-10-25T12:00:00Z", "2026-11-01T12:00:00Z"}) {
    const Week week = Week::Of(At(day));
    EXPECT_EQ(168h, week.end() - week.start());
  }
}

TEST(Week, MomentsAreWrittenWithTheirDayAndNeverTooEarly) {
  EXPECT_EQ("Sat 2026-12-05 00:00 UTC", FormatMoment(At("2026-12-05T00:00:00Z")));
  EXPECT_EQ("Sat 2026-12-05 00:00 UTC", FormatMoment(At("2026-12-04T23:59:00.001Z")));
  EXPECT_EQ("14:32 UTC", FormatMoment(At("2026-12-01T14:31:30Z"), At("2026-12-01T06:00:00Z")));
  EXPECT_EQ("Wed 2026-12-02 14:32 UTC",
            FormatMoment(At("2026-12-02T14:32:00Z"), At("2026-12-01T06:00:00Z")));
}

}  // namespace
}  // namespace octet
