// Elementwise layers over rows: activations and their gradients, column sums, scaling. Float32,
// in place, one thread. Softmax works along each row.
#pragma once

#include <cstdint>

#include "shared/model/network.h"

namespace octet {

// values[rows, columns] = f(values). elu has alpha 1.
void Activate(Activation activation, int64_t rows, int64_t columns, float* values);

// gradients[rows, columns], by the outputs of `activation`, become those by its inputs. relu's
// gradient at 0 is 0.
void ActivationGradient(Activation activation, int64_t rows, int64_t columns, const float* outputs,
                        float* gradients);

// sums[columns] = the sum of the rows, from the first to the last; zeros if there is none.
void ColumnSums(int64_t rows, int64_t columns, const float* values, float* sums);

// to[i] = from[i] * scale + offset.
void ScaleAndShift(int64_t count, const float* from, float scale, float offset, float* to);

// to[i] = from[i] * factors[i]. `to` may be `from`.
void MultiplyElements(int64_t count, const float* from, const float* factors, float* to);

}  // namespace octet
