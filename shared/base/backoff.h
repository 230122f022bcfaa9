// How long to wait before trying again: exponential, capped, with full jitter (Brooker,
// "Exponential backoff and jitter", 2015), so that many clients do not come back at once. Pure:
// randomness is given.
#pragma once

#include "shared/base/random.h"
#include "shared/base/time.h"

namespace octet {

struct BackoffOptions {
  Duration first = std::chrono::milliseconds(100);
  Duration max = std::chrono::seconds(10);
  double factor = 2.0;
};

// The wait before attempt `attempt` (1 = the first retry): uniform in [d/2, d] with
// d = min(max, first * factor^(attempt-1)).
Duration BackoffDelay(const BackoffOptions& options, int attempt, Random& random);

}  // namespace octet
