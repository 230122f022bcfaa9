// Losses over rows: the sum over examples, and the gradient of that sum. Semantics of Keras 3: mean
// squared error and log-cosh are means over the last axis of an example; cross-entropy is its sum.
//
// Float32 in and out; an example's loss and the sum over examples are taken in double, in row
// order.
#pragma once

#include <cstdint>

#include "shared/model/network.h"

namespace octet {

struct LossRows {
  int64_t rows = 0;
  int64_t width = 0;               // Of an output.
  const float* outputs = nullptr;  // [rows, width]
  const float* targets = nullptr;  // [rows, width]; sparse cross-entropy: [rows], checked classes.
};

// The loss summed over the rows; its gradient by the outputs goes to `gradients` ([rows, width];
// nullptr: not wanted). With `from_logits` (cross-entropy only) the outputs are what softmax is
// taken of: exact for logits of any size, by log-sum-exp. Without, outputs are divided by their sum
// and held within [1e-7, 1 - 1e-7] as Keras does; a row of zeros has a finite loss and no gradient.
double LossSum(LossKind loss, bool from_logits, const LossRows& rows, float* gradients);

// Rows whose largest output (the first of equals) is at the target's class.
int64_t CountCorrect(LossKind loss, const LossRows& rows);

}  // namespace octet
