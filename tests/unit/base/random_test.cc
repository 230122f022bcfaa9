#include "shared/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace octet {
namespace {

using testing::ElementsAre;

// kat_vectors of Random123, lines "philox4x32 10".
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(PhiloxBlock(0, 0, 0), ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(PhiloxBlock(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(PhiloxBlock(0x299f31d0'a4093822, 0x85a308d3'243f6a88, 0x03707344'13198a2e),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Random, GivesTheBlocksOfItsKeyInOrder) {
  Random random(7, 3);
  for (uint64_t block = 0; block < 3; ++block) {
    for (const uint32_t word : PhiloxBlock(7, block, 3)) EXPECT_EQ(random.Next32(), word);
  }
}

TEST(Random, ACopyReplays) {
  Random random(42);
  random.Next32();
  Random copy = random;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.Next64(), copy.Next64());
}

TEST(Random, OtherKeysAndStreamsGiveOtherNumbers) {
  std::set<uint64_t> firsts;
  for (uint64_t key = 0; key < 10; ++key) {
    for (uint64_t stream = 0; stream < 10; ++stream) firsts.insert(Random(key, stream).Next64());
  }
  EXPECT_EQ(firsts.size(), 100U);
}

TEST(Random, BelowReachesEachNumberAboutEquallyOften) {
  Random random(1);
  constexpr int kDraws = 60'000;
  std::vector<int> counts(6);
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t number = random.Below(6);
    ASSERT_LT(number, 6U);
    ++counts[number];
  }
  // The variance of a count is 60,000 * 1/6 * 5/6; five deviations are 456.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 6, 456);
}

TEST(Random, BelowOneIsZero) { EXPECT_EQ(Random(5).Below(1), 0U); }

TEST(Random, BelowAHugeBoundHasNoBias) {
  // Two thirds of 2^64: plain remainders would fall into the lower half twice as often.
  const uint64_t bound = 0xAAAA'AAAA'AAAA'AAAA;
  Random random(2);
  int low = 0;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t number = random.Below(bound);
    ASSERT_LT(number, bound);
    if (number < bound / 2) ++low;
  }
  EXPECT_NEAR(low, 5'000, 250);
}

TEST(RandomDeathTest, BelowZeroIsOurMistake) { EXPECT_DEATH(Random(5).Below(0), "bound > 0"); }

TEST(Random, FloatsLieInTheHalfOpenUnitInterval) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const float number = random.NextFloat();
    ASSERT_GE(number, 0.0F);
    ASSERT_LT(number, 1.0F);
    sum += number;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.015);
}

TEST(Random, NormalsHaveMeanZeroAndVarianceOne) {
  Random random(4);
  double sum = 0, squares = 0;
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) {
    const double number = random.NextNormal();
    ASSERT_TRUE(std::isfinite(number));
    sum += number;
    squares += number * number;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.025);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.04);
}

TEST(MixKey, DependsOnEachPartAndItsPlace) {
  std::set<uint64_t> keys = {MixKey(0, 0),       MixKey(1, 0), MixKey(0, 1), MixKey(0, 0, 1),
                             MixKey(0, 0, 0, 1), MixKey(1, 2), MixKey(2, 1)};
  EXPECT_EQ(keys.size(), 7U);
  EXPECT_EQ(MixKey(1, 2, 3, 4), MixKey(1, 2, 3, 4));
}

TEST(SystemRandom64, DoesNotRepeat) { EXPECT_NE(SystemRandom64(), SystemRandom64()); }

}  // namespace
}  // namespace octet
