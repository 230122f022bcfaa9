// One suite for every implementation of the Kernels seam, against three loops in double.
#include "worker/engine/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "shared/base/random.h"

namespace octet {
namespace {

struct KernelsKind {
  const char* name;
  std::unique_ptr<Kernels> (*make)();
};

class KernelsContract : public testing::TestWithParam<KernelsKind> {
 protected:
  const std::unique_ptr<Kernels> kernels_ = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(Each, KernelsContract,
                         testing::Values(KernelsKind{"Reference",
                                                     []() -> std::unique_ptr<Kernels> {
                                                       return std::make_unique<ReferenceKernels>();
                                                     }},
                                         KernelsKind{"Host",
                                                     []() -> std::unique_ptr<Kernels> {
                                                       return std::make_unique<HostKernels>();
                                                     }}),
                         [](const auto& made) { return std::string(made.param.name); });

using Matrix = std::vector<float>;

Matrix Numbers(int64_t count, uint64_t seed) {
  Random random(seed);
  Matrix numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = random.NextNormal();
  return numbers;
}

enum class Form { kPlain, kTransposedA, kTransposedB };

float At(const Matrix& matrix, int64_t row, int64_t column, int64_t columns) {
  return matrix[static_cast<size_t>(row * columns + column)];
}

// Element (i, j) of the product and the sum of the absolute terms, which bounds the error.
std::pair<double, double> Element(Form form, const ProductShape& shape, const Matrix& a,
                                  const Matrix& b, int64_t i, int64_t j) {
  double sum = 0;
  double magnitude = 0;
  for (int64_t k = 0; k < shape.k; ++k) {
    const double left = form == Form::kTransposedA ? At(a, k, i, shape.m) : At(a, i, k, shape.k);
    const double right = form == Form::kTransposedB ? At(b, j, k, shape.k) : At(b, k, j, shape.n);
    sum += left * right;
    magnitude += std::abs(left * right);
  }
  return {sum, magnitude};
}

void Multiply(const Kernels& kernels, Form form, const ProductShape& shape, const float* a,
              const float* b, const float* bias, float* c) {
  if (form == Form::kPlain) kernels.Product(shape, a, b, bias, c);
  if (form == Form::kTransposedA) kernels.ProductTransposedA(shape, a, b, c);
  if (form == Form::kTransposedB) kernels.ProductTransposedB(shape, a, b, c);
}

// Sizes around the widths of vector registers and register blocks, and some on both sides of the
// size from which a library takes over.
const std::vector<ProductShape>& Shapes() {
  static const std::vector<ProductShape> shapes = [] {
    std::vector<ProductShape> made;
    for (const int64_t m : {1, 2, 5, 8, 13}) {
      for (const int64_t n : {1, 3, 15, 16, 17, 33}) {
        for (const int64_t k : {1, 2, 7, 64}) made.push_back({.m = m, .n = n, .k = k});
      }
    }
    made.push_back({.m = 64, .n = 65, .k = 128});
    made.push_back({.m = 127, .n = 129, .k = 101});
    made.push_back({.m = 3, .n = 1000, .k = 500});
    return made;
  }();
  return shapes;
}

// A sum of k products in float32 errs by at most about k roundings of its terms.
TEST_P(KernelsContract, ProductsAreRightToTheRoundingOfTheirTerms) {
  for (const Form form : {Form::kPlain, Form::kTransposedA, Form::kTransposedB}) {
    for (const ProductShape& shape : Shapes()) {
      const Matrix a = Numbers(shape.m * shape.k, 1);
      const Matrix b = Numbers(shape.k * shape.n, 2);
      const Matrix bias = Numbers(shape.n, 3);
      const bool with_bias = form == Form::kPlain && shape.k % 2 == 1;
      Matrix c(static_cast<size_t>(shape.m * shape.n), NAN);
      Multiply(*kernels_, form, shape, a.data(), b.data(), with_bias ? bias.data() : nullptr,
               c.data());
      for (int64_t i = 0; i < shape.m; ++i) {
        for (int64_t j = 0; j < shape.n; ++j) {
          auto [wanted, magnitude] = Element(form, shape, a, b, i, j);
          if (with_bias) wanted += bias[static_cast<size_t>(j)];
          const double tolerance = 1.2e-7 * static_cast<double>(shape.k + 1) * (magnitude + 3);
          ASSERT_NEAR(At(c, i, j, shape.n), wanted, tolerance)
              << "form " << static_cast<int>(form) << ", m " << shape.m << ", n " << shape.n
              << ", k " << shape.k << ", element " << i << "," << j;
        }
      }
    }
  }
}

TEST_P(KernelsContract, AnEmptySumIsZeroOrTheBias) {
  const Matrix bias = {1, 2, 3};
  Matrix c(6, NAN);
  kernels_->Product({.m = 2, .n = 3, .k = 0}, nullptr, nullptr, bias.data(), c.data());
  EXPECT_EQ(c, (Matrix{1, 2, 3, 1, 2, 3}));
  kernels_->Product({.m = 2, .n = 3, .k = 0}, nullptr, nullptr, nullptr, c.data());
  EXPECT_EQ(c, Matrix(6, 0));
  c.assign(6, NAN);
  kernels_->ProductTransposedA({.m = 2, .n = 3, .k = 0}, nullptr, nullptr, c.data());
  EXPECT_EQ(c, Matrix(6, 0));
  c.assign(6, NAN);
  kernels_->ProductTransposedB({.m = 2, .n = 3, .k = 0}, nullptr, nullptr, c.data());
  EXPECT_EQ(c, Matrix(6, 0));
  kernels_->Product({.m = 0, .n = 3, .k = 2}, nullptr, bias.data(), nullptr, c.data());
  kernels_->ProductTransposedB({.m = 2, .n = 0, .k = 2}, bias.data(), nullptr, c.data());
  EXPECT_EQ(c, Matrix(6, 0)) << "nothing is written";
}

// Where the operands happen to lie in memory must not change a bit.
TEST_P(KernelsContract, TheBitsDoNotDependOnTheAlignment) {
  for (const ProductShape& shape :
       {ProductShape{.m = 13, .n = 33, .k = 17}, ProductShape{.m = 65, .n = 129, .k = 101}}) {
    for (const Form form : {Form::kPlain, Form::kTransposedA, Form::kTransposedB}) {
      const Matrix a = Numbers(shape.m * shape.k, 4);
      const Matrix b = Numbers(shape.k * shape.n, 5);
      Matrix aligned(static_cast<size_t>(shape.m * shape.n));
      Multiply(*kernels_, form, shape, a.data(), b.data(), nullptr, aligned.data());
      for (const size_t shift : {1, 2, 3}) {
        Matrix shifted_a(a.size() + shift), shifted_b(b.size() + shift);
        std::copy(a.begin(), a.end(), shifted_a.begin() + static_cast<long>(shift));
        std::copy(b.begin(), b.end(), shifted_b.begin() + static_cast<long>(shift));
        Matrix c(aligned.size() + shift);
        Multiply(*kernels_, form, shape, shifted_a.data() + shift, shifted_b.data() + shift,
                 nullptr, c.data() + shift);
        EXPECT_TRUE(
            std::equal(aligned.begin(), aligned.end(), c.begin() + static_cast<long>(shift)))
            << "form " << static_cast<int>(form) << ", shift " << shift;
      }
    }
  }
}

TEST_P(KernelsContract, NothingIsWrittenBesideTheResult) {
  for (const ProductShape& shape : Shapes()) {
    const Matrix a = Numbers(shape.m * shape.k, 6);
    const Matrix b = Numbers(shape.k * shape.n, 7);
    for (const Form form : {Form::kPlain, Form::kTransposedA, Form::kTransposedB}) {
      Matrix c(static_cast<size_t>(shape.m * shape.n) + 32, 42);
      Multiply(*kernels_, form, shape, a.data(), b.data(), nullptr, c.data() + 16);
      EXPECT_EQ(Matrix(c.begin(), c.begin() + 16), Matrix(16, 42));
      EXPECT_EQ(Matrix(c.end() - 16, c.end()), Matrix(16, 42));
    }
  }
}

}  // namespace
}  // namespace octet
