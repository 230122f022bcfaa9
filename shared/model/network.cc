#include "shared/model/network.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "shared/base/units.h"

namespace octet {
namespace {

// 2^40 parameters are 4 TiB of weights: above it offsets and counts are not worth keeping exact.
constexpr int64_t kParametersMax = int64_t{1} << 40;
constexpr int64_t kWidthMax = int64_t{1} << 31;

std::string_view KindName(LayerKind kind) {
  switch (kind) {
    case LayerKind::kDense:
      return "dense";
    case LayerKind::kDropout:
      return "dropout";
    case LayerKind::kFlatten:
      return "flatten";
    case LayerKind::kActivation:
      return "activation";
    case LayerKind::kRescaling:
      return "rescaling";
  }
  return "layer";
}

std::string_view LossName(LossKind loss) {
  switch (loss) {
    case LossKind::kSparseCategoricalCrossentropy:
      return "sparse_categorical_crossentropy";
    case LossKind::kCategoricalCrossentropy:
      return "categorical_crossentropy";
    case LossKind::kLogCosh:
      return "log_cosh";
    case LossKind::kMeanSquaredError:
      return "mean_squared_error";
  }
  return "loss";
}

bool IsCrossEntropy(LossKind loss) {
  return loss == LossKind::kSparseCategoricalCrossentropy ||
         loss == LossKind::kCategoricalCrossentropy;
}

// "layer 2 (dropout)": positions from 1, as people count.
std::string Where(LayerKind kind, int position) {
  return "layer " + std::to_string(position + 1) + " (" + std::string(KindName(kind)) + ")";
}

}  // namespace

Result<Network> Network::Build(const std::vector<LayerSpec>& specs, int64_t input_width,
                               LossKind loss) {
  if (input_width < 1 || input_width > kWidthMax) {
    return InvalidArgument("the data has " + std::to_string(input_width) +
                           " input columns; a model needs at least one besides the target");
  }
  Network network;
  network.loss_ = loss;
  network.input_width_ = input_width;
  network.output_width_ = input_width;
  for (size_t i = 0; i < specs.size(); ++i) {
    OCTET_RETURN_IF_ERROR(network.AddLayer(specs[i], static_cast<int>(i)));
  }
  if (network.parameters_ == 0) {
    return InvalidArgument("the model has nothing to train; add at least one dense layer");
  }
  OCTET_RETURN_IF_ERROR(network.CheckLoss());
  const bool sparse = loss == LossKind::kSparseCategoricalCrossentropy;
  network.target_width_ = sparse ? 1 : network.output_width_;
  return network;
}

Status Network::AddLayer(const LayerSpec& spec, int position) {
  Layer layer;
  layer.kind = spec.kind;
  layer.name = FreshName(spec.kind);
  layer.position = position;
  layer.inputs = output_width_;
  layer.outputs = output_width_;
  switch (spec.kind) {
    case LayerKind::kDense:
      return AddDense(spec, std::move(layer));
    case LayerKind::kDropout:
      if (!(spec.rate >= 0 && spec.rate < 1)) {
        return InvalidArgument(Where(spec.kind, position) + ": rate is " +
                               std::to_string(spec.rate) +
                               "; give the share to drop, at least 0 and less than 1");
      }
      layer.rate = static_cast<float>(spec.rate);
      break;
    case LayerKind::kActivation:
      layer.activation = spec.activation;
      break;
    case LayerKind::kRescaling:
      if (!std::isfinite(spec.scale) || !std::isfinite(spec.offset)) {
        return InvalidArgument(Where(spec.kind, position) +
                               ": scale and offset must be finite numbers");
      }
      layer.scale = static_cast<float>(spec.scale);
      layer.offset = static_cast<float>(spec.offset);
      break;
    case LayerKind::kFlatten:
      break;
  }
  layers_.push_back(std::move(layer));
  return Ok();
}

Status Network::AddDense(const LayerSpec& spec, Layer layer) {
  if (spec.units < 1 || spec.units > kWidthMax) {
    return InvalidArgument(Where(spec.kind, layer.position) + ": units is " +
                           std::to_string(spec.units) + "; give a number from 1 to 2147483648");
  }
  layer.outputs = spec.units;
  layer.activation = spec.activation;
  layer.use_bias = spec.use_bias;
  const int64_t kernel_size = SaturatingMultiply(layer.inputs, layer.outputs);
  const int64_t added = SaturatingAdd(kernel_size, layer.use_bias ? layer.outputs : 0);
  if (SaturatingAdd(parameters_, added) > kParametersMax) {
    return InvalidArgument(Where(spec.kind, layer.position) + ": a kernel of " +
                           std::to_string(layer.inputs) + " x " + std::to_string(layer.outputs) +
                           " brings the model over 2^40 parameters; use fewer units");
  }
  const bool has_trainable_below = parameters_ > 0;
  layer.kernel_offset = parameters_;
  AddTensor(layer.name + "/kernel", {layer.inputs, layer.outputs});
  if (layer.use_bias) {
    layer.bias_offset = parameters_;
    AddTensor(layer.name + "/bias", {layer.outputs});
  }
  forward_flops_ += 2 * kernel_size;
  // The gradient of the kernel, and that of the input where a layer below needs it.
  training_flops_ += 2 * kernel_size * (has_trainable_below ? 3 : 2);
  output_width_ = layer.outputs;
  layers_.push_back(std::move(layer));
  return Ok();
}

void Network::AddTensor(std::string name, std::vector<int64_t> shape) {
  int64_t size = 1;
  for (const int64_t dimension : shape) size *= dimension;
  tensors_.push_back(TensorInfo{
      .name = std::move(name), .shape = std::move(shape), .offset = parameters_, .size = size});
  parameters_ += size;
}

std::string Network::FreshName(LayerKind kind) const {
  int same = 0;
  for (const Layer& layer : layers_) same += layer.kind == kind ? 1 : 0;
  const std::string name(KindName(kind));
  return same == 0 ? name : name + "_" + std::to_string(same);
}

const Layer* Network::LastComputing() const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    if (layer->kind != LayerKind::kFlatten) return &*layer;
  }
  return nullptr;
}

bool Network::ends_in_softmax() const {
  const Layer* last = LastComputing();
  return last != nullptr &&
         (last->kind == LayerKind::kDense || last->kind == LayerKind::kActivation) &&
         last->activation == Activation::kSoftmax;
}

bool Network::counts_correct() const { return output_width_ > 1; }

Status Network::CheckLoss() const {
  if (!IsCrossEntropy(loss_)) return Ok();
  const Layer& last = *LastComputing();
  const std::string where = Where(last.kind, last.position);
  if (output_width_ < 2) {
    return InvalidArgument(where + ": " + std::string(LossName(loss_)) +
                           " needs an output for each class, at least 2, but the model ends in 1; "
                           "give the last dense layer as many units as there are classes");
  }
  const bool has_activation = last.kind == LayerKind::kDense || last.kind == LayerKind::kActivation;
  const bool gives_probabilities = has_activation && (last.activation == Activation::kSoftmax ||
                                                      last.activation == Activation::kSigmoid);
  if (gives_probabilities) return Ok();
  return InvalidArgument(where + ": " + std::string(LossName(loss_)) +
                         " needs probabilities; let the model end in a layer with activation "
                         "softmax");
}

Status Network::CheckTargetWidth(int64_t width) const {
  if (width == target_width_) return Ok();
  const std::string given = std::string(LossName(loss_)) + ": the target of an example has " +
                            std::to_string(width) + (width == 1 ? " number" : " numbers") +
                            ", but ";
  if (loss_ == LossKind::kSparseCategoricalCrossentropy) {
    return InvalidArgument(given +
                           "this loss wants the index of the class alone; remove oneHot, or "
                           "use categorical_crossentropy");
  }
  const Layer& last = *LastComputing();
  return InvalidArgument(
      given + Where(last.kind, last.position) + " gives " + std::to_string(output_width_) +
      "; set oneHot: " + std::to_string(output_width_) + " for classes, or give the last dense " +
      "layer units: " + std::to_string(width));
}

}  // namespace octet
