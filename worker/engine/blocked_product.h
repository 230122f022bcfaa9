// Matrix products for small sizes: register blocks in portable vector code.
//
// C = A B + bias for row-major matrices, each of the operands plain or transposed. Every element of
// C is bias + a0 b0 + a1 b1 + … in that order, each step rounded, so its bits do not depend on
// blocks, vector width or neighbours. One thread; no allocation.
#pragma once

#include <cstdint>

#include "worker/engine/kernels.h"

namespace octet {

enum class Operands { kPlain, kTransposedA, kTransposedB };

// A is [m, k] (or [k, m]), B is [k, n] (or [n, k]), C is [m, n]; bias is [n] or nullptr.
void BlockedProduct(Operands operands, const ProductShape& shape, const float* a, const float* b,
                    const float* bias, float* c);

}  // namespace octet
