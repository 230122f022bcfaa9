#include "shared/base/time.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace octet {
namespace {

struct Unit {
  std::string_view name;
  uint32_t millis;
};
// From the largest to the smallest, as a text must have them.
constexpr std::array<Unit, 5> kUnits = {
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

Status BadDuration(std::string_view text) {
  return InvalidArgument("\"" + std::string(text) +
                         "\" is no duration; write one like 90s, 1h30m or 250ms");
}

// Unsigned, since the lowest duration has no positive counterpart.
uint64_t Magnitude(int64_t count) {
  const auto bits = static_cast<uint64_t>(count);
  return count < 0 ? 0 - bits : bits;
}

// Reads `count` digits of `text` at `begin`; -1 if they are not all digits.
int Digits(std::string_view text, size_t begin, size_t count) {
  if (begin + count > text.size()) return -1;
  int value = 0;
  for (size_t i = begin; i < begin + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  if (text == "0") return Duration(0);
  int64_t total = 0;
  size_t next_unit = 0;
  const char* cursor = text.data();
  const char* const end = text.data() + text.size();
  if (cursor == end) return BadDuration(text);
  while (cursor != end) {
    if (*cursor < '0' || *cursor > '9') return BadDuration(text);
    int64_t count = 0;
    const auto [rest, error] = std::from_chars(cursor, end, count);
    if (error != std::errc()) return BadDuration(text);
    const char* name_end = rest;
    while (name_end != end && *name_end >= 'a' && *name_end <= 'z') ++name_end;
    const std::string_view name(rest, static_cast<size_t>(name_end - rest));
    size_t unit = next_unit;
    while (unit < kUnits.size() && kUnits[unit].name != name) ++unit;
    if (unit == kUnits.size()) return BadDuration(text);
    int64_t part = 0;
    if (__builtin_mul_overflow(count, int64_t{kUnits[unit].millis}, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return InvalidArgument("\"" + std::string(text) + "\" is too long a duration");
    }
    next_unit = unit + 1;
    cursor = name_end;
  }
  return Duration(total);
}

std::string FormatDuration(Duration duration) {
  uint64_t left = Magnitude(duration.count());
  if (left == 0) return "0s";
  std::string text = duration.count() < 0 ? "-" : "";
  for (const Unit& unit : kUnits) {
    if (left >= unit.millis) text += std::to_string(left / unit.millis) + std::string(unit.name);
    left %= unit.millis;
  }
  return text;
}

std::string FormatDurationShort(Duration duration) {
  uint64_t left = Magnitude(duration.count());
  std::string text = duration.count() < 0 ? "-" : "";
  if (left < 1000) return left == 0 ? "0s" : text + std::to_string(left) + "ms";
  int parts = 0;
  for (const Unit& unit : kUnits) {
    if (unit.millis < 1000 || parts == 2) break;
    const uint64_t count = left / unit.millis;
    left %= unit.millis;
    if (count == 0) {
      if (parts > 0) break;  // "2d", not "2d 5m": the two largest neighbours.
      continue;
    }
    if (parts > 0) text += ' ';
    text += std::to_string(count) + std::string(unit.name);
    ++parts;
  }
  return text;
}

std::string FormatTime(TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const int64_t millis = (time - day).count();
  char text[40];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(millis / 3'600'000), static_cast<int>(millis / 60'000 % 60),
                static_cast<int>(millis / 1'000 % 60));
  std::string result = text;
  if (millis % 1000 != 0) {
    std::snprintf(text, sizeof(text), ".%03d", static_cast<int>(millis % 1000));
    result += text;
  }
  return result + "Z";
}

Result<TimePoint> ParseTime(std::string_view text) {
  const auto bad = [&] {
    return InvalidArgument("\"" + std::string(text) +
                           "\" is no time; write one like 2026-12-01T06:00:00Z");
  };
  const int year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  const int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || year < 0 || month < 0 || day < 0 || hour < 0 || hour > 23 || minute < 0 ||
      minute > 59 || second < 0 || second > 59) {
    return bad();
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return bad();
  size_t cursor = 19;
  int millis = 0;
  if (text[cursor] == '.') {
    // Digits past the third are below our resolution.
    int weight = 100;
    const size_t first = cursor + 1;
    for (++cursor; cursor < text.size() && text[cursor] >= '0' && text[cursor] <= '9'; ++cursor) {
      millis += weight * (text[cursor] - '0');
      weight /= 10;
    }
    if (cursor == first) return bad();
  }
  if (cursor + 1 != text.size() || text[cursor] != 'Z') return bad();
  return TimePoint(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                   std::chrono::minutes(minute) + std::chrono::seconds(second) +
                   std::chrono::milliseconds(millis));
}

}  // namespace octet
