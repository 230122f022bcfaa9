// TimeHistogram: durations counted by bucket, without a lock, for the one thread that measures
// them. The step loop fills one and hands it to WorkerMetrics about once a second. A value; pure.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace octet {

// Upper bounds in seconds, 10 us to 10 s in the steps 1, 2.5, 5: an iris step on one board is at
// the low end, a large network over a slow link at the high end.
inline constexpr std::array<double, 19> kTimeBuckets = {
    1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2,
    2.5e-2, 5e-2,   0.1,  0.25, 0.5,    1.0,  2.5,  5.0,    10.0};

struct TimeHistogram {
  // counts[i]: at most kTimeBuckets[i] and more than the bound before; the last: longer than all.
  std::array<uint64_t, kTimeBuckets.size() + 1> counts{};
  double sum_seconds = 0;
  uint64_t count = 0;

  void Observe(std::chrono::nanoseconds duration);
};

}  // namespace octet
