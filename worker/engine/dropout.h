// Dropout's factors: 0 for what is dropped, 1 / (1 - rate) for what stays (inverted dropout, as
// Keras).
//
// Element e (row in the global batch * width + column) is word e % 4 of the Philox block e / 4 of
// the key, and is dropped if that word, as a fraction of 2^32, is below the rate. So a factor
// depends on the key and the place alone.
#pragma once

#include <cstdint>

#include "worker/engine/compiled_step.h"

namespace octet {

uint64_t DropoutLayerKey(const DropoutKey& key, int layer_position);

// The factors of the elements [first, first + count).
void DropoutFactors(uint64_t layer_key, int64_t first, int64_t count, float rate, float* factors);

}  // namespace octet
