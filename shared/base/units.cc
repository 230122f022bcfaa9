#include "shared/base/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace octet {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

}  // namespace

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMax : kMin;
}

int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kMax : kMin;
}

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a > 0) == (b > 0) ? kMax : kMin;
}

BoardMillis Charge(Boards boards, Duration length) {
  return BoardMillis(SaturatingMultiply(boards.count(), length.count()));
}

std::string FormatBoardTime(BoardMillis amount) {
  const Duration duration(amount.count());
  const auto hours = std::chrono::floor<std::chrono::hours>(duration);
  if (hours < std::chrono::hours(24)) return FormatDurationShort(duration);
  const auto minutes = std::chrono::floor<std::chrono::minutes>(duration - hours);
  return std::to_string(hours.count()) + "h" +
         (minutes.count() == 0 ? "" : " " + std::to_string(minutes.count()) + "m");
}

std::string FormatBytes(Bytes amount) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(amount.count());
  size_t unit = 0;
  // From 1023.95 KiB on, one decimal would show 1024.0.
  while (std::abs(value) >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace octet
