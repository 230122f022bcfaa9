#include "worker/input/dataset.h"

#include <algorithm>

namespace octet {

void GatherInputs(const Dataset& data, int64_t row, float* to) {
  std::copy_n(data.inputs.data() + row * data.width, data.width, to);
}

void GatherTargets(const Dataset& data, int64_t row, float* to) {
  const float target = data.targets[static_cast<size_t>(row)];
  if (!data.one_hot) {
    *to = target;
    return;
  }
  std::fill_n(to, data.target_width, 0.0F);
  to[static_cast<int64_t>(target)] = 1.0F;
}

}  // namespace octet
