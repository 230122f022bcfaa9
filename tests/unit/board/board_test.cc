#include "worker/board/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/base/random.h"
#include "worker/board/busy.h"
#include "worker/engine/optimizer.h"

namespace octet {
namespace {

using std::chrono::nanoseconds;

constexpr int64_t kRows = 37;
constexpr int64_t kInputs = 5;

class BoardTest : public testing::Test {
 protected:
  BoardTest() {
    Random random(11);
    for (float& value : inputs_) value = random.NextNormal();
    for (float& value : targets_) value = static_cast<float>(random.Below(3));
  }

  Result<std::unique_ptr<Board>> Make(const ShardLayout& layout, int threads = 1,
                                      Bytes hbm = HbmPerCore(3)) {
    return Board::Create(network_, kernels_, clock_,
                         {.layout = layout,
                          .batch_rows_max = kRows,
                          .optimizer = {},
                          .hbm_per_core = hbm,
                          .threads = threads});
  }

  CoreBatch BatchOf(const Board& board, int core) const {
    const IndexRange rows = board.layout().RowsOfCore(core, kRows);
    return {.inputs = inputs_.data() + rows.begin * kInputs,
            .targets = targets_.data() + rows.begin,
            .batch_rows = kRows};
  }

  // The sums of all shards of a job on `boards` boards, by shard.
  std::vector<float> AllSums(int64_t boards, int threads) {
    const size_t size = static_cast<size_t>(network_.parameters() + kStatistics);
    std::vector<float> sums(32 * size, -1);
    for (int64_t rank = 0; rank < boards; ++rank) {
      const auto board = Make({.shards = 32, .cores = 8 * boards, .rank = rank}, threads).value();
      for (int core = 0; core < 8; ++core) {
        const auto first = static_cast<size_t>(board->layout().ShardsOfCore(core).begin);
        EXPECT_TRUE(board
                        ->RunCore(core, weights_.data(), BatchOf(*board, core),
                                  {.seed = 5, .step = 9}, sums.data() + first * size,
                                  static_cast<int64_t>(size))
                        .ok());
      }
    }
    return sums;
  }

  const Network network_ =
      Network::Build({{.kind = LayerKind::kDense, .units = 9, .activation = Activation::kTanh},
                      {.kind = LayerKind::kDropout, .rate = 0.4},
                      {.kind = LayerKind::kDense, .units = 3, .activation = Activation::kSoftmax}},
                     kInputs, LossKind::kSparseCategoricalCrossentropy)
          .value();
  const HostKernels kernels_;
  FakeClock clock_{TimePoint()};
  std::vector<float> inputs_ = std::vector<float>(kRows * kInputs);
  std::vector<float> targets_ = std::vector<float>(kRows);
  std::vector<float> weights_ = InitialWeights(network_, 3);
};

TEST_F(BoardTest, AShardsSumsAreTheSameBitsOnAnyBoardsAndThreads) {
  const std::vector<float> one = AllSums(1, 1);
  EXPECT_EQ(one, AllSums(2, 1));
  EXPECT_EQ(one, AllSums(4, 3));
  EXPECT_EQ(one, AllSums(1, 8));
}

TEST_F(BoardTest, TheShardsExamplesAddUpToTheBatch) {
  const auto size = static_cast<size_t>(network_.parameters() + kStatistics);
  const std::vector<float> sums = AllSums(1, 1);
  float examples = 0;
  for (size_t shard = 0; shard < 32; ++shard) {
    examples += sums[shard * size + static_cast<size_t>(network_.parameters() + kExampleCount)];
  }
  EXPECT_EQ(examples, kRows);
}

TEST_F(BoardTest, EveryCoreBelongsToOneThread) {
  for (int threads = 1; threads <= 8; ++threads) {
    const auto board = Make({.shards = 8, .cores = 8, .rank = 0}, threads).value();
    EXPECT_EQ(board->threads(), threads);
    int64_t next = 0;
    for (int thread = 0; thread < threads; ++thread) {
      const IndexRange cores = board->CoresOfThread(thread);
      EXPECT_EQ(cores.begin, next);
      for (int64_t core = cores.begin; core < cores.end; ++core) {
        EXPECT_EQ(board->ThreadOfCore(static_cast<int>(core)), thread);
      }
      next = cores.end;
    }
    EXPECT_EQ(next, 8);
  }
}

TEST_F(BoardTest, AnImpossibleLayoutOrTooLittleMemoryIsRefused) {
  EXPECT_EQ(Make({.shards = 9, .cores = 8, .rank = 0}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Make({.shards = 8, .cores = 8, .rank = 1}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Make({.shards = 8, .cores = 8, .rank = 0}, 1, Bytes(1000)).status().code(),
            StatusCode::kResourceExhausted);
}

TEST_F(BoardTest, ALabelOutOfRangeNamesItsRow) {
  targets_[20] = 3;
  const auto board = Make({.shards = 8, .cores = 8, .rank = 0}).value();
  std::vector<float> sums(static_cast<size_t>(board->sums_size()));
  Status status;
  for (int core = 0; core < 8 && status.ok(); ++core) {
    status = board->RunCore(core, weights_.data(), BatchOf(*board, core), {}, sums.data(),
                            board->sums_size());
  }
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), testing::HasSubstr("3"));
}

// Two threads had 2 x 100 ns: 60 in products, 100 in operations.
TEST(Busy, SharesAreOfTheThreadsTime) {
  BusySample before;
  BusySample after;
  after.at = before.at + nanoseconds(100);
  after.cores[0] = {.operations = nanoseconds(70), .products = nanoseconds(40), .runs = 1};
  after.cores[5] = {.operations = nanoseconds(30), .products = nanoseconds(20), .runs = 1};
  const BoardUse use = UseBetween(before, after, 2).value();
  EXPECT_DOUBLE_EQ(use.board.mxu_percent, 30);
  EXPECT_DOUBLE_EQ(use.board.idle_percent, 50);
  EXPECT_DOUBLE_EQ(use.cores[5].mxu_percent, 80);  // Of its quarter of a thread: 25 ns.
}

TEST(Busy, AWindowInWhichNothingRanHasNoSample) {
  BusySample before;
  BusySample after;
  EXPECT_FALSE(UseBetween(before, after, 1).has_value());
  after.at = before.at + nanoseconds(100);
  EXPECT_FALSE(UseBetween(before, after, 1).has_value());
}

}  // namespace
}  // namespace octet
