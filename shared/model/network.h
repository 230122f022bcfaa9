// Network: the layers of a job resolved to widths, and where each trainable tensor lies in one flat
// buffer of float32. It says what is computed; worker/engine says how. It holds no weights.
//
// Built once, then read by any thread. Widths and offsets count floats; FLOPs count a
// multiply-add as two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/objects/training_job.h"

namespace octet {

// One layer with everything resolved. Layers work on rows: [rows, inputs] to [rows, outputs].
struct Layer {
  LayerKind kind = LayerKind::kDense;
  std::string name;  // As Keras names them: "dense", "dense_1", "dropout".
  int position = 0;  // In the job's list of layers, from 0; random numbers are keyed by it.
  int64_t inputs = 0;
  int64_t outputs = 0;
  Activation activation = Activation::kLinear;  // dense, activation
  bool use_bias = false;                        // dense
  float rate = 0;                               // dropout
  float scale = 1, offset = 0;                  // rescaling
  int64_t kernel_offset = 0;  // dense: [inputs, outputs], row-major, in the flat buffer.
  int64_t bias_offset = 0;    // dense with a bias: [outputs].
};

// A trainable tensor in the flat buffer, in the layout that Keras has it.
struct TensorInfo {
  std::string name;  // "dense/kernel", "dense_1/bias"
  std::vector<int64_t> shape;
  int64_t offset = 0;
  int64_t size = 0;
};

class Network {
 public:
  // kInvalidArgument names the layer, its position (from 1, as people count) and the fix.
  static Result<Network> Build(const std::vector<LayerSpec>& specs, int64_t input_width,
                               LossKind loss);

  // Whether targets of `width` numbers an example suit the loss and the last layer; the message
  // says what to change.
  Status CheckTargetWidth(int64_t width) const;

  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }  // By offset, without gaps.
  LossKind loss() const { return loss_; }
  int64_t input_width() const { return input_width_; }
  int64_t output_width() const { return output_width_; }
  // Numbers in the target of an example: 1 (the class index) for sparse cross-entropy, else the
  // output's.
  int64_t target_width() const { return target_width_; }
  // Whether the target is a class, so that examples can be counted as correct: the largest output
  // is at the label (sparse) or at the largest target.
  bool counts_correct() const;
  // Whether the last layer that computes is a softmax, so that cross-entropy is taken from logits.
  bool ends_in_softmax() const;

  int64_t parameters() const { return parameters_; }
  // Of the matrix products, for one example.
  int64_t forward_flops() const { return forward_flops_; }
  int64_t training_flops() const { return training_flops_; }  // Forward and backward.

 private:
  Network() = default;
  Status AddLayer(const LayerSpec& spec, int position);
  Status AddDense(const LayerSpec& spec, Layer layer);
  void AddTensor(std::string name, std::vector<int64_t> shape);
  std::string FreshName(LayerKind kind) const;
  Status CheckLoss() const;
  const Layer* LastComputing() const;  // Flatten does not compute. nullptr: none.

  std::vector<Layer> layers_;
  std::vector<TensorInfo> tensors_;
  LossKind loss_ = LossKind::kMeanSquaredError;
  int64_t input_width_ = 0;
  int64_t output_width_ = 0;
  int64_t target_width_ = 0;
  int64_t parameters_ = 0;
  int64_t forward_flops_ = 0;
  int64_t training_flops_ = 0;
};

}  // namespace octet
