// CompiledStep: forward and backward of a network as a flat list of operations over one workspace.
//
// Compiled once per job, then read by any number of threads, each with a Workspace of its own.
// Nothing on the step path looks anything up or takes a lock; only a refusal allocates. (Products
// that oneDNN computes use its own scratch memory.) A shard is computed alone: its sums depend on
// its rows, the weights and the key, not on the board, the thread or the other shards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "shared/model/network.h"
#include "worker/engine/kernels.h"

namespace octet {

// Numbers that follow the gradients in a shard's sums; the whole of the evaluation's.
inline constexpr int64_t kLossSum = 0;
inline constexpr int64_t kCorrectCount = 1;
inline constexpr int64_t kExampleCount = 2;
inline constexpr int64_t kStatistics = 3;

// The rows of one logical shard.
struct Shard {
  const float* inputs = nullptr;   // [rows, network.input_width()]
  const float* targets = nullptr;  // [rows, network.target_width()]
  int64_t rows = 0;                // 0: an empty shard, which yields zeros.
  int64_t first_row = 0;           // Of the shard in the global batch: keys dropout, names labels.
};

// Dropout's random bits are a function of this, the layer, the row in the global batch and the
// column.
struct DropoutKey {
  uint64_t seed = 0;
  uint64_t step = 0;  // From 0, over all epochs.
};

// Scratch memory of one thread, aligned for vectors.
class Workspace {
 public:
  explicit Workspace(int64_t floats);
  float* data() const { return data_.get(); }
  int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* data) const;
  };
  int64_t size_;
  std::unique_ptr<float, Free> data_;
};

// Adds the time spent in matrix products. Used by one thread at a time.
struct ProductTimer {
  const Clock* clock = nullptr;
  std::chrono::nanoseconds products{};
};

// Whether every target is a class of the network (sparse cross-entropy only; others pass). The
// message names the example (`first_row` + its place in `targets`), the label and the classes. Call
// it once for a whole data set before training; each shard is checked again.
Status CheckLabels(const Network& network, const float* targets, int64_t rows, int64_t first_row);

class CompiledStep {
 public:
  // `network` and `kernels` outlive the step. No shard may have more than `rows_max` rows.
  CompiledStep(const Network& network, const Kernels& kernels, int64_t rows_max);
  ~CompiledStep();
  CompiledStep(const CompiledStep&) = delete;
  CompiledStep& operator=(const CompiledStep&) = delete;

  int64_t workspace_floats() const { return workspace_floats_; }
  int64_t rows_max() const { return rows_max_; }
  // Numbers written by RunGradient: parameters() gradients, then kStatistics.
  int64_t sums_size() const { return network_.parameters() + kStatistics; }

  // Forward and backward with dropout. Writes the *sums over the shard's examples* to `sums`
  // (sums_size() floats; every one is written): the gradient in the order of the weights, loss,
  // correct count, example count. A label out of range is kInvalidArgument and writes nothing.
  // `timer` may be nullptr.
  Status RunGradient(const float* weights, const Shard& shard, const DropoutKey& key,
                     const Workspace& workspace, float* sums, ProductTimer* timer) const;

  // Forward only, without dropout. Writes kStatistics floats.
  Status RunEvaluation(const float* weights, const Shard& shard, const Workspace& workspace,
                       float* sums, ProductTimer* timer) const;

  // The output of the last layer for each row, without dropout: [rows, network.output_width()].
  void RunPrediction(const float* weights, const float* inputs, int64_t rows,
                     const Workspace& workspace, float* outputs) const;

 private:
  struct Operation;
  struct Call;
  // Appends the operations; returns the place of the last output.
  int64_t PlanForward(bool with_dropout, std::vector<Operation>& operations);
  void PlanBackward();
  int64_t Reserve(int64_t width);  // A place in the workspace for rows_max x width floats.
  void Forward(const std::vector<Operation>& operations, const Call& call) const;
  void Backward(const Call& call) const;
  void DenseGradient(const Operation& operation, const Call& call) const;
  void TakeLoss(const Call& call, int64_t output, float* gradients, float* statistics) const;

  const Network& network_;
  const Kernels& kernels_;
  const int64_t rows_max_;
  std::vector<Operation> forward_;
  std::vector<Operation> evaluation_;  // As forward_, without dropout.
  std::vector<Operation> backward_;
  // Places in the workspace, in floats; the outputs are logits where softmax is part of the loss.
  int64_t output_ = 0;
  int64_t evaluation_output_ = 0;
  int64_t output_gradient_ = 0;
  bool fused_softmax_ = false;
  int64_t workspace_floats_ = 0;
};

}  // namespace octet
