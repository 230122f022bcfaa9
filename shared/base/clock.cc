#include "shared/base/clock.h"

#include <time.h>

namespace octet {

TimePoint SystemClock::Now() const {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

MonotonicTime SystemClock::Monotonic() const {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return MonotonicTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

TimePoint FakeClock::Now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

MonotonicTime FakeClock::Monotonic() const {
  std::lock_guard lock(mutex_);
  return monotonic_;
}

void FakeClock::Advance(Duration step) {
  std::lock_guard lock(mutex_);
  now_ += step;
  monotonic_ += step;
}

void FakeClock::SetWall(TimePoint now) {
  std::lock_guard lock(mutex_);
  now_ = now;
}

}  // namespace octet
