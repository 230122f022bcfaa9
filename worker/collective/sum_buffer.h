// SumBuffer: the memory of one all-reduce of a fixed size, reused by every step: the roots of this
// board (canonical_sum.h) and the sum over the slice.
//
// The life of a step: the board's threads write the roots, each its range of elements; the leader
// runs SliceAllReduce::AllReduce; the threads read the sum. Outside of AllReduce the roots may be
// written, the sum only read: frames on their way to other boards point into both, without a copy.
// (That a root may be written again after AllReduce is safe by causality: the sum that came back
// proves that the root arrived. The sum is rewritten only once every board has begun the next
// operation, and so has received this one.)
#pragma once

#include <cstdint>
#include <memory>

namespace octet {

class SumBuffer {
 public:
  // `roots`: ShardSum::roots().size(). With `alone` (a slice of one board, which has one root) the
  // root is the sum, and there is no second row.
  SumBuffer(int64_t elements, int64_t roots, bool alone);

  int64_t elements() const { return elements_; }
  int64_t roots() const { return roots_; }
  bool alone() const { return alone_; }
  // Aligned for vectors; of elements() floats.
  float* root(int64_t index) const;
  const float* sum() const { return writable_sum(); }

  // For SliceAllReduce.
  float* writable_sum() const;
  // What keeps the memory alive until ZeroMQ has let go of the last frame that points into it: more
  // owners than one, hence shared.
  const std::shared_ptr<float>& memory() const { return memory_; }

 private:
  int64_t elements_;
  int64_t roots_;
  int64_t stride_;
  bool alone_;
  std::shared_ptr<float> memory_;
};

}  // namespace octet
