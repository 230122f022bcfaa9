#include "coordinator/quota/week.h"

#include <algorithm>

namespace octet {
namespace {

// The first Saturday after 1970-01-01, which was a Thursday.
constexpr TimePoint kFirstSaturday{std::chrono::days(2)};

}  // namespace

TimePoint WeekStart(TimePoint time) {
  const Duration since = time - kFirstSaturday;
  Duration into = since % kWeek;
  if (into < Duration(0)) into += kWeek;
  return time - into;
}

std::vector<WeekPart> SplitByWeek(TimePoint start, Duration length) {
  std::vector<WeekPart> parts;
  while (length > Duration(0)) {
    const TimePoint week = WeekStart(start);
    const Duration part = std::min(length, Duration(week + kWeek - start));
    parts.push_back({week, part});
    start += part;
    length -= part;
  }
  return parts;
}

std::string WeekName(TimePoint week) { return FormatTime(week).substr(0, 10); }

}  // namespace octet
