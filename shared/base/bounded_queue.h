// A first-in first-out queue between threads with a fixed capacity. A full queue refuses (TryPush)
// or waits (Push); it never grows. Close() wakes everyone: pushes fail, pops drain what is left.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "shared/base/check.h"

namespace octet {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) { CHECK(capacity > 0); }

  // False if full or closed; the item is then untouched.
  bool TryPush(T&& item) {
    std::unique_lock lock(mutex_);
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    readable_.notify_one();
    return true;
  }

  // Waits for room. False if closed.
  bool Push(T item) {
    std::unique_lock lock(mutex_);
    writable_.wait(lock, [&] { return closed_ || items_.size() < capacity_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    lock.unlock();
    readable_.notify_one();
    return true;
  }

  // The oldest item, or nothing after `wait` or when the queue is closed and empty.
  std::optional<T> Pop(std::chrono::nanoseconds wait) {
    std::unique_lock lock(mutex_);
    readable_.wait_for(lock, wait, [&] { return closed_ || !items_.empty(); });
    return TakeFront(lock);
  }

  // Waits until there is an item; nothing only when closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    readable_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return TakeFront(lock);
  }

  void Close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    readable_.notify_all();
    writable_.notify_all();
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  std::optional<T> TakeFront(std::unique_lock<std::mutex>& lock) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    writable_.notify_one();
    return item;
  }

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable readable_;
  std::condition_variable writable_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace octet
