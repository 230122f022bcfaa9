// Points in time and durations: the types, and their one text form. Pure; reading a clock is
// clock.h.
//
// Wall time (TimePoint) says when something happened and in which week; it may be set back or
// forward. Monotonic time says how long something took; only differences within one process mean
// anything.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/base/status.h"

namespace octet {

using Duration = std::chrono::milliseconds;
using TimePoint = std::chrono::sys_time<std::chrono::milliseconds>;

struct MonotonicClockTag {
  using rep = int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<MonotonicClockTag, std::chrono::nanoseconds>;
  static constexpr bool is_steady = true;
};
using MonotonicTime = MonotonicClockTag::time_point;

// "90s", "1h30m", "250ms", "7d": one or more of d, h, m, s, ms in falling order, no sign, no
// spaces; a bare "0" is allowed. Anything else is kInvalidArgument with an example in the message.
Result<Duration> ParseDuration(std::string_view text);
// The shortest text that ParseDuration reads back as the same: "1h30m", "0s".
std::string FormatDuration(Duration duration);
// For people, two largest units: "2d 4h", "12h 30m", "4m 5s", "0s".
std::string FormatDurationShort(Duration duration);

// RFC 3339 in UTC (`Z`; no offsets, no leap second), years 0 to 9999. Writes
// "2026-12-01T06:00:00Z", with ".123" where milliseconds are not 0.
std::string FormatTime(TimePoint time);
Result<TimePoint> ParseTime(std::string_view text);

}  // namespace octet
