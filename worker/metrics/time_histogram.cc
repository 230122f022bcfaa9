#include "worker/metrics/time_histogram.h"

#include <algorithm>

namespace octet {

void TimeHistogram::Observe(std::chrono::nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto* bound = std::lower_bound(kTimeBuckets.begin(), kTimeBuckets.end(), seconds);
  ++counts[static_cast<size_t>(bound - kTimeBuckets.begin())];
  sum_seconds += seconds;
  ++count;
}

}  // namespace octet
