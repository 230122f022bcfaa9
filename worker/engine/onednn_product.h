// oneDNN's matrix product of row-major float32, on one thread. The only door to that library.
#pragma once

#include <cstdint>
#include <string>

#include "worker/engine/blocked_product.h"

namespace octet {

// As BlockedProduct, in the order of summation that the library picks for the shape and processor.
void OneDnnProduct(Operands operands, const ProductShape& shape, const float* a, const float* b,
                   const float* bias, float* c);

std::string OneDnnVersion();  // "2.6.3"

}  // namespace octet
