#include "worker/engine/compiled_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "shared/base/check.h"
#include "worker/engine/activations.h"
#include "worker/engine/dropout.h"
#include "worker/engine/losses.h"

namespace octet {
namespace {

// Instead of an offset in the workspace: the caller's inputs.
constexpr int64_t kCallerInputs = -1;
// A cache line, and the widest vector.
constexpr int64_t kAlignBytes = 64;
constexpr int64_t kAlignFloats = kAlignBytes / int64_t{sizeof(float)};

int64_t RoundUpToLine(int64_t floats) {
  return (floats + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
}

enum class Code {
  kDense,     // output = f(input W + b)
  kActivate,  // output = f(input)
  kDropout,   // output = input * factors
  kRescale,   // output = input * scale + offset
  // Backward; gradients are by the layer's output and become those by its input.
  kDenseGradient,       // weights and bias, and gradient_below unless there is nothing below
  kActivationGradient,  // in place
  kDropoutGradient,     // in place
  kRescaleGradient,     // in place
};

// Runs `product` and adds its time.
template <typename Product>
void Timed(ProductTimer* timer, const Product& product) {
  if (timer == nullptr) {
    product();
    return;
  }
  const MonotonicTime start = timer->clock->Monotonic();
  product();
  timer->products += timer->clock->Monotonic() - start;
}

}  // namespace

// Places are offsets in the workspace. `activation` is linear where the loss takes logits.
struct CompiledStep::Operation {
  Code code;
  Layer layer;
  Activation activation = Activation::kLinear;
  int64_t input = kCallerInputs;
  int64_t output = 0;
  int64_t factors = 0;         // Of dropout.
  int64_t gradient = 0;        // By the output.
  int64_t gradient_below = 0;  // By the input; 0: not wanted. (Offset 0 is never a gradient.)
};

struct CompiledStep::Call {
  const float* weights;
  const Shard& shard;
  const DropoutKey* key;  // nullptr: no dropout.
  float* workspace;
  float* sums;  // Gradients; nullptr: forward only.
  ProductTimer* timer;
  const float* At(int64_t place) const {
    return place == kCallerInputs ? shard.inputs : workspace + place;
  }
};

Workspace::Workspace(int64_t floats)
    : size_(RoundUpToLine(std::max<int64_t>(floats, 1))),
      data_(static_cast<float*>(
          std::aligned_alloc(kAlignBytes, static_cast<size_t>(size_) * sizeof(float)))) {
  CHECK(data_ != nullptr) << "no memory for a workspace of " << size_ << " floats";
  std::fill_n(data_.get(), size_, 0.0F);  // Touched now, not in the first step.
}

void Workspace::Free::operator()(float* data) const { std::free(data); }

Status CheckLabels(const Network& network, const float* targets, int64_t rows, int64_t first_row) {
  if (network.loss() != LossKind::kSparseCategoricalCrossentropy) return Ok();
  const auto classes = static_cast<float>(network.output_width());
  for (int64_t row = 0; row < rows; ++row) {
    const float label = targets[row];
    // A NaN fails the first comparison.
    if (label >= 0 && label < classes && label == std::floor(label)) continue;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(label));
    return InvalidArgument("example " + std::to_string(first_row + row) + " has label " +
                           text.data() + ", but the model has " +
                           std::to_string(network.output_width()) + " classes (0 to " +
                           std::to_string(network.output_width() - 1) +
                           "); correct the data or give the last dense layer more units");
  }
  return Ok();
}

CompiledStep::CompiledStep(const Network& network, const Kernels& kernels, int64_t rows_max)
    : network_(network), kernels_(kernels), rows_max_(rows_max) {
  CHECK(rows_max >= 0);
  const bool cross_entropy = network.loss() == LossKind::kSparseCategoricalCrossentropy ||
                             network.loss() == LossKind::kCategoricalCrossentropy;
  fused_softmax_ = cross_entropy && network.ends_in_softmax();
  output_ = PlanForward(true, forward_);
  evaluation_output_ = PlanForward(false, evaluation_);
  PlanBackward();
}

CompiledStep::~CompiledStep() = default;

int64_t CompiledStep::Reserve(int64_t width) {
  const int64_t place = workspace_floats_;
  workspace_floats_ += RoundUpToLine(rows_max_ * width);
  return place;
}

int64_t CompiledStep::PlanForward(bool with_dropout, std::vector<Operation>& operations) {
  const Layer* last = nullptr;  // That computes.
  for (const Layer& layer : network_.layers()) {
    if (layer.kind != LayerKind::kFlatten) last = &layer;
  }
  int64_t place = kCallerInputs;
  for (const Layer& layer : network_.layers()) {
    Operation operation{.code = Code::kDense, .layer = layer, .input = place};
    operation.activation =
        fused_softmax_ && &layer == last ? Activation::kLinear : layer.activation;
    if (layer.kind == LayerKind::kFlatten) continue;  // Rows stay rows.
    if (layer.kind == LayerKind::kDropout) {
      if (!with_dropout || layer.rate == 0) continue;
      operation.code = Code::kDropout;
      operation.factors = Reserve(layer.outputs);
    } else if (layer.kind == LayerKind::kActivation) {
      if (operation.activation == Activation::kLinear) continue;
      operation.code = Code::kActivate;
    } else if (layer.kind == LayerKind::kRescaling) {
      operation.code = Code::kRescale;
    }
    operation.output = place = Reserve(layer.outputs);
    operations.push_back(std::move(operation));
  }
  return place;
}

void CompiledStep::PlanBackward() {
  int64_t width_max = 0;
  for (const Layer& layer : network_.layers()) width_max = std::max(width_max, layer.outputs);
  int64_t gradient = Reserve(width_max), other = Reserve(width_max);
  output_gradient_ = gradient;
  const auto is_dense = [](const Operation& operation) { return operation.code == Code::kDense; };
  const auto first_dense = std::find_if(forward_.begin(), forward_.end(), is_dense);
  for (auto it = forward_.rbegin(); it != forward_.rend(); ++it) {
    Operation operation = *it;
    operation.gradient = gradient;
    const bool is_first_dense = &*it == &*first_dense;
    switch (it->code) {
      case Code::kDense:
        operation.code = Code::kDenseGradient;
        operation.gradient_below = is_first_dense ? 0 : other;
        std::swap(gradient, other);
        break;
      case Code::kActivate:
        operation.code = Code::kActivationGradient;
        break;
      case Code::kDropout:
        operation.code = Code::kDropoutGradient;
        break;
      default:
        operation.code = Code::kRescaleGradient;
        break;
    }
    backward_.push_back(std::move(operation));
    if (is_first_dense) return;  // Nothing below it is trained.
  }
}

void CompiledStep::Forward(const std::vector<Operation>& operations, const Call& call) const {
  const int64_t rows = call.shard.rows;
  for (const Operation& operation : operations) {
    const Layer& layer = operation.layer;
    const float* input = call.At(operation.input);
    float* output = call.workspace + operation.output;
    const int64_t count = rows * layer.outputs;
    switch (operation.code) {
      case Code::kDense: {
        const float* bias = layer.use_bias ? call.weights + layer.bias_offset : nullptr;
        Timed(call.timer, [&] {
          kernels_.Product({.m = rows, .n = layer.outputs, .k = layer.inputs}, input,
                           call.weights + layer.kernel_offset, bias, output);
        });
        Activate(operation.activation, rows, layer.outputs, output);
        break;
      }
      case Code::kActivate:
        std::copy_n(input, count, output);
        Activate(operation.activation, rows, layer.outputs, output);
        break;
      case Code::kDropout: {
        float* factors = call.workspace + operation.factors;
        DropoutFactors(DropoutLayerKey(*call.key, layer.position),
                       call.shard.first_row * layer.outputs, count, layer.rate, factors);
        MultiplyElements(count, input, factors, output);
        break;
      }
      default:
        ScaleAndShift(count, input, layer.scale, layer.offset, output);
        break;
    }
  }
}

void CompiledStep::Backward(const Call& call) const {
  const int64_t rows = call.shard.rows;
  for (const Operation& operation : backward_) {
    const Layer& layer = operation.layer;
    float* gradient = call.workspace + operation.gradient;
    const int64_t count = rows * layer.outputs;
    switch (operation.code) {
      case Code::kDenseGradient:
        DenseGradient(operation, call);
        break;
      case Code::kActivationGradient:
        ActivationGradient(operation.activation, rows, layer.outputs, call.At(operation.output),
                           gradient);
        break;
      case Code::kDropoutGradient:
        MultiplyElements(count, gradient, call.At(operation.factors), gradient);
        break;
      default:
        ScaleAndShift(count, gradient, layer.scale, 0.0F, gradient);
        break;
    }
  }
}

void CompiledStep::DenseGradient(const Operation& operation, const Call& call) const {
  const Layer& layer = operation.layer;
  const int64_t rows = call.shard.rows;
  float* gradient = call.workspace + operation.gradient;
  ActivationGradient(operation.activation, rows, layer.outputs, call.At(operation.output),
                     gradient);
  if (layer.use_bias) {
    ColumnSums(rows, layer.outputs, gradient, call.sums + layer.bias_offset);
  }
  Timed(call.timer, [&] {
    kernels_.ProductTransposedA({.m = layer.inputs, .n = layer.outputs, .k = rows},
                                call.At(operation.input), gradient,
                                call.sums + layer.kernel_offset);
    if (operation.gradient_below == 0) return;
    kernels_.ProductTransposedB({.m = rows, .n = layer.inputs, .k = layer.outputs}, gradient,
                                call.weights + layer.kernel_offset,
                                call.workspace + operation.gradient_below);
  });
}

void CompiledStep::TakeLoss(const Call& call, int64_t output, float* gradients,
                            float* statistics) const {
  const LossRows rows{.rows = call.shard.rows,
                      .width = network_.output_width(),
                      .outputs = call.At(output),
                      .targets = call.shard.targets};
  statistics[kLossSum] =
      static_cast<float>(LossSum(network_.loss(), fused_softmax_, rows, gradients));
  const int64_t correct = network_.counts_correct() ? CountCorrect(network_.loss(), rows) : 0;
  statistics[kCorrectCount] = static_cast<float>(correct);
  statistics[kExampleCount] = static_cast<float>(call.shard.rows);
}

Status CompiledStep::RunGradient(const float* weights, const Shard& shard, const DropoutKey& key,
                                 const Workspace& workspace, float* sums,
                                 ProductTimer* timer) const {
  CHECK(shard.rows >= 0 && shard.rows <= rows_max_ && workspace.size() >= workspace_floats_);
  OCTET_RETURN_IF_ERROR(CheckLabels(network_, shard.targets, shard.rows, shard.first_row));
  if (shard.rows == 0) {
    std::fill_n(sums, sums_size(), 0.0F);
    return Ok();
  }
  const Call call{.weights = weights,
                  .shard = shard,
                  .key = &key,
                  .workspace = workspace.data(),
                  .sums = sums,
                  .timer = timer};
  Forward(forward_, call);
  TakeLoss(call, output_, workspace.data() + output_gradient_, sums + network_.parameters());
  Backward(call);
  return Ok();
}

Status CompiledStep::RunEvaluation(const float* weights, const Shard& shard,
                                   const Workspace& workspace, float* sums,
                                   ProductTimer* timer) const {
  CHECK(shard.rows >= 0 && shard.rows <= rows_max_ && workspace.size() >= workspace_floats_);
  OCTET_RETURN_IF_ERROR(CheckLabels(network_, shard.targets, shard.rows, shard.first_row));
  const Call call{.weights = weights,
                  .shard = shard,
                  .key = nullptr,
                  .workspace = workspace.data(),
                  .sums = nullptr,
                  .timer = timer};
  Forward(evaluation_, call);
  TakeLoss(call, evaluation_output_, nullptr, sums);
  return Ok();
}

void CompiledStep::RunPrediction(const float* weights, const float* inputs, int64_t rows,
                                 const Workspace& workspace, float* outputs) const {
  CHECK(rows >= 0 && rows <= rows_max_ && workspace.size() >= workspace_floats_);
  const Shard shard{.inputs = inputs, .targets = nullptr, .rows = rows, .first_row = 0};
  const Call call{.weights = weights,
                  .shard = shard,
                  .key = nullptr,
                  .workspace = workspace.data(),
                  .sums = nullptr,
                  .timer = nullptr};
  Forward(evaluation_, call);
  std::copy_n(call.At(evaluation_output_), rows * network_.output_width(), outputs);
  if (fused_softmax_) Activate(Activation::kSoftmax, rows, network_.output_width(), outputs);
}

}  // namespace octet
