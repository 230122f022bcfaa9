#include "worker/engine/kernels.h"

namespace octet {
namespace {

// The element (row, column) of an operand is data[row * row_step + column * column_step].
struct Strided {
  const float* data;
  int64_t row_step;
  int64_t column_step;
};

void Multiply(const ProductShape& shape, const Strided& a, const Strided& b, const float* bias,
              float* c) {
  for (int64_t i = 0; i < shape.m; ++i) {
    for (int64_t j = 0; j < shape.n; ++j) {
      double sum = bias == nullptr ? 0.0 : double{bias[j]};
      for (int64_t p = 0; p < shape.k; ++p) {
        sum += double{a.data[i * a.row_step + p * a.column_step]} *
               double{b.data[p * b.row_step + j * b.column_step]};
      }
      c[i * shape.n + j] = static_cast<float>(sum);
    }
  }
}

}  // namespace

void ReferenceKernels::Product(const ProductShape& shape, const float* a, const float* b,
                               const float* bias, float* c) const {
  Multiply(shape, {a, shape.k, 1}, {b, shape.n, 1}, bias, c);
}

void ReferenceKernels::ProductTransposedA(const ProductShape& shape, const float* a, const float* b,
                                          float* c) const {
  Multiply(shape, {a, 1, shape.m}, {b, shape.n, 1}, nullptr, c);
}

void ReferenceKernels::ProductTransposedB(const ProductShape& shape, const float* a, const float* b,
                                          float* c) const {
  Multiply(shape, {a, shape.k, 1}, {b, 1, shape.k}, nullptr, c);
}

}  // namespace octet
