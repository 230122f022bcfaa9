// A BoardProvider whose workers are processes of this machine, one for each board.
//
// A worker outlives a coordinator that crashes: each has HOME/run/workers/NAME.json ({"pid",
// "startTime", "coordinator"}), and a new coordinator adopts those that live and talk to its own
// address. A process is known by its pid and its start time, so that a reused pid is never taken
// for it. Exits are noticed at the next tick. Output goes to HOME/logs/NAME.log. One thread; times
// are monotonic.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coordinator/fleet/board_provider.h"
#include "shared/base/backoff.h"
#include "shared/base/file_system.h"
#include "shared/base/random.h"

namespace octet {

struct LocalProcessOptions {
  std::string home{};
  std::string program{};      // The worker's path.
  std::string coordinator{};  // "tcp://127.0.0.1:7444"
  // More arguments of every worker, after the agreed ones.
  std::vector<std::string> arguments{};
  // A worker that was told to stop and runs longer is killed.
  Duration stop_limit = std::chrono::seconds(10);
  BackoffOptions backoff{};
  // A worker that has run for this long starts again at once, as if for the first time.
  Duration healthy_after = std::chrono::seconds(30);
};

class LocalProcessProvider final : public BoardProvider {
 public:
  // Reads the pid files. `files` outlives the provider.
  LocalProcessProvider(LocalProcessOptions options, FileSystem& files, Random random);
  // Leaves the workers alone: they may outlive the coordinator. To stop them, want none and tick
  // until Running() is empty.
  ~LocalProcessProvider() override;

  void SetWanted(const std::vector<WantedBoard>& boards) override;
  std::vector<WorkerExit> OnTick(MonotonicTime now) override;
  std::vector<BoardId> Running() const override;
  bool workers_come_by_themselves() const override { return false; }
  std::string Message(const BoardId& board) const override;

 private:
  struct Worker {
    WantedBoard board{};
    bool wanted = false;
    int64_t pid = 0;  // 0: no process.
    std::string start_time{};
    bool adopted = false;          // Not our child.
    bool foreign_address = false;  // Talks to another address than ours: must be replaced.
    bool stopping = false;
    bool killed = false;
    MonotonicTime kill_at{};
    MonotonicTime started{};
    MonotonicTime start_at{};  // Not before.
    int failures = 0;          // In a row.
    std::string message{};
  };

  void Adopt();
  void Start(Worker& worker, MonotonicTime now);
  void Stop(Worker& worker, MonotonicTime now);
  // Whether the process has ended, and how.
  bool HasEnded(Worker& worker, std::string& how);
  void AfterExit(Worker& worker, const std::string& how, MonotonicTime now);
  std::string PidFile(const BoardId& board) const;

  const LocalProcessOptions options_;
  FileSystem& files_;
  Random random_;
  std::map<BoardId, Worker> workers_;
};

}  // namespace octet
