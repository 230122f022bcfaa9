#include "worker/agent/memory_link.h"

#include <utility>

namespace octet {

Status MemoryLink::Send(const control::WorkerMessage& message) {
  {
    const std::lock_guard lock(mutex_);
    if (silent_) return Ok();
    sent_.push_back(message);
  }
  changed_.notify_all();
  return Ok();
}

Result<std::optional<control::CoordinatorMessage>> MemoryLink::Receive(Duration wait) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return woken_ || !given_.empty(); });
  woken_ = false;
  if (given_.empty()) return std::optional<control::CoordinatorMessage>();
  std::optional message(std::move(given_.front()));
  given_.pop_front();
  return message;
}

void MemoryLink::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void MemoryLink::Give(control::CoordinatorMessage message) {
  {
    const std::lock_guard lock(mutex_);
    given_.push_back(std::move(message));
  }
  changed_.notify_all();
}

std::optional<control::WorkerMessage> MemoryLink::Take(Duration wait) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return !sent_.empty(); });
  if (sent_.empty()) return std::nullopt;
  std::optional message(std::move(sent_.front()));
  sent_.pop_front();
  return message;
}

void MemoryLink::SetSilent(bool silent) {
  const std::lock_guard lock(mutex_);
  silent_ = silent;
}

}  // namespace octet
