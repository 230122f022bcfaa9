// SliceAllReduce over real sockets and the simulated network, with threads as boards.
#include "worker/collective/slice_all_reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/contract/collective/gang.h"
#include "tests/property/collective/reference_sum.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

class SliceContract : public ::testing::TestWithParam<std::string> {
 protected:
  SliceOptions Options(int rank, int ranks, int64_t shards) {
    return {.rank = rank,
            .ranks = ranks,
            .fence = Fence(3),
            .shards = shards,
            .deadline = std::chrono::seconds(30)};
  }
  SystemClock clock_;
};

// This rank's part of `values`, summed to its roots.
SumBuffer BufferOf(const ShardValues& values, int rank, int ranks) {
  const auto shards = static_cast<int64_t>(values.size());
  const auto elements = static_cast<int64_t>(values[0].size());
  const ShardSum sum(ShardsOfRank(shards, rank, ranks), shards);
  SumBuffer buffer(elements, static_cast<int64_t>(sum.roots().size()), ranks == 1);
  std::vector<const float*> inputs;
  for (int64_t i = sum.range().begin; i < sum.range().end; ++i) {
    inputs.push_back(values[static_cast<size_t>(i)].data());
  }
  std::vector<float*> places;
  for (int64_t i = 0; i < buffer.roots(); ++i) places.push_back(buffer.root(i));
  sum.Sum(inputs, places, 0, elements);
  return buffer;
}

TEST_P(SliceContract, SumsHaveTheCanonicalBits) {
  for (const int ranks : {2, 3, 4}) {
    // Uneven boards of 12 shards have several roots.
    const int64_t shards = ranks * 12;
    // Below the star's limit, just above it, and many chunks.
    for (const int64_t elements : {3, 16'384, 16'385, 150'001}) {
      SCOPED_TRACE(std::to_string(ranks) + " boards, " + std::to_string(elements) + " elements");
      Random random(static_cast<uint64_t>(elements));
      const ShardValues values = MixedMagnitudes(shards, elements, random);
      const auto expected = Bits(ReferenceSums(values));
      const auto gang = MakeGang(GetParam(), ranks);
      OnEachRank(ranks, [&](int rank) {
        SliceAllReduce slice(&gang->Connect(rank), clock_, Options(rank, ranks, shards), {});
        ASSERT_TRUE(slice.Join().ok());
        SumBuffer buffer = BufferOf(values, rank, ranks);
        for (int step = 0; step < 3; ++step) {
          const Status status = slice.AllReduce(buffer);
          ASSERT_TRUE(status.ok()) << status.ToString();
          const std::vector<float> sum(buffer.sum(), buffer.sum() + elements);
          ASSERT_EQ(Bits(sum), expected);
        }
      });
    }
  }
}

TEST_P(SliceContract, BroadcastAndBarrierReachEveryBoard) {
  const auto gang = MakeGang(GetParam(), 3);
  std::string bytes(3'000'001, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  OnEachRank(3, [&](int rank) {
    SliceAllReduce slice(&gang->Connect(rank), clock_, Options(rank, 3, 24), {});
    ASSERT_TRUE(slice.Join().ok());
    for (int root = 0; root < 3; ++root) {
      const auto got = slice.Broadcast(root, rank == root ? bytes : "other");
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_EQ(*got, bytes);
      ASSERT_TRUE(slice.Barrier().ok());
    }
    EXPECT_EQ(*slice.Broadcast(1, ""), "");
  });
}

TEST_P(SliceContract, ABoardThatDiesIsNamedByTheOthers) {
  const auto gang = MakeGang(GetParam(), 3);
  std::atomic<int> joined = 0;
  OnEachRank(3, [&](int rank) {
    SliceAllReduce slice(&gang->Connect(rank), clock_, Options(rank, 3, 24), {});
    ASSERT_TRUE(slice.Join().ok());
    ++joined;
    joined.notify_all();
    if (rank == 2) {
      for (int now = joined; now < 3; now = joined) joined.wait(now);
      gang->Kill(2);
      return;
    }
    SumBuffer buffer(1000, 1, false);
    const Status status = slice.AllReduce(buffer);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("rank 2 is lost"));
    EXPECT_EQ(slice.Barrier(), status);
  });
}

TEST_P(SliceContract, ASilentBoardIsNamedAtTheDeadline) {
  const auto gang = MakeGang(GetParam(), 2);
  std::atomic<bool> over = false;
  OnEachRank(2, [&](int rank) {
    SliceOptions options = Options(rank, 2, 16);
    options.deadline = std::chrono::milliseconds(200);
    SliceAllReduce slice(&gang->Connect(rank), clock_, options, {});
    ASSERT_TRUE(slice.Join().ok());
    if (rank == 1) {
      over.wait(false);
      return;
    }
    SumBuffer buffer(1'000'000, 1, false);
    const Status status = slice.AllReduce(buffer);
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(status.message(), HasSubstr("nothing from rank 1"));
    over = true;
    over.notify_all();
  });
}

TEST_P(SliceContract, AnotherThreadEndsAWaitOnAllBoards) {
  const auto gang = MakeGang(GetParam(), 3);
  std::atomic<bool> stop = false;
  std::atomic<int> ended = 0;
  OnEachRank(3, [&](int rank) {
    Transport& transport = gang->Connect(rank);
    const auto interrupted = [&]() -> Status { return stop ? Cancelled("told to stop") : Ok(); };
    SliceAllReduce slice(&transport, clock_, Options(rank, 3, 24),
                         rank == 0 ? interrupted : SliceAllReduce::Interrupted());
    ASSERT_TRUE(slice.Join().ok());
    // Rank 2 takes no part until the others have given up.
    if (rank == 2) {
      for (int now = ended; now < 2; now = ended) ended.wait(now);
    }
    const Thread agent("agent", [&] {
      if (rank != 0) return;
      stop = true;
      transport.Wake();
    });
    SumBuffer buffer(100, 1, false);
    const Status status = slice.AllReduce(buffer);
    ++ended;
    ended.notify_all();
    EXPECT_EQ(status, Cancelled("rank 0: told to stop"));
  });
}

TEST_P(SliceContract, TheLastResultArrivesThoughItsSenderHasLeft) {
  for (int round = 0; round < 20; ++round) {
    const auto gang = MakeGang(GetParam(), 2);
    OnEachRank(2, [&](int rank) {
      SliceAllReduce slice(&gang->Connect(rank), clock_, Options(rank, 2, 16), {});
      ASSERT_TRUE(slice.Join().ok());
      SumBuffer buffer(1'000'000, 1, false);
      for (int64_t e = 0; e < buffer.elements(); ++e) buffer.root(0)[e] = 1;
      const Status status = slice.AllReduce(buffer);
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_EQ(buffer.sum()[999'999], 2);
      if (GetParam() != "memory") static_cast<ZmqGang&>(*gang).Leave(rank);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SliceContract, ::testing::Values("memory", "tcp", "ipc"),
                         [](const auto& instance) { return instance.param; });

TEST(SliceAllReduce, OneBoardNeedsNoTransport) {
  const SystemClock clock;
  SliceAllReduce slice(nullptr, clock, {}, {});
  ASSERT_TRUE(slice.Join().ok());
  SumBuffer buffer(10, 1, true);
  buffer.root(0)[9] = 4;
  ASSERT_TRUE(slice.AllReduce(buffer).ok());
  EXPECT_EQ(buffer.sum()[9], 4);
  EXPECT_EQ(*slice.Broadcast(0, "state"), "state");
  EXPECT_TRUE(slice.Barrier().ok());
}

}  // namespace
}  // namespace octet
