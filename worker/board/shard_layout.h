// Which rows of a global batch belong to which logical shard, and which shards to which core. Pure.
//
// Shard i of S holds the rows [i n / S, (i + 1) n / S) of a batch of n; core g of C (over all
// boards of the job) holds the shards [g S / C, (g + 1) S / C); board r holds the cores [8 r, 8 r +
// 8). S is a multiple of C, so all cores hold equally many.
#pragma once

#include <cstdint>

namespace octet {

struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

struct ShardLayout {
  int64_t shards = 8;  // Logical shards of the job.
  int64_t cores = 8;   // Of all its boards.
  int64_t rank = 0;    // Of this board.

  int64_t shards_per_core() const { return shards / cores; }
  // The shards of core `core` (0..7) of this board.
  IndexRange ShardsOfCore(int core) const;
  IndexRange RowsOfShard(int64_t shard, int64_t batch_rows) const;
  IndexRange RowsOfCore(int core, int64_t batch_rows) const;
  // The largest shard of a batch.
  int64_t RowsPerShardMax(int64_t batch_rows) const { return (batch_rows + shards - 1) / shards; }
};

}  // namespace octet
