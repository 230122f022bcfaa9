#include "worker/board/shard_layout.h"

#include "shared/objects/accelerator_type.h"

namespace octet {

IndexRange ShardLayout::ShardsOfCore(int core) const {
  const int64_t global = rank * kCoresPerBoard + core;
  return {.begin = global * shards / cores, .end = (global + 1) * shards / cores};
}

IndexRange ShardLayout::RowsOfShard(int64_t shard, int64_t batch_rows) const {
  return {.begin = shard * batch_rows / shards, .end = (shard + 1) * batch_rows / shards};
}

IndexRange ShardLayout::RowsOfCore(int core, int64_t batch_rows) const {
  const IndexRange own = ShardsOfCore(core);
  return {.begin = own.begin * batch_rows / shards, .end = own.end * batch_rows / shards};
}

}  // namespace octet
