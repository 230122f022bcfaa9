#include "worker/collective/sum_buffer.h"

#include <cstdlib>
#include <cstring>

#include "shared/base/check.h"

namespace octet {
namespace {

// Whole cache lines of floats, so that threads that write neighbouring rows do not share one.
constexpr int64_t kLineFloats = 16;
constexpr size_t kAlignment = 64;

}  // namespace

SumBuffer::SumBuffer(int64_t elements, int64_t roots, bool alone)
    : elements_(elements),
      roots_(roots),
      stride_((elements + kLineFloats - 1) / kLineFloats * kLineFloats),
      alone_(alone) {
  CHECK(elements >= 0 && roots >= 1);
  CHECK(!alone || roots == 1) << "a board alone holds the whole tree";
  const int64_t rows = alone ? 1 : roots + 1;
  const size_t bytes =
      (static_cast<size_t>(stride_ * rows) + static_cast<size_t>(kLineFloats)) * sizeof(float);
  float* const memory = static_cast<float*>(std::aligned_alloc(kAlignment, bytes));
  CHECK(memory != nullptr) << "no memory for " << bytes << " bytes";
  std::memset(memory, 0, bytes);
  memory_ = std::shared_ptr<float>(memory, [](float* data) { std::free(data); });
}

float* SumBuffer::root(int64_t index) const {
  CHECK(index >= 0 && index < roots_);
  return memory_.get() + index * stride_;
}

float* SumBuffer::writable_sum() const {
  return alone_ ? memory_.get() : memory_.get() + roots_ * stride_;
}

}  // namespace octet
