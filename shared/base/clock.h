// The Clock seam: the only way to learn the time. Loops own one; cores take `now` as an argument.
//
// Implementations are safe to call from any thread.
#pragma once

#include <mutex>

#include "shared/base/time.h"

namespace octet {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time, in UTC. May jump.
  virtual TimePoint Now() const = 0;
  // Never goes back; advances while the machine sleeps (CLOCK_BOOTTIME).
  virtual MonotonicTime Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint Now() const override;
  MonotonicTime Monotonic() const override;
};

// A clock that stands still until told. Wall and monotonic time can be moved apart.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(TimePoint start) : now_(start) {}
  TimePoint Now() const override;
  MonotonicTime Monotonic() const override;
  // Moves both.
  void Advance(Duration step);
  // Sets wall time alone, as an administrator or NTP would.
  void SetWall(TimePoint now);

 private:
  mutable std::mutex mutex_;
  TimePoint now_;
  MonotonicTime monotonic_{};
};

}  // namespace octet
