// BoardMonitor: how busy the worker's board was over the last ten seconds, for heartbeats and
// Prometheus.
//
// The session attaches its board while it has one; the agent's thread asks. Any thread may call any
// method.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "shared/base/units.h"
#include "worker/board/board.h"

namespace octet {

struct BoardReading {
  std::optional<BoardUse> use;  // None: nothing ran, or there is no job.
  Bytes hbm_used{};             // Accounted, per core.
};

class BoardMonitor {
 public:
  // `board` stays until Detach.
  void Attach(const Board& board);
  void Detach();
  // Takes a sample and compares it with the oldest of the window. About once a second.
  BoardReading Read();

 private:
  std::mutex mutex_;
  const Board* board_ = nullptr;
  std::deque<BusySample> samples_;  // Oldest first; of the attached board.
};

// Attached for the length of a scope.
class MonitoredBoard {
 public:
  MonitoredBoard(BoardMonitor& monitor, const Board& board) : monitor_(monitor) {
    monitor_.Attach(board);
  }
  ~MonitoredBoard() { monitor_.Detach(); }
  MonitoredBoard(const MonitoredBoard&) = delete;
  MonitoredBoard& operator=(const MonitoredBoard&) = delete;

 private:
  BoardMonitor& monitor_;
};

}  // namespace octet
