// Board: eight cores that compute the logical shards of one job on this worker.
//
// It owns the plan, a workspace per thread and the counters of busy time. It owns no thread, no
// socket and no weights: worker/train calls RunCore from its threads and hands the sums to the
// all-reduce. Core c belongs to thread ThreadOfCore(c); the cores of one thread share its
// workspace, so that at any time at most one call for them may run. Cores of different threads run
// at once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "shared/base/units.h"
#include "shared/model/hbm.h"
#include "shared/model/network.h"
#include "worker/board/busy.h"
#include "worker/board/shard_layout.h"
#include "worker/engine/compiled_step.h"

namespace octet {

struct BoardOptions {
  ShardLayout layout;
  int64_t batch_rows_max = 0;  // The global batch, or that of an evaluation if larger.
  OptimizerSpec optimizer;     // For the HBM account.
  Bytes hbm_per_core{};        // HbmPerCore(version).
  int threads = 0;             // 1..8; 0: the processors at hand, at most 8.
};

// One core's part of a batch. `inputs` and `targets` are the rows layout.RowsOfCore(core,
// batch_rows).
struct CoreBatch {
  const float* inputs = nullptr;
  const float* targets = nullptr;
  int64_t batch_rows = 0;  // Of the whole batch, over all boards.
};

class Board {
 public:
  // `network`, `kernels` and `clock` outlive the board. kResourceExhausted if the job does not fit
  // into a core's HBM; kInvalidArgument for an impossible layout.
  static Result<std::unique_ptr<Board>> Create(const Network& network, const Kernels& kernels,
                                               const Clock& clock, const BoardOptions& options);

  int threads() const { return threads_; }
  int ThreadOfCore(int core) const { return core * threads_ / kCoresPerBoard; }
  IndexRange CoresOfThread(int thread) const;
  const ShardLayout& layout() const { return options_.layout; }
  const HbmUse& hbm() const { return hbm_; }
  // Floats of one shard's sums; see CompiledStep::RunGradient for their order.
  int64_t sums_size() const { return step_.sums_size(); }

  // Forward and backward of the core's shards with the weights given. The sums of its shard number
  // i (from 0) go to `sums + i * stride`, stride >= sums_size(). A label out of range fails the
  // call before the shard is computed; shards before it are written.
  Status RunCore(int core, const float* weights, const CoreBatch& batch, const DropoutKey& key,
                 float* sums, int64_t stride);

  // Forward only: kStatistics floats a shard, at `sums + i * kStatistics`.
  Status EvaluateCore(int core, const float* weights, const CoreBatch& batch, float* sums);

  // Adds time that a core spent in another operation (the optimizer, a reduction). Any thread.
  void AddBusy(int core, std::chrono::nanoseconds operations);
  // Any thread, at any time.
  BusySample Sample() const;

 private:
  // A line of its own for each core: neighbours are written by other threads.
  struct alignas(64) Counter {
    std::atomic<int64_t> operations{0};
    std::atomic<int64_t> products{0};
    std::atomic<int64_t> runs{0};
  };
  Board(const Network& network, const Kernels& kernels, const Clock& clock,
        const BoardOptions& options, HbmUse hbm);
  template <typename Run>
  Status Measure(int core, const Run& run);
  // Calls `run_shard` with each shard of the core and its number from 0; stops at the first fault.
  template <typename RunShard>
  Status RunShards(int core, const CoreBatch& batch, const RunShard& run_shard);

  const Network& network_;
  const Clock& clock_;
  const BoardOptions options_;
  const HbmUse hbm_;
  const int threads_;
  const CompiledStep step_;
  std::vector<Workspace> workspaces_;  // By thread.
  std::array<Counter, kCoresPerBoard> counters_;
};

}  // namespace octet
