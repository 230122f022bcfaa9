#include "worker/engine/activations.h"

#include <algorithm>

#include "worker/engine/vector_code.h"
#include "worker/engine/vector_math.h"

namespace octet {
namespace {

// Comparisons are written so that a NaN goes through: training has to notice it.
OCTET_VECTOR_CLONES void Relu(int64_t count, float* x) {
  for (int64_t i = 0; i < count; ++i) x[i] = x[i] < 0 ? 0.0F : x[i];
}

OCTET_VECTOR_CLONES void Elu(int64_t count, float* x) {
  for (int64_t i = 0; i < count; ++i) {
    const float negative = vector_math::Expm1(x[i]);
    x[i] = x[i] > 0 ? x[i] : negative;
  }
}

OCTET_VECTOR_CLONES void Tanh(int64_t count, float* x) {
  for (int64_t i = 0; i < count; ++i) x[i] = vector_math::Tanh(x[i]);
}

OCTET_VECTOR_CLONES void Sigmoid(int64_t count, float* x) {
  for (int64_t i = 0; i < count; ++i) x[i] = vector_math::Sigmoid(x[i]);
}

// Less its largest number, so that no exponential overflows and the sum is at least 1.
OCTET_VECTOR_CLONES void Softmax(int64_t rows, int64_t columns, float* values) {
  for (int64_t row = 0; row < rows; ++row) {
    float* x = values + row * columns;
    float largest = x[0];
    for (int64_t j = 1; j < columns; ++j) largest = x[j] > largest ? x[j] : largest;
    for (int64_t j = 0; j < columns; ++j) x[j] = vector_math::Exp(x[j] - largest);
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j) sum += x[j];
    for (int64_t j = 0; j < columns; ++j) x[j] /= sum;
  }
}

OCTET_VECTOR_CLONES void ReluGradient(int64_t count, const float* y, float* g) {
  for (int64_t i = 0; i < count; ++i) g[i] = y[i] > 0 ? g[i] : 0.0F;
}

OCTET_VECTOR_CLONES void EluGradient(int64_t count, const float* y, float* g) {
  for (int64_t i = 0; i < count; ++i) {
    const float below = g[i] * (y[i] + 1.0F);  // e^x = y + 1
    g[i] = y[i] > 0 ? g[i] : below;
  }
}

OCTET_VECTOR_CLONES void TanhGradient(int64_t count, const float* y, float* g) {
  for (int64_t i = 0; i < count; ++i) g[i] *= 1.0F - y[i] * y[i];
}

OCTET_VECTOR_CLONES void SigmoidGradient(int64_t count, const float* y, float* g) {
  for (int64_t i = 0; i < count; ++i) g[i] *= y[i] * (1.0F - y[i]);
}

// The whole Jacobian: dL/dx_j = y_j (g_j - sum_i g_i y_i).
OCTET_VECTOR_CLONES void SoftmaxGradient(int64_t rows, int64_t columns, const float* outputs,
                                         float* gradients) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* y = outputs + row * columns;
    float* g = gradients + row * columns;
    float dot = 0;
    for (int64_t j = 0; j < columns; ++j) dot += g[j] * y[j];
    for (int64_t j = 0; j < columns; ++j) g[j] = y[j] * (g[j] - dot);
  }
}

OCTET_VECTOR_CLONES void AddRows(int64_t rows, int64_t columns, const float* values, float* sums) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* x = values + row * columns;
    for (int64_t j = 0; j < columns; ++j) sums[j] += x[j];
  }
}

}  // namespace

void Activate(Activation activation, int64_t rows, int64_t columns, float* values) {
  switch (activation) {
    case Activation::kLinear:
      return;
    case Activation::kRelu:
      return Relu(rows * columns, values);
    case Activation::kElu:
      return Elu(rows * columns, values);
    case Activation::kTanh:
      return Tanh(rows * columns, values);
    case Activation::kSigmoid:
      return Sigmoid(rows * columns, values);
    case Activation::kSoftmax:
      return Softmax(rows, columns, values);
  }
}

void ActivationGradient(Activation activation, int64_t rows, int64_t columns, const float* outputs,
                        float* gradients) {
  switch (activation) {
    case Activation::kLinear:
      return;
    case Activation::kRelu:
      return ReluGradient(rows * columns, outputs, gradients);
    case Activation::kElu:
      return EluGradient(rows * columns, outputs, gradients);
    case Activation::kTanh:
      return TanhGradient(rows * columns, outputs, gradients);
    case Activation::kSigmoid:
      return SigmoidGradient(rows * columns, outputs, gradients);
    case Activation::kSoftmax:
      return SoftmaxGradient(rows, columns, outputs, gradients);
  }
}

void ColumnSums(int64_t rows, int64_t columns, const float* values, float* sums) {
  std::fill_n(sums, columns, 0.0F);
  AddRows(rows, columns, values, sums);
}

OCTET_VECTOR_CLONES void ScaleAndShift(int64_t count, const float* from, float scale, float offset,
                                       float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] * scale + offset;
}

OCTET_VECTOR_CLONES void MultiplyElements(int64_t count, const float* from, const float* factors,
                                          float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] * factors[i];
}

}  // namespace octet
