// The Kernels seam: matrix products of row-major float32, the only operations whose implementation
// depends on the machine. ReferenceKernels is the plain truth that others are tested against;
// HostKernels is what trains.
//
// Every method may be called by any number of threads at once on disjoint outputs, and uses one
// thread. The bits of a result depend on the shape and the operands alone: not on the thread, nor
// on how the operands are aligned. Matrices are dense, without padding between rows; the result
// does not overlap the operands; sizes of 0 are allowed (an empty sum is 0).
#pragma once

#include <cstdint>
#include <string>

namespace octet {

// C is [m, n]; k numbers are summed into each element of it.
struct ProductShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t flops() const { return 2 * m * n * k; }
};

class Kernels {
 public:
  virtual ~Kernels() = default;

  // C = A B + bias in every row. A is [m, k], B is [k, n], bias is [n] or nullptr (zeros).
  virtual void Product(const ProductShape& shape, const float* a, const float* b, const float* bias,
                       float* c) const = 0;

  // C = A^T B. A is [k, m], B is [k, n]: the gradient of weights, summed over k examples.
  virtual void ProductTransposedA(const ProductShape& shape, const float* a, const float* b,
                                  float* c) const = 0;

  // C = A B^T. A is [m, k], B is [n, k]: the gradient of a layer's input.
  virtual void ProductTransposedB(const ProductShape& shape, const float* a, const float* b,
                                  float* c) const = 0;
};

// Three loops and sums in double precision, rounded once.
class ReferenceKernels final : public Kernels {
 public:
  void Product(const ProductShape& shape, const float* a, const float* b, const float* bias,
               float* c) const override;
  void ProductTransposedA(const ProductShape& shape, const float* a, const float* b,
                          float* c) const override;
  void ProductTransposedB(const ProductShape& shape, const float* a, const float* b,
                          float* c) const override;
};

// oneDNN's product from about a million floating-point operations on, blocked loops below.
class HostKernels final : public Kernels {
 public:
  void Product(const ProductShape& shape, const float* a, const float* b, const float* bias,
               float* c) const override;
  void ProductTransposedA(const ProductShape& shape, const float* a, const float* b,
                          float* c) const override;
  void ProductTransposedB(const ProductShape& shape, const float* a, const float* b,
                          float* c) const override;
};

// For a checkpoint's `versions` ("engine", "instructionSet"): a change of either may change bits.
std::string EngineVersion();
std::string InstructionSet();

}  // namespace octet
