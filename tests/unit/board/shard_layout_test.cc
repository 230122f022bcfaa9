#include "worker/board/shard_layout.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

// Every row is in one shard, every shard on one core, in order, for each way to split.
TEST(ShardLayout, CoversEveryRowOnceInOrder) {
  for (const int64_t boards : {1, 2, 4}) {
    for (const int64_t per_core : {1, 2, 3}) {
      for (const int64_t rows : {0, 1, 7, 20, 96, 97, 1000}) {
        const int64_t cores = boards * 8;
        const int64_t shards = cores * per_core;
        int64_t next_row = 0;
        int64_t next_shard = 0;
        for (int64_t rank = 0; rank < boards; ++rank) {
          const ShardLayout layout{.shards = shards, .cores = cores, .rank = rank};
          for (int core = 0; core < 8; ++core) {
            const IndexRange own = layout.ShardsOfCore(core);
            EXPECT_EQ(own.begin, next_shard);
            EXPECT_EQ(own.size(), per_core);
            next_shard = own.end;
            EXPECT_EQ(layout.RowsOfCore(core, rows).begin, next_row);
            for (int64_t shard = own.begin; shard < own.end; ++shard) {
              const IndexRange range = layout.RowsOfShard(shard, rows);
              EXPECT_EQ(range.begin, next_row);
              EXPECT_LE(range.size(), layout.RowsPerShardMax(rows));
              EXPECT_GE(range.size(), rows / shards) << "shards differ by one row at most";
              next_row = range.end;
            }
            EXPECT_EQ(layout.RowsOfCore(core, rows).end, next_row);
          }
        }
        EXPECT_EQ(next_row, rows);
        EXPECT_EQ(next_shard, shards);
      }
    }
  }
}

// The split of a batch is a property of the job: 32 shards have the same rows on 1 and on 4 boards.
TEST(ShardLayout, TheRowsOfAShardDoNotDependOnTheBoards) {
  const ShardLayout one{.shards = 32, .cores = 8, .rank = 0};
  const ShardLayout four{.shards = 32, .cores = 32, .rank = 3};
  for (int64_t shard = 0; shard < 32; ++shard) {
    EXPECT_EQ(one.RowsOfShard(shard, 100).begin, four.RowsOfShard(shard, 100).begin);
    EXPECT_EQ(one.RowsOfShard(shard, 100).end, four.RowsOfShard(shard, 100).end);
  }
}

}  // namespace
}  // namespace octet
