#include "coordinator/fleet/simulated_provider.h"

#include <utility>

namespace octet {

void SimulatedProvider::SetWanted(const std::vector<WantedBoard>& boards) { wanted_ = boards; }

std::vector<WorkerExit> SimulatedProvider::OnTick(MonotonicTime) {
  std::vector<WorkerExit> exits = std::exchange(exits_, {});
  std::set<BoardId> wanted;
  for (const WantedBoard& board : wanted_) wanted.insert(board.board);
  for (const BoardId& board : running_) {
    if (!wanted.contains(board)) exits.push_back({.board = board, .how = "exited with code 0"});
  }
  running_ = std::move(wanted);
  for (const WorkerExit& exit : exits) running_.erase(exit.board);
  return exits;
}

std::vector<BoardId> SimulatedProvider::Running() const {
  return {running_.begin(), running_.end()};
}

void SimulatedProvider::End(const BoardId& board, const std::string& how) {
  if (running_.erase(board) > 0) exits_.push_back({.board = board, .how = how});
}

}  // namespace octet
