// StepRunner: one training step of one board, on its threads and with the other boards of its
// slice.
//
// A step: each thread gathers its cores' rows and computes their shards' sums; the threads add up
// the shards, each a range of elements, in the canonical order; the slice adds up the boards; the
// threads update the weights, each a range. Behind the gradients travel the loss, the counts and
// two flags by which any board can end the session, so that all boards end after the same step
// without a further message.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "worker/board/board.h"
#include "worker/collective/canonical_sum.h"
#include "worker/collective/sum_buffer.h"
#include "worker/train/crew.h"
#include "worker/train/gang.h"
#include "worker/train/job_data.h"
#include "worker/train/stop_request.h"
#include "worker/train/train_state.h"

namespace octet {

struct StepResult {
  EpochSums sums;                         // Of the batch, over all boards.
  int64_t board_examples = 0;             // Of them on this board.
  StopKind stop = StopKind::kNone;        // The hardest that any board asked for.
  std::chrono::nanoseconds all_reduce{};  // In and between boards.
};

struct StepRunnerOptions {
  const Clock& clock;
  ZmqContext& context;
  const Kernels& kernels;
  const SessionInputs& inputs;
  int threads = 0;  // 0: as many as are worth it.
};

class StepRunner {
 public:
  // All references outlive the runner. kResourceExhausted: the job does not fit into a core's
  // memory.
  static Result<std::unique_ptr<StepRunner>> Create(const StepRunnerOptions& options, Gang& gang,
                                                    const JobData& data, TrainState& state);

  // One step with the batch of state.step: weights, optimizer, step and epoch sums of the state go
  // on. On any error the state is as before, also where the loss is not finite
  // (kFailedPrecondition, naming step and tensor).
  Result<StepResult> Train(StopKind mine);

  // The validation examples with the weights as they are.
  Result<EpochSums> Validate();

  const Board& board() const { return *board_; }

 private:
  // Scratch of one thread.
  struct Lane {
    Workspace inputs;
    Workspace targets;
    std::vector<uint32_t> positions;
    Workspace evaluation;
    std::vector<float*> roots{};
  };
  StepRunner(const StepRunnerOptions& options, Gang& gang, const JobData& data, TrainState& state,
             std::unique_ptr<Board> board, std::unique_ptr<Crew> crew);

  Status ComputeCores(int thread);
  Status EvaluateCores(int thread);
  Status EvaluateBatch(int thread, int core, int64_t batch);
  void SumShards(int thread, const std::vector<const float*>& shards, SumBuffer& buffer);
  void UpdateWeights(int thread, const Optimizer::Update& update);
  void AddBusy(int thread, MonotonicTime start);
  int64_t BoardExamples(int64_t batch_rows) const;
  IndexRange ElementsOf(int thread, int64_t elements) const;
  Status CheckFinite(const float* sums) const;
  int64_t BatchesOfValidation() const;

  const StepRunnerOptions options_;
  Gang& gang_;
  const JobData& data_;
  TrainState& state_;
  const std::unique_ptr<Board> board_;
  const std::unique_ptr<Crew> crew_;
  const ShardSum shard_sum_;
  const int64_t elements_;  // Gradients, statistics, flags.
  const int64_t stride_;    // From one shard's sums to the next.
  Workspace shard_sums_;    // This board's shards.
  std::vector<const float*> shard_rows_;
  SumBuffer sum_;
  const int64_t batches_;  // Of the validation examples.
  const int64_t statistics_stride_;
  Workspace shard_statistics_;
  std::vector<const float*> statistic_rows_;
  SumBuffer statistics_;
  std::vector<Lane> lanes_;  // By thread.
};

}  // namespace octet
