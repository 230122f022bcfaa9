// StopRequest: how another thread asks a running session to end. Read by the step loop once a step.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace octet {

enum class StopKind : int {
  kNone = 0,
  kWithCheckpoint = 1,  // After the running step, with a checkpoint.
  kAtOnce = 2,          // Without one.
};

// Any thread may call any method.
class StopRequest {
 public:
  // A harder request replaces a softer one; a softer one does nothing.
  void Ask(StopKind kind, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (kind <= kind_.load(std::memory_order_relaxed)) return;
    reason_ = reason;
    kind_.store(kind, std::memory_order_release);
  }
  StopKind kind() const { return kind_.load(std::memory_order_acquire); }
  std::string reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  std::atomic<StopKind> kind_{StopKind::kNone};
  mutable std::mutex mutex_;
  std::string reason_;
};

}  // namespace octet
