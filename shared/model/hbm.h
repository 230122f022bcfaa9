// What a network needs of one core's high-bandwidth memory while it trains: weights, gradients,
// optimizer state, activations. An account, not an allocation: the host keeps equal weights once,
// a TPU keeps them on every core. Pure; bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/units.h"
#include "shared/model/network.h"

namespace octet {

enum class HbmLayout {
  kPacked,  // Four bytes a number.
  kTiled,   // As XLA lays tensors out: the last two dimensions rounded up to 8 x 128.
};

struct HbmTensor {
  std::string name;  // "dense/kernel", "dense/kernel (gradient)", "dense (output, 128 rows)"
  Bytes bytes;
};

struct HbmUse {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  std::vector<HbmTensor> tensors;  // Largest first; equal sizes in the network's order.
  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// The use of a core that holds `rows_per_core` examples.
HbmUse CountHbm(const Network& network, const OptimizerSpec& optimizer, int64_t rows_per_core,
                HbmLayout layout);

// The HBM of one core of a TPU of this version: 8 GiB (v2), 16 GiB (v3).
Bytes HbmPerCore(int version);

// kResourceExhausted, with the largest tensors by name, if `use` is more than `budget`.
Status CheckHbm(const HbmUse& use, Bytes budget);

}  // namespace octet
