#include "worker/engine/onednn_product.h"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>

#include "shared/base/check.h"

namespace octet {
namespace {

// Debian's oneDNN runs on OpenMP, whose default is a team of all processors; the order of summation
// would then depend on their number. The setting belongs to the calling thread.
void UseOneThread() {
  thread_local const bool set = [] {
    omp_set_num_threads(1);
    return true;
  }();
  (void)set;
}

}  // namespace

void OneDnnProduct(Operands operands, const ProductShape& shape, const float* a, const float* b,
                   const float* bias, float* c) {
  UseOneThread();
  float beta = 0;
  if (bias != nullptr) {
    for (int64_t i = 0; i < shape.m; ++i) std::copy_n(bias, shape.n, c + i * shape.n);
    beta = 1;
  }
  const bool transposed_a = operands == Operands::kTransposedA;
  const bool transposed_b = operands == Operands::kTransposedB;
  const dnnl_status_t status = dnnl_sgemm(
      transposed_a ? 'T' : 'N', transposed_b ? 'T' : 'N', shape.m, shape.n, shape.k, 1.0F, a,
      transposed_a ? shape.m : shape.k, b, transposed_b ? shape.k : shape.n, beta, c, shape.n);
  CHECK(status == dnnl_success) << "dnnl_sgemm: status " << status << " for m=" << shape.m
                                << " n=" << shape.n << " k=" << shape.k;
}

std::string OneDnnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace octet
