// exp, expm1, tanh and the logistic function for one float, written so that loops over them become
// vector code. Relative error at most 3e-7 (expm1 and tanh too, near 0); NaN stays NaN. Pure.
//
// e^x = 2^n e^r with n the nearest integer to x / ln 2 and |r| <= ln 2 / 2; e^r - 1 by a polynomial
// (the coefficients of Cephes' expf).
#pragma once

#include <bit>
#include <cstdint>

#include "worker/engine/vector_code.h"

namespace octet::vector_math {

struct ExpParts {
  float scale = 1;  // 2^n
  float rest = 0;   // e^r - 1
};

// Arguments beyond the range of normal floats are held at its ends.
OCTET_ALWAYS_INLINE ExpParts SplitExp(float x) {
  constexpr float kLowest = -87.3F, kHighest = 88.37F;
  x = x < kLowest ? kLowest : x;  // In this form a NaN passes.
  x = x > kHighest ? kHighest : x;
  // Adding 1.5 * 2^23 leaves the rounded integer in the low bits.
  constexpr float kRounder = 12582912.0F;
  const float shifted = x * 1.44269504088896341F + kRounder;
  const float n = shifted - kRounder;
  const uint32_t exponent =
      std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kRounder) + 127U;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  return {std::bit_cast<float>(exponent << 23), p * (r * r) + r};
}

OCTET_ALWAYS_INLINE float Exp(float x) {
  const ExpParts parts = SplitExp(x);
  return parts.scale + parts.scale * parts.rest;
}

OCTET_ALWAYS_INLINE float Expm1(float x) {
  const ExpParts parts = SplitExp(x);
  return parts.scale * parts.rest + (parts.scale - 1.0F);
}

OCTET_ALWAYS_INLINE float Sigmoid(float x) { return 1.0F / (1.0F + Exp(-x)); }

OCTET_ALWAYS_INLINE float Tanh(float x) {
  const float magnitude = x < 0 ? -x : x;
  const float t = Expm1(-2.0F * magnitude);
  const float result = -t / (t + 2.0F);
  return x < 0 ? -result : result;
}

}  // namespace octet::vector_math
