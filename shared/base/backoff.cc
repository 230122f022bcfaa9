#include "shared/base/backoff.h"

#include <algorithm>
#include <cmath>

namespace octet {

Duration BackoffDelay(const BackoffOptions& options, int attempt, Random& random) {
  const double grown = static_cast<double>(options.first.count()) *
                       std::pow(options.factor, std::max(attempt - 1, 0));
  const auto full = static_cast<int64_t>(std::min(grown, static_cast<double>(options.max.count())));
  const int64_t half = full / 2;
  return Duration(half +
                  static_cast<int64_t>(random.Below(static_cast<uint64_t>(full - half) + 1)));
}

}  // namespace octet
