#include "worker/input/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace octet {
namespace {

using ::testing::Each;

std::vector<uint32_t> Batch(const EpochOrder& order, int64_t step) {
  const int64_t rows = order.BatchRows(step);
  std::vector<uint32_t> positions(static_cast<size_t>(rows));
  order.Rows(step, {.begin = 0, .end = rows}, positions.data());
  return positions;
}

std::vector<uint32_t> Epoch(const EpochOrder& order, int64_t epoch) {
  std::vector<uint32_t> all;
  for (int64_t i = 0; i < order.steps_per_epoch(); ++i) {
    const auto batch = Batch(order, epoch * order.steps_per_epoch() + i);
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

TEST(Permutation, HitsEveryIndexOnceForEverySize) {
  for (const int64_t size : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 150, 1000, 1024, 1025, 1797}) {
    std::set<int64_t> seen;
    const Permutation permutation(42, size);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t image = permutation.At(i);
      ASSERT_GE(image, 0);
      ASSERT_LT(image, size);
      seen.insert(image);
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), size) << size;
  }
}

TEST(Permutation, SpreadsEachPositionOverAllIndicesAsTheKeyChanges) {
  // 4,000 keys over 16 indices: 250 each; 5 standard deviations are 77.
  for (int64_t position = 0; position < 16; ++position) {
    std::map<int64_t, int> counts;
    for (uint64_t key = 0; key < 4000; ++key) ++counts[Permutation(key, 16).At(position)];
    for (const auto& [index, count] : counts)
      EXPECT_NEAR(count, 250, 77) << position << " " << index;
  }
}

TEST(Permutation, LeavesFewIndicesInPlaceOrBesideTheirNeighbour) {
  const Permutation permutation(7, 10'000);
  int fixed = 0;
  int neighbours = 0;
  for (int64_t i = 0; i + 1 < 10'000; ++i) {
    fixed += permutation.At(i) == i ? 1 : 0;
    neighbours += permutation.At(i + 1) == permutation.At(i) + 1 ? 1 : 0;
  }
  EXPECT_LT(fixed, 10);       // One is expected.
  EXPECT_LT(neighbours, 10);  // One is expected.
}

TEST(Split, PartsAreSortedDisjointAndComplete) {
  const Split split = SplitBySeed(150, 0.2, 7);
  EXPECT_EQ(split.validation.size(), 30U);
  EXPECT_EQ(split.train.size(), 120U);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_TRUE(std::is_sorted(split.validation.begin(), split.validation.end()));
  std::set<uint32_t> all(split.train.begin(), split.train.end());
  all.insert(split.validation.begin(), split.validation.end());
  EXPECT_EQ(all.size(), 150U);
}

TEST(Split, DependsOnTheSeedAloneAndRoundsDown) {
  EXPECT_EQ(SplitBySeed(1797, 0.2, 7).validation, SplitBySeed(1797, 0.2, 7).validation);
  EXPECT_NE(SplitBySeed(1797, 0.2, 7).validation, SplitBySeed(1797, 0.2, 8).validation);
  EXPECT_EQ(SplitBySeed(1797, 0.2, 7).validation.size(), 359U);
  EXPECT_EQ(SplitBySeed(100, 0.29, 7).validation.size(), 29U);
  EXPECT_TRUE(SplitBySeed(100, 0, 7).validation.empty());
}

TEST(ShardRows, CoverTheBatchAndDifferByOneAtMost) {
  for (const int64_t rows : {0, 1, 5, 20, 31, 32, 33, 128}) {
    int64_t next = 0;
    for (int64_t shard = 0; shard < 32; ++shard) {
      const RowRange range = ShardRows(rows, shard, 32);
      EXPECT_EQ(range.begin, next);
      EXPECT_LE(std::abs(range.size() * 32 - rows), 32);
      next = range.end;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(EpochOrder, AnEpochIsOnePassWithTheLastPartialBatch) {
  const EpochOrder order({.examples = 120, .batch_size = 50, .epochs = 2, .seed = 1});
  EXPECT_EQ(order.steps_per_epoch(), 3);
  EXPECT_EQ(order.total_steps(), 6);
  EXPECT_EQ(order.BatchRows(1), 50);
  EXPECT_EQ(order.BatchRows(2), 20);
  EXPECT_EQ(order.BatchRows(3), 50);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    auto seen = Epoch(order, epoch);
    std::sort(seen.begin(), seen.end());
    std::vector<uint32_t> all(120);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(seen, all);
  }
  EXPECT_NE(Epoch(order, 0), Epoch(order, 1));
}

TEST(EpochOrder, ShardsOfABatchMakeTheBatch) {
  const EpochOrder order({.examples = 120, .batch_size = 50, .epochs = 1, .seed = 1});
  std::vector<uint32_t> joined;
  for (int64_t shard = 0; shard < 8; ++shard) {
    const RowRange rows = ShardRows(50, shard, 8);
    std::vector<uint32_t> part(static_cast<size_t>(rows.size()));
    order.Rows(1, rows, part.data());
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, Batch(order, 1));
}

TEST(EpochOrder, GivenStepsAnEpochRunsOnOverTheEndOfAPass) {
  const EpochOrder order(
      {.examples = 10, .batch_size = 4, .steps_per_epoch = 5, .epochs = 2, .seed = 3});
  EXPECT_EQ(order.total_steps(), 10);
  std::map<uint32_t, int> counts;  // Ten steps of four are four passes over ten examples.
  for (int64_t step = 0; step < 10; ++step) {
    EXPECT_EQ(order.BatchRows(step), 4);
    for (const uint32_t position : Batch(order, step)) ++counts[position];
  }
  std::vector<int> values;
  for (const auto& [position, count] : counts) values.push_back(count);
  EXPECT_EQ(values.size(), 10U);
  EXPECT_THAT(values, Each(4));
}

}  // namespace
}  // namespace octet
