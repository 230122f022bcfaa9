#include "worker/train/board_monitor.h"

namespace octet {
namespace {

constexpr std::chrono::seconds kWindow(10);

}  // namespace

void BoardMonitor::Attach(const Board& board) {
  const std::lock_guard lock(mutex_);
  board_ = &board;
  samples_ = {board.Sample()};
}

void BoardMonitor::Detach() {
  const std::lock_guard lock(mutex_);
  board_ = nullptr;
  samples_.clear();
}

BoardReading BoardMonitor::Read() {
  const std::lock_guard lock(mutex_);
  if (board_ == nullptr) return {};
  samples_.push_back(board_->Sample());
  const MonotonicTime now = samples_.back().at;
  // The oldest that stays is the youngest which is at least a window old.
  while (samples_.size() > 2 && now - samples_[1].at >= kWindow) samples_.pop_front();
  return {.use = UseBetween(samples_.front(), samples_.back(), board_->threads()),
          .hbm_used = board_->hbm().total()};
}

}  // namespace octet
