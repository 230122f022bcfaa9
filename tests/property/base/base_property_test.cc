// Random cases of shared/base against second implementations that are slow and plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "shared/base/crc32c.h"
#include "shared/base/random.h"
#include "shared/base/time.h"
#include "shared/base/units.h"

namespace octet {
namespace {

constexpr uint64_t kSeed = 20261201;

// One bit at a time, as RFC 3720 defines it.
uint32_t PlainCrc32c(std::string_view bytes) {
  uint32_t value = 0xFFFFFFFF;
  for (const char byte : bytes) {
    value ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value % 2 == 1 ? 0x82F63B78 : 0);
  }
  return value ^ 0xFFFFFFFF;
}

TEST(Crc32cProperty, IsThatOfThePlainOneForAnyLengthStartAndSplit) {
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  std::string buffer(300, '\0');
  for (char& byte : buffer) byte = static_cast<char>(random.Next32());
  for (int i = 0; i < 2'000; ++i) {
    const size_t begin = random.Below(64), size = random.Below(200), split = random.Below(size + 1);
    const std::string_view text = std::string_view(buffer).substr(begin, size);
    const uint32_t expected = PlainCrc32c(text);
    ASSERT_EQ(Crc32c(text), expected) << begin << "+" << size;
    ASSERT_EQ(Crc32cByTables(text), expected) << begin << "+" << size;
    ASSERT_EQ(Crc32c(text.substr(split), Crc32c(text.substr(0, split))), expected);
  }
}

// Numbers of every magnitude, the ends included.
int64_t AnyNumber(Random& random) {
  const uint64_t number = random.Next64() >> random.Below(64);
  const auto magnitude = static_cast<int64_t>(number);
  switch (random.Below(8)) {
    case 0:
      return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(random.Below(2));
    case 1:
      return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(random.Below(2));
    case 2:
    case 3:
    case 4:
      return static_cast<int64_t>(~number);
    default:
      return magnitude;
  }
}

__extension__ using Wide = __int128;

int64_t Held(Wide number) {
  return static_cast<int64_t>(std::clamp(number, Wide{std::numeric_limits<int64_t>::min()},
                                         Wide{std::numeric_limits<int64_t>::max()}));
}

TEST(SaturatingProperty, IsTheWideResultHeldAtTheEnds) {
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < 100'000; ++i) {
    const int64_t a = AnyNumber(random), b = AnyNumber(random);
    ASSERT_EQ(SaturatingAdd(a, b), Held(Wide{a} + b)) << a << " " << b;
    ASSERT_EQ(SaturatingSubtract(a, b), Held(Wide{a} - b)) << a << " " << b;
    ASSERT_EQ(SaturatingMultiply(a, b), Held(Wide{a} * b)) << a << " " << b;
  }
}

TEST(DurationProperty, IsReadBackAsWritten) {
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const Duration duration(std::max<int64_t>(0, AnyNumber(random)));
    const Result<Duration> parsed = ParseDuration(FormatDuration(duration));
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    ASSERT_EQ(*parsed, duration) << FormatDuration(duration);
  }
}

TEST(TimeProperty, IsReadBackAsWrittenAndSortsAsText) {
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const auto first = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);
  const auto end = std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1);
  const auto span = std::chrono::duration_cast<std::chrono::seconds>(end - first).count();
  const auto any = [&] {
    return TimePoint(first) + std::chrono::seconds(random.Below(static_cast<uint64_t>(span)));
  };
  for (int i = 0; i < 20'000; ++i) {
    const TimePoint a = any(), b = any() + Duration(random.Below(1'000));
    const Result<TimePoint> parsed = ParseTime(FormatTime(b));
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    ASSERT_EQ(*parsed, b);
    const auto seconds_of = [](TimePoint time) { return FormatTime(time).substr(0, 19); };
    if (std::chrono::floor<std::chrono::seconds>(a) < std::chrono::floor<std::chrono::seconds>(b)) {
      ASSERT_LT(seconds_of(a), seconds_of(b));
    }
  }
}

TEST(ParseDurationProperty, NoTextStopsIt) {
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  constexpr std::string_view kAlphabet = "0123456789dhms .-+\0x";
  for (int i = 0; i < 50'000; ++i) {
    std::string text(random.Below(12), ' ');
    for (char& c : text) c = kAlphabet[random.Below(kAlphabet.size())];
    const Result<Duration> duration = ParseDuration(text);
    ASSERT_TRUE(!duration.ok() || duration->count() >= 0) << text;
    (void)ParseTime(text);
  }
}

}  // namespace
}  // namespace octet
