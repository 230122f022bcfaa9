#include "worker/engine/blocked_product.h"
#include "worker/engine/kernels.h"
#include "worker/engine/onednn_product.h"

namespace octet {
namespace {

// Below this the library's fixed cost (dispatch, packing, scratch memory) outweighs its faster
// loop.
constexpr int64_t kLibraryFlopsMin = 1'000'000;

void Multiply(Operands operands, const ProductShape& shape, const float* a, const float* b,
              const float* bias, float* c) {
  const auto product = shape.flops() >= kLibraryFlopsMin ? OneDnnProduct : BlockedProduct;
  product(operands, shape, a, b, bias, c);
}

}  // namespace

void HostKernels::Product(const ProductShape& shape, const float* a, const float* b,
                          const float* bias, float* c) const {
  Multiply(Operands::kPlain, shape, a, b, bias, c);
}

void HostKernels::ProductTransposedA(const ProductShape& shape, const float* a, const float* b,
                                     float* c) const {
  Multiply(Operands::kTransposedA, shape, a, b, nullptr, c);
}

void HostKernels::ProductTransposedB(const ProductShape& shape, const float* a, const float* b,
                                     float* c) const {
  Multiply(Operands::kTransposedB, shape, a, b, nullptr, c);
}

std::string EngineVersion() { return "octet-engine 1, oneDNN " + OneDnnVersion(); }

std::string InstructionSet() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "x86-64 avx512";
  if (__builtin_cpu_supports("avx2")) return "x86-64 avx2";
  return "x86-64";
#else
  return "generic";
#endif
}

}  // namespace octet
