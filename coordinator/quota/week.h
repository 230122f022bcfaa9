// Week: the quota window. It begins Saturday 00:00 UTC and has exactly 168 hours, since UTC here
// has no leap seconds and no daylight saving. Pure. Times are wall times; lengths come from the
// monotonic clock.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/time.h"

namespace octet {

inline constexpr Duration kWeekLength = std::chrono::hours(24 * 7);

class Week {
 public:
  constexpr Week() = default;
  // Week 0 contains 1970-01-01, a Thursday.
  constexpr explicit Week(int64_t index) : index_(index) {}
  // The week that contains `time`; its first instant belongs to it.
  static Week Of(TimePoint time);

  constexpr int64_t index() const { return index_; }
  constexpr Week Next() const { return Week(index_ + 1); }
  TimePoint start() const;
  // The first instant of the next one.
  TimePoint end() const { return Next().start(); }
  // The day on which it began, "2026-11-28": the key of a Session's charges.
  std::string Name() const;

  constexpr auto operator<=>(const Week&) const = default;

 private:
  int64_t index_ = 0;
};

struct WeekPart {
  Week week;
  Duration length{};
  bool operator==(const WeekPart&) const = default;
};

// Cuts [start, start + length) at the weeks' ends: parts in order, each longer than 0, whose sum is
// `length`. Nothing for a length of 0 or less. One part a week, so the caller bounds the length.
std::vector<WeekPart> SplitByWeek(TimePoint start, Duration length);

// "Sat 2026-12-05 00:00 UTC", rounded up to the minute, so that it is not before `time`.
std::string FormatMoment(TimePoint time);
// As FormatMoment, or just "14:32 UTC" on the day of `now`.
std::string FormatMoment(TimePoint time, TimePoint now);

}  // namespace octet
