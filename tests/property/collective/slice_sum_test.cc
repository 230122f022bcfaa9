#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/collective/reference_sum.h"
#include "tests/property/collective/simulated_slice.h"
#include "worker/collective/canonical_sum.h"

namespace octet {
namespace {

// The buffers of every board, with its shards summed to its roots.
std::vector<SumBuffer> Buffers(const ShardValues& values, int ranks) {
  const auto shards = static_cast<int64_t>(values.size());
  const auto elements = static_cast<int64_t>(values[0].size());
  std::vector<SumBuffer> buffers;
  for (int rank = 0; rank < ranks; ++rank) {
    const ShardSum sum(ShardsOfRank(shards, rank, ranks), shards);
    const auto roots = static_cast<int64_t>(sum.roots().size());
    SumBuffer& buffer = buffers.emplace_back(elements, roots, ranks == 1);
    std::vector<const float*> inputs;
    for (int64_t i = sum.range().begin; i < sum.range().end; ++i) {
      inputs.push_back(values[static_cast<size_t>(i)].data());
    }
    std::vector<float*> places;
    for (int64_t i = 0; i < roots; ++i) places.push_back(buffer.root(i));
    sum.Sum(inputs, places, 0, elements);
  }
  return buffers;
}

std::vector<float> SumOf(const SumBuffer& buffer) {
  return {buffer.sum(), buffer.sum() + buffer.elements()};
}

struct Case {
  int ranks;
  int64_t shards;
  int64_t elements;
};

// Small limits, so that stars, single chunks and many chunks all occur at sizes that are quick.
SliceOptions SmallLimits(int ranks, int64_t shards) {
  return {.ranks = ranks, .shards = shards, .star_bytes = 256, .chunk_bytes = 512};
}

void ExpectCanonical(const Case& c, SimulatedSlice& slice, Random& random) {
  SCOPED_TRACE(std::to_string(c.ranks) + " boards, " + std::to_string(c.shards) + " shards, " +
               std::to_string(c.elements) + " elements");
  const ShardValues values = MixedMagnitudes(c.shards, c.elements, random);
  std::vector<SumBuffer> buffers = Buffers(values, c.ranks);
  for (int rank = 0; rank < c.ranks; ++rank) {
    slice.member(rank).BeginSum(buffers[static_cast<size_t>(rank)], slice.now());
  }
  ASSERT_TRUE(slice.RunAll());
  const auto expected = Bits(ReferenceSums(values));
  for (int rank = 0; rank < c.ranks; ++rank) {
    ASSERT_TRUE(slice.member(rank).status().ok()) << slice.member(rank).status().ToString();
    ASSERT_EQ(Bits(SumOf(buffers[static_cast<size_t>(rank)])), expected) << "rank " << rank;
  }
}

TEST(SliceSum, EqualsTheReferenceForAnyBoardsShardsAndSizes) {
  const uint64_t seed = SystemRandom64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (const int64_t shards : {8 * ranks, 16 * ranks, 24 * ranks, 40 * ranks}) {
      SimulatedSlice slice(SmallLimits(ranks, shards), {.reorder = true}, random.Next64());
      // Around the star's 64 floats and the chunks' 128, and their multiples by the boards.
      for (const int64_t limit : {64, 128, 128 * ranks, 256 * ranks, 2048 * ranks}) {
        for (const int64_t more : {-1, 0, 1}) {
          ExpectCanonical({ranks, shards, limit + more}, slice, random);
        }
      }
      for (const int64_t elements : {0, 1, 3, 17}) {
        if (elements > 0) ExpectCanonical({ranks, shards, elements}, slice, random);
      }
    }
  }
}

TEST(SliceSum, TheUsualLimitsGiveTheSameBits) {
  Random random(7);
  for (const int ranks : {2, 3, 4}) {
    SimulatedSlice slice({.ranks = ranks, .shards = 8 * ranks}, {}, 7);
    const int64_t star = static_cast<int64_t>(limits::kCollectiveStarBytes / sizeof(float));
    const int64_t chunk = static_cast<int64_t>(limits::kCollectiveChunkBytes / sizeof(float));
    for (const int64_t elements : {star - 1, star, star + 1, chunk + 1}) {
      ExpectCanonical({ranks, 8 * ranks, elements}, slice, random);
    }
  }
}

TEST(SliceSum, TheSameShardsGiveTheSameBitsOnAnyNumberOfBoards) {
  Random random(11);
  const ShardValues values = MixedMagnitudes(40, 1000, random);
  const auto expected = Bits(ReferenceSums(values));
  for (const int ranks : {1, 2, 5}) {
    SimulatedSlice slice(SmallLimits(ranks, 40), {}, 1);
    std::vector<SumBuffer> buffers = Buffers(values, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      slice.member(rank).BeginSum(buffers[static_cast<size_t>(rank)], slice.now());
    }
    ASSERT_TRUE(slice.RunAll());
    for (const SumBuffer& buffer : buffers) EXPECT_EQ(Bits(SumOf(buffer)), expected);
  }
}

TEST(SliceSum, FramesThatArriveTwiceChangeNothing) {
  Random random(13);
  SimulatedSlice slice(SmallLimits(4, 32), {.reorder = true, .twice = 0.3}, 13);
  for (int step = 0; step < 20; ++step) ExpectCanonical({4, 32, 700}, slice, random);
  EXPECT_GT(slice.member(0).counters().stale_frames, 0);
}

TEST(SliceSum, ALostFrameIsAnErrorOnEveryBoardAndNeverAWrongSum) {
  const uint64_t seed = SystemRandom64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  int failures = 0;
  for (uint64_t round = 0; round < 50; ++round) {
    Random random(seed + round);
    auto left = std::make_shared<uint64_t>(random.Below(60));
    const auto lose = [left](int, const FrameHeader& header) {
      return header.kind != FrameKind::kAbort && (*left)-- == 0;
    };
    SimulatedSlice slice(SmallLimits(4, 32), {.reorder = true, .lose = lose}, seed + round);
    const ShardValues values = MixedMagnitudes(32, 900, random);
    std::vector<SumBuffer> buffers = Buffers(values, 4);
    for (int rank = 0; rank < 4; ++rank) {
      slice.member(rank).BeginSum(buffers[static_cast<size_t>(rank)], slice.now());
    }
    ASSERT_TRUE(slice.RunAll());
    const auto expected = Bits(ReferenceSums(values));
    for (int rank = 0; rank < 4; ++rank) {
      const Status& status = slice.member(rank).status();
      if (status.ok()) {
        EXPECT_EQ(Bits(SumOf(buffers[static_cast<size_t>(rank)])), expected);
      } else {
        ++failures;
        EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.ToString();
      }
    }
  }
  EXPECT_GT(failures, 0);
}

TEST(SliceSum, BroadcastsAndBarriersMixWithSums) {
  Random random(17);
  for (int ranks = 1; ranks <= 5; ++ranks) {
    SimulatedSlice slice(SmallLimits(ranks, 8 * ranks), {.reorder = true}, 17);
    for (const size_t size : {0, 1, 511, 512, 513, 9000}) {
      const std::string bytes(size, static_cast<char>('a' + size % 26));
      const int root = static_cast<int>(size) % ranks;
      for (int rank = 0; rank < ranks; ++rank) {
        slice.member(rank).BeginBroadcastSize(root, rank == root ? size : 7, slice.now());
      }
      ASSERT_TRUE(slice.RunAll());
      for (int rank = 0; rank < ranks; ++rank) {
        uint64_t told = 0;
        const std::string text = slice.member(rank).TakeBroadcast();
        ASSERT_EQ(text.size(), sizeof(told));
        std::memcpy(&told, text.data(), sizeof(told));
        EXPECT_EQ(told, size);
        slice.member(rank).BeginBroadcast(root, size, rank == root ? bytes : "", slice.now());
      }
      ASSERT_TRUE(slice.RunAll());
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(slice.member(rank).TakeBroadcast(), bytes);
        slice.member(rank).BeginBarrier(slice.now());
      }
      ASSERT_TRUE(slice.RunAll());
      ExpectCanonical({ranks, 8 * ranks, 300}, slice, random);
    }
  }
}

}  // namespace
}  // namespace octet
