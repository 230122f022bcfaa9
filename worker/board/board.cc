#include "worker/board/board.h"

#include <algorithm>
#include <string>
#include <utility>

#include "shared/base/thread.h"

namespace octet {
namespace {

Status CheckLayout(const BoardOptions& options) {
  const ShardLayout& layout = options.layout;
  if (layout.cores <= 0 || layout.cores % kCoresPerBoard != 0) {
    return InvalidArgument("a job has whole boards of " + std::to_string(kCoresPerBoard) +
                           " cores, not " + std::to_string(layout.cores) + " cores");
  }
  if (layout.shards <= 0 || layout.shards % layout.cores != 0) {
    return InvalidArgument("logicalShards " + std::to_string(layout.shards) +
                           " must be a multiple of the " + std::to_string(layout.cores) + " cores");
  }
  if (layout.rank < 0 || layout.rank >= layout.cores / kCoresPerBoard) {
    return InvalidArgument("there is no rank " + std::to_string(layout.rank) + " among " +
                           std::to_string(layout.cores / kCoresPerBoard) + " boards");
  }
  if (options.batch_rows_max <= 0) return InvalidArgument("a batch needs at least one example");
  return Ok();
}

int ThreadsOf(const BoardOptions& options) {
  const int wanted = options.threads > 0 ? options.threads : AvailableProcessors();
  return std::clamp(wanted, 1, kCoresPerBoard);
}

// The largest part of a batch that one core holds.
int64_t RowsPerCoreMax(const BoardOptions& options) {
  return (options.batch_rows_max + options.layout.cores - 1) / options.layout.cores;
}

}  // namespace

Result<std::unique_ptr<Board>> Board::Create(const Network& network, const Kernels& kernels,
                                             const Clock& clock, const BoardOptions& options) {
  OCTET_RETURN_IF_ERROR(CheckLayout(options));
  HbmUse hbm = CountHbm(network, options.optimizer, RowsPerCoreMax(options), HbmLayout::kTiled);
  OCTET_RETURN_IF_ERROR(CheckHbm(hbm, options.hbm_per_core));
  return std::unique_ptr<Board>(new Board(network, kernels, clock, options, std::move(hbm)));
}

Board::Board(const Network& network, const Kernels& kernels, const Clock& clock,
             const BoardOptions& options, HbmUse hbm)
    : network_(network),
      clock_(clock),
      options_(options),
      hbm_(std::move(hbm)),
      threads_(ThreadsOf(options)),
      step_(network, kernels, options.layout.RowsPerShardMax(options.batch_rows_max)) {
  workspaces_.reserve(static_cast<size_t>(threads_));
  for (int i = 0; i < threads_; ++i) workspaces_.emplace_back(step_.workspace_floats());
}

IndexRange Board::CoresOfThread(int thread) const {
  // The cores c with c * threads / 8 == thread.
  const auto first = [this](int64_t t) { return (t * kCoresPerBoard + threads_ - 1) / threads_; };
  return {.begin = first(thread), .end = first(thread + 1)};
}

template <typename Run>
Status Board::Measure(int core, const Run& run) {
  ProductTimer timer{.clock = &clock_, .products = {}};
  const MonotonicTime begin = clock_.Monotonic();
  const Status status = run(&timer);
  Counter& counter = counters_[static_cast<size_t>(core)];
  counter.products.fetch_add(timer.products.count(), std::memory_order_relaxed);
  counter.operations.fetch_add((clock_.Monotonic() - begin).count(), std::memory_order_relaxed);
  counter.runs.fetch_add(1, std::memory_order_relaxed);
  return status;
}

template <typename RunShard>
Status Board::RunShards(int core, const CoreBatch& batch, const RunShard& run_shard) {
  const ShardLayout& layout = options_.layout;
  const IndexRange shards = layout.ShardsOfCore(core);
  const int64_t first_row = layout.RowsOfCore(core, batch.batch_rows).begin;
  for (int64_t i = shards.begin; i < shards.end; ++i) {
    const IndexRange rows = layout.RowsOfShard(i, batch.batch_rows);
    const int64_t skipped = rows.begin - first_row;
    const Shard shard{.inputs = batch.inputs + skipped * network_.input_width(),
                      .targets = batch.targets + skipped * network_.target_width(),
                      .rows = rows.size(),
                      .first_row = rows.begin};
    OCTET_RETURN_IF_ERROR(run_shard(shard, i - shards.begin));
  }
  return Ok();
}

Status Board::RunCore(int core, const float* weights, const CoreBatch& batch, const DropoutKey& key,
                      float* sums, int64_t stride) {
  const Workspace& workspace = workspaces_[static_cast<size_t>(ThreadOfCore(core))];
  return Measure(core, [&](ProductTimer* timer) {
    return RunShards(core, batch, [&](const Shard& shard, int64_t i) {
      return step_.RunGradient(weights, shard, key, workspace, sums + i * stride, timer);
    });
  });
}

Status Board::EvaluateCore(int core, const float* weights, const CoreBatch& batch, float* sums) {
  const Workspace& workspace = workspaces_[static_cast<size_t>(ThreadOfCore(core))];
  return Measure(core, [&](ProductTimer* timer) {
    return RunShards(core, batch, [&](const Shard& shard, int64_t i) {
      return step_.RunEvaluation(weights, shard, workspace, sums + i * kStatistics, timer);
    });
  });
}

void Board::AddBusy(int core, std::chrono::nanoseconds operations) {
  counters_[static_cast<size_t>(core)].operations.fetch_add(operations.count(),
                                                            std::memory_order_relaxed);
}

BusySample Board::Sample() const {
  BusySample sample{.at = clock_.Monotonic(), .cores = {}};
  for (size_t i = 0; i < counters_.size(); ++i) {
    const Counter& counter = counters_[i];
    sample.cores[i] = {
        .operations = std::chrono::nanoseconds(counter.operations.load(std::memory_order_relaxed)),
        .products = std::chrono::nanoseconds(counter.products.load(std::memory_order_relaxed)),
        .runs = counter.runs.load(std::memory_order_relaxed)};
  }
  return sample;
}

}  // namespace octet
