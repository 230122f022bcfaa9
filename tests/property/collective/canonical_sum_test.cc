#include "worker/collective/canonical_sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/property/collective/reference_sum.h"

namespace octet {
namespace {

std::vector<const float*> Pointers(const ShardValues& values, int64_t begin, int64_t end) {
  std::vector<const float*> pointers;
  for (int64_t i = begin; i < end; ++i) pointers.push_back(values[static_cast<size_t>(i)].data());
  return pointers;
}

// Each of `ranks` boards sums its shards to its roots, in pieces that begin and end where `random`
// says; then the roots are combined.
std::vector<float> SumOverBoards(const ShardValues& values, int ranks, Random& random) {
  const auto shards = static_cast<int64_t>(values.size());
  const auto elements = static_cast<int64_t>(values[0].size());
  std::vector<std::vector<float>> roots;
  for (int rank = 0; rank < ranks; ++rank) {
    const ShardSum sum(ShardsOfRank(shards, rank, ranks), shards);
    const size_t first = roots.size();
    std::vector<float*> places;
    for (size_t i = 0; i < sum.roots().size(); ++i) {
      roots.emplace_back(static_cast<size_t>(elements), std::numeric_limits<float>::quiet_NaN());
    }
    for (size_t i = first; i < roots.size(); ++i) places.push_back(roots[i].data());
    for (int64_t begin = 0; begin < elements;) {
      const auto rest = static_cast<uint64_t>(elements - begin);
      const int64_t end = begin + 1 + static_cast<int64_t>(random.Below(rest));
      sum.Sum(Pointers(values, sum.range().begin, sum.range().end), places, begin, end);
      begin = end;
    }
  }
  std::vector<const float*> inputs;
  for (const auto& root : roots) inputs.push_back(root.data());
  std::vector<float> result(static_cast<size_t>(elements));
  RootSum::OfRanks(shards, ranks).Sum(inputs, result.data(), elements);
  return result;
}

TEST(CanonicalSum, EqualsTheReferenceForAnyBoardsShardsAndPieces) {
  const uint64_t seed = SystemRandom64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (int64_t shards = 4 * ranks; shards <= 96; shards += 4 * ranks) {
      for (const int64_t elements : {1, 7, 16, 33, 1023, 1024, 1025, 3001}) {
        SCOPED_TRACE(std::to_string(ranks) + " boards, " + std::to_string(shards) + " shards, " +
                     std::to_string(elements) + " elements");
        const ShardValues values = MixedMagnitudes(shards, elements, random);
        ASSERT_EQ(Bits(SumOverBoards(values, ranks, random)), Bits(ReferenceSums(values)));
      }
    }
  }
}

TEST(CanonicalSum, TakesAnyNumberOfShardsOnOneBoard) {
  Random random(1);
  for (int64_t shards = 1; shards <= 70; ++shards) {
    SCOPED_TRACE(shards);
    const ShardValues values = MixedMagnitudes(shards, 19, random);
    EXPECT_EQ(Bits(SumOverBoards(values, 1, random)), Bits(ReferenceSums(values)));
  }
}

TEST(CanonicalSum, OneBoardHasOneRootAndEqualPowersOfTwoHaveOneEach) {
  for (const int64_t shards : {8, 24, 40, 56}) {
    EXPECT_EQ(SubtreeRoots({0, shards}, shards).size(), 1U) << shards;
  }
  for (int ranks = 2; ranks <= 5; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      const auto range = ShardsOfRank(8 * ranks, rank, ranks);
      EXPECT_EQ(SubtreeRoots(range, 8 * ranks).size(), 1U) << rank << " of " << ranks;
    }
  }
  // 6 groups a board: a half tree and a quarter of the next.
  EXPECT_EQ(SubtreeRoots({0, 24}, 48), (std::vector<TreeNode>{{.first_group = 0, .groups = 4},
                                                              {.first_group = 4, .groups = 2}}));
}

// The inputs of these tests would find a change of the order: each of these is the order of some
// other library.
TEST(CanonicalSum, TheInputsTellOtherOrdersApart) {
  Random random(2);
  for (const int64_t shards : {8, 16, 24, 32, 40}) {
    const ShardValues values = MixedMagnitudes(shards, 101, random);
    const auto canonical = Bits(ReferenceSums(values));
    std::vector<float> in_order;
    std::vector<float> reversed;
    std::vector<float> rotated;
    for (size_t e = 0; e < 101; ++e) {
      std::vector<float> column;
      for (const auto& shard : values) column.push_back(shard[e]);
      in_order.push_back(std::accumulate(column.begin() + 1, column.end(), column[0]));
      reversed.push_back(ReferenceSum({column.rbegin(), column.rend()}));
      std::rotate(column.begin(), column.begin() + 1, column.end());
      rotated.push_back(ReferenceSum(column));
    }
    EXPECT_NE(Bits(in_order), canonical) << shards;
    EXPECT_NE(Bits(reversed), canonical) << shards;
    EXPECT_NE(Bits(rotated), canonical) << shards;
  }
}

TEST(CanonicalSum, MinusZeroAndNotANumberSurvive) {
  Random random(3);
  for (const int64_t shards : {8, 24, 40}) {
    ShardValues values(static_cast<size_t>(shards), std::vector<float>(20, -0.0f));
    values[5][3] = std::numeric_limits<float>::quiet_NaN();
    values[7][4] = std::numeric_limits<float>::infinity();
    const auto sums = SumOverBoards(values, static_cast<int>(shards / 8), random);
    for (size_t e = 0; e < sums.size(); ++e) {
      if (e == 3) {
        EXPECT_TRUE(std::isnan(sums[e]));
      } else if (e == 4) {
        EXPECT_TRUE(std::isinf(sums[e]));
      } else {
        EXPECT_TRUE(sums[e] == 0 && std::signbit(sums[e])) << "an absent leaf was added as 0";
      }
    }
  }
}

TEST(CanonicalSumDeathTest, ShardsThatSplitAGroupAreOurOwnMistake) {
  EXPECT_DEATH(ShardsOfRank(12, 0, 2), "do not divide");
  EXPECT_DEATH(RootSum({{.first_group = 0, .groups = 2}}, 16), "do not cover");
}

}  // namespace
}  // namespace octet
