#include "shared/base/backoff.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace octet {
namespace {

constexpr BackoffOptions kOptions{.first = Duration(100), .max = Duration(1'000), .factor = 2.0};

TEST(Backoff, EachWaitLiesBetweenHalfAndTheWholeStep) {
  const int64_t whole[] = {100, 200, 400, 800, 1'000, 1'000};
  Random random(11);
  for (int attempt = 1; attempt <= 6; ++attempt) {
    for (int draw = 0; draw < 200; ++draw) {
      const int64_t wait = BackoffDelay(kOptions, attempt, random).count();
      ASSERT_GE(wait, whole[attempt - 1] / 2) << attempt;
      ASSERT_LE(wait, whole[attempt - 1]) << attempt;
    }
  }
}

TEST(Backoff, ReachesBothEndsOfTheRange) {
  const BackoffOptions options{.first = Duration(4), .max = Duration(4)};
  Random random(12);
  std::set<int64_t> waits;
  for (int draw = 0; draw < 200; ++draw) waits.insert(BackoffDelay(options, 1, random).count());
  EXPECT_EQ(waits, (std::set<int64_t>{2, 3, 4}));
}

TEST(Backoff, StaysAtTheMaximumForever) {
  Random random(13);
  EXPECT_LE(BackoffDelay(kOptions, std::numeric_limits<int>::max(), random), kOptions.max);
  EXPECT_GE(BackoffDelay(kOptions, std::numeric_limits<int>::max(), random), kOptions.max / 2);
}

TEST(Backoff, TreatsAnAttemptBeforeTheFirstAsTheFirst) {
  Random random(14);
  EXPECT_LE(BackoffDelay(kOptions, 0, random), kOptions.first);
}

TEST(Backoff, TwoClientsDoNotComeBackTogether) {
  Random one(1), two(2);
  int together = 0;
  for (int attempt = 1; attempt <= 10; ++attempt) {
    if (BackoffDelay(kOptions, 5, one) == BackoffDelay(kOptions, 5, two)) ++together;
  }
  EXPECT_LT(together, 3);
}

}  // namespace
}  // namespace octet
