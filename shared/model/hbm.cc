#include "shared/model/hbm.h"

#include <algorithm>
#include <utility>

namespace octet {
namespace {

constexpr int64_t kTileRows = 8;
constexpr int64_t kTileColumns = 128;
constexpr int64_t kGibibyte = int64_t{1} << 30;
// Tensors named in a refusal: enough to see what dominates.
constexpr size_t kTensorsNamed = 5;

int64_t RoundUp(int64_t value, int64_t multiple) {
  return SaturatingMultiply((value + multiple - 1) / multiple, multiple);
}

// A vector counts as one row.
Bytes TensorBytes(int64_t rows, int64_t columns, HbmLayout layout) {
  if (layout == HbmLayout::kTiled) {
    rows = RoundUp(rows, kTileRows);
    columns = RoundUp(columns, kTileColumns);
  }
  return Bytes(SaturatingMultiply(SaturatingMultiply(rows, columns), int64_t{sizeof(float)}));
}

int OptimizerSlots(const OptimizerSpec& optimizer) {
  if (optimizer.kind == OptimizerKind::kAdam) return 2;
  return optimizer.momentum != 0 ? 1 : 0;
}

}  // namespace

HbmUse CountHbm(const Network& network, const OptimizerSpec& optimizer, int64_t rows_per_core,
                HbmLayout layout) {
  HbmUse use;
  const auto add = [&use](Bytes& sum, std::string name, Bytes bytes) {
    sum += bytes;
    use.tensors.push_back(HbmTensor{.name = std::move(name), .bytes = bytes});
  };
  for (const TensorInfo& tensor : network.tensors()) {
    const int64_t rows = tensor.shape.size() > 1 ? tensor.shape[0] : 1;
    const Bytes bytes = TensorBytes(rows, tensor.shape.back(), layout);
    add(use.weights, tensor.name, bytes);
    add(use.gradients, tensor.name + " (gradient)", bytes);
    for (int slot = 1; slot <= OptimizerSlots(optimizer); ++slot) {
      add(use.optimizer, tensor.name + " (optimizer state " + std::to_string(slot) + ")", bytes);
    }
  }
  const std::string rows_text = std::to_string(rows_per_core) + " rows)";
  add(use.activations, "inputs (" + rows_text,
      TensorBytes(rows_per_core, network.input_width(), layout));
  add(use.activations, "targets (" + rows_text,
      TensorBytes(rows_per_core, network.target_width(), layout));
  Bytes gradient_max;
  for (const Layer& layer : network.layers()) {
    if (layer.kind == LayerKind::kFlatten) continue;  // The same numbers under another shape.
    const Bytes bytes = TensorBytes(rows_per_core, layer.outputs, layout);
    add(use.activations, layer.name + " (output, " + rows_text, bytes);
    gradient_max = std::max(gradient_max, bytes);
  }
  // Going backward, the gradients of a layer's output and input live at once.
  add(use.activations, "gradients of outputs (" + rows_text, gradient_max * 2);
  std::stable_sort(use.tensors.begin(), use.tensors.end(),
                   [](const HbmTensor& a, const HbmTensor& b) { return a.bytes > b.bytes; });
  return use;
}

Bytes HbmPerCore(int version) { return Bytes((version == 2 ? 8 : 16) * kGibibyte); }

Status CheckHbm(const HbmUse& use, Bytes budget) {
  if (use.total() <= budget) return Ok();
  std::string message = "the job needs " + FormatBytes(use.total()) + " of HBM per core (weights " +
                        FormatBytes(use.weights) + ", gradients " + FormatBytes(use.gradients) +
                        ", optimizer " + FormatBytes(use.optimizer) + ", activations " +
                        FormatBytes(use.activations) + "), but a core has " + FormatBytes(budget) +
                        "; largest:";
  for (size_t i = 0; i < std::min(kTensorsNamed, use.tensors.size()); ++i) {
    message +=
        (i == 0 ? " " : ", ") + use.tensors[i].name + " " + FormatBytes(use.tensors[i].bytes);
  }
  return ResourceExhausted(message + (use.activations > use.weights + use.optimizer
                                          ? "; use a smaller batch per core"
                                          : "; use fewer units"));
}

}  // namespace octet
