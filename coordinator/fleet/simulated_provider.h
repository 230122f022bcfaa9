// A BoardProvider for tests: processes are names in a set that the test starts and ends.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "coordinator/fleet/board_provider.h"

namespace octet {

class SimulatedProvider final : public BoardProvider {
 public:
  void SetWanted(const std::vector<WantedBoard>& boards) override;
  std::vector<WorkerExit> OnTick(MonotonicTime now) override;
  std::vector<BoardId> Running() const override;
  bool workers_come_by_themselves() const override { return false; }
  std::string Message(const BoardId&) const override { return ""; }

  // The process of this board ends now; the next tick tells of it, and the one after starts it
  // again.
  void End(const BoardId& board, const std::string& how);
  const std::vector<WantedBoard>& wanted() const { return wanted_; }

 private:
  std::vector<WantedBoard> wanted_;
  std::set<BoardId> running_;
  std::vector<WorkerExit> exits_;
};

}  // namespace octet
