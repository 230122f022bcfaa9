#include "shared/base/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace octet {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Ok text, or the code's name.
std::string Parsed(std::string_view text) {
  const Result<Duration> duration = ParseDuration(text);
  if (!duration.ok()) return std::string(StatusCodeName(duration.status().code()));
  return std::to_string(duration->count());
}

TEST(ParseDuration, ReadsEachUnit) {
  EXPECT_EQ(Parsed("250ms"), "250");
  EXPECT_EQ(Parsed("90s"), "90000");
  EXPECT_EQ(Parsed("5m"), "300000");
  EXPECT_EQ(Parsed("3h"), "10800000");
  EXPECT_EQ(Parsed("7d"), "604800000");
}

TEST(ParseDuration, ReadsSeveralUnitsInFallingOrder) {
  EXPECT_EQ(Parsed("1h30m"), "5400000");
  EXPECT_EQ(Parsed("1d2h3m4s5ms"), "93784005");
  EXPECT_EQ(Parsed("1m5ms"), "60005");
}

TEST(ParseDuration, ReadsABareZeroAlone) {
  EXPECT_EQ(Parsed("0"), "0");
  EXPECT_EQ(Parsed("0s"), "0");
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text :
       {"",   " ",    "5",     "00",   "s",     "-5s",  "+5s", "1.5h", "5 s",  " 5s",   "5s ",
        "5S", "5sec", "30m1h", "1h1h", "5ms1s", "1h30", "5us", "1w",   "0x5s", "1h,30m"}) {
    EXPECT_EQ(Parsed(text), "InvalidArgument") << text;
  }
  EXPECT_EQ(Parsed(std::string_view("5s\0", 3)), "InvalidArgument");
}

TEST(ParseDuration, GivesAnExampleInTheMessage) {
  const Status status = ParseDuration("3 hours").status();
  EXPECT_THAT(status.message(), HasSubstr("\"3 hours\""));
  EXPECT_THAT(status.message(), HasSubstr("1h30m"));
}

TEST(ParseDuration, ReadsTheLongestAndRefusesOneMore) {
  EXPECT_EQ(Parsed("9223372036854775807ms"), "9223372036854775807");
  EXPECT_EQ(Parsed("9223372036854775808ms"), "InvalidArgument");
  EXPECT_EQ(Parsed("106751991168d"), "InvalidArgument");
  EXPECT_EQ(Parsed("9223372036854775s808ms"), "InvalidArgument");
  EXPECT_EQ(Parsed("9223372036854775s807ms"), "9223372036854775807");
}

TEST(FormatDuration, IsTheShortestText) {
  EXPECT_EQ(FormatDuration(Duration(0)), "0s");
  EXPECT_EQ(FormatDuration(hours(1) + minutes(30)), "1h30m");
  EXPECT_EQ(FormatDuration(seconds(90)), "1m30s");
  EXPECT_EQ(FormatDuration(hours(168)), "7d");
  EXPECT_EQ(FormatDuration(milliseconds(1001)), "1s1ms");
}

TEST(FormatDuration, ShowsNegativeDurationsDownToTheLowest) {
  EXPECT_EQ(FormatDuration(-minutes(5)), "-5m");
  EXPECT_EQ(FormatDuration(Duration::min()), "-106751991167d7h12m55s808ms");
}

TEST(FormatDurationShort, ShowsTheTwoLargestUnits) {
  EXPECT_EQ(FormatDurationShort(days(2) + hours(4) + minutes(59)), "2d 4h");
  EXPECT_EQ(FormatDurationShort(hours(12) + minutes(30)), "12h 30m");
  EXPECT_EQ(FormatDurationShort(minutes(4) + seconds(5)), "4m 5s");
  EXPECT_EQ(FormatDurationShort(Duration(0)), "0s");
  EXPECT_EQ(FormatDurationShort(-minutes(4)), "-4m");
}

TEST(FormatDurationShort, LeavesOutWhatIsTwoUnitsAway) {
  EXPECT_EQ(FormatDurationShort(days(2) + minutes(5)), "2d");
  EXPECT_EQ(FormatDurationShort(seconds(4) + milliseconds(900)), "4s");
  EXPECT_EQ(FormatDurationShort(milliseconds(900)), "900ms");
}

TimePoint At(std::chrono::year_month_day date, Duration since_midnight) {
  return TimePoint(std::chrono::sys_days(date).time_since_epoch() + since_midnight);
}

constexpr std::chrono::year_month_day kFirstOfDecember{std::chrono::year(2026),
                                                       std::chrono::December, std::chrono::day(1)};

TEST(FormatTime, IsRfc3339InUtc) {
  EXPECT_EQ(FormatTime(At(kFirstOfDecember, hours(6))), "2026-12-01T06:00:00Z");
  EXPECT_EQ(FormatTime(At(kFirstOfDecember, milliseconds(7))), "2026-12-01T00:00:00.007Z");
  EXPECT_EQ(FormatTime(TimePoint{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(TimePoint(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(ParseTime, ReadsWhatFormatTimeWrites) {
  for (const TimePoint time : {TimePoint{}, TimePoint(milliseconds(-1)),
                               At(kFirstOfDecember, hours(6) + milliseconds(120)),
                               At(kFirstOfDecember, hours(24) - milliseconds(1))}) {
    const Result<TimePoint> parsed = ParseTime(FormatTime(time));
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    EXPECT_EQ(*parsed, time);
  }
}

TEST(ParseTime, DropsDigitsBelowTheMillisecond) {
  EXPECT_EQ(*ParseTime("2026-12-01T06:00:00.123999999Z"),
            At(kFirstOfDecember, hours(6) + milliseconds(123)));
  EXPECT_EQ(*ParseTime("2026-12-01T06:00:00.5Z"),
            At(kFirstOfDecember, hours(6) + milliseconds(500)));
}

TEST(ParseTime, KnowsLeapYears) {
  EXPECT_TRUE(ParseTime("2028-02-29T00:00:00Z").ok());
  EXPECT_TRUE(ParseTime("2000-02-29T00:00:00Z").ok());
  EXPECT_FALSE(ParseTime("2026-02-29T00:00:00Z").ok());
  EXPECT_FALSE(ParseTime("2100-02-29T00:00:00Z").ok());
}

TEST(ParseTime, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "now", "2026-12-01", "2026-12-01T06:00:00", "2026-12-01 06:00:00Z",
        "2026-12-01T06:00:00+01:00", "2026-13-01T06:00:00Z", "2026-00-01T06:00:00Z",
        "2026-12-32T06:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T06:60:00Z",
        "2026-12-01T06:00:60Z", "2026-12-01T06:00:00.Z", "2026-12-01T06:00:00ZZ",
        "2026-12-01T06:00:00.1", "26-12-01T06:00:00Z", "2026-1-001T06:00:00Z",
        "-026-12-01T06:00:00Z", "2026-12-01T06:00:0 Z"}) {
    const Result<TimePoint> time = ParseTime(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_THAT(time.status().message(), HasSubstr("2026-12-01T06:00:00Z"));
  }
}

}  // namespace
}  // namespace octet
