#include "coordinator/quota/week.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace octet {
namespace {

// 1969-12-27, the last Saturday before the epoch, which was a Thursday.
constexpr TimePoint kWeekZero{-std::chrono::hours(5 * 24)};

std::string FormatClock(TimePoint minute) {
  const Duration of_day = minute - std::chrono::floor<std::chrono::days>(minute);
  char text[16];
  std::snprintf(text, sizeof(text), "%02d:%02d UTC", static_cast<int>(of_day.count() / 3'600'000),
                static_cast<int>(of_day.count() / 60'000 % 60));
  return text;
}

}  // namespace

Week Week::Of(TimePoint time) {
  const int64_t since = (time - kWeekZero).count();
  const int64_t length = kWeekLength.count();
  return Week(since >= 0 ? since / length : -((-since + length - 1) / length));
}

TimePoint Week::start() const { return kWeekZero + index_ * kWeekLength; }

std::string Week::Name() const { return FormatTime(start()).substr(0, 10); }

std::vector<WeekPart> SplitByWeek(TimePoint start, Duration length) {
  std::vector<WeekPart> parts;
  Week week = Week::Of(start);
  while (length > Duration(0)) {
    const Duration part = std::min(length, Duration(week.end() - start));
    parts.push_back({.week = week, .length = part});
    start += part;
    length -= part;
    week = week.Next();
  }
  return parts;
}

std::string FormatMoment(TimePoint time) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  const TimePoint minute = std::chrono::ceil<std::chrono::minutes>(time);
  const auto day = std::chrono::floor<std::chrono::days>(minute);
  return std::string(kDays[std::chrono::weekday(day).c_encoding()]) + " " +
         FormatTime(day).substr(0, 10) + " " + FormatClock(minute);
}

std::string FormatMoment(TimePoint time, TimePoint now) {
  const TimePoint minute = std::chrono::ceil<std::chrono::minutes>(time);
  const bool same_day =
      std::chrono::floor<std::chrono::days>(minute) == std::chrono::floor<std::chrono::days>(now);
  return same_day ? FormatClock(minute) : FormatMoment(time);
}

}  // namespace octet
