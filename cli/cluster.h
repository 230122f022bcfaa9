// The local cluster: `octet up`, `octet down`, `octet status`. Starts and stops the coordinator,
// which starts and stops its workers. What runs is known from files under OCTET_HOME/run, each with
// the process's id and start time, so that a reused process id is never taken for ours.
#pragma once

#include <optional>
#include <string>

#include "cli/environment.h"
#include "shared/base/clock.h"
#include "shared/base/file_system.h"

namespace octet::cli {

// What the coordinator says of itself in run/coordinator.json.
struct RunningCluster {
  int64_t pid = 0;
  std::string start_time;  // As in /proc: clock ticks since boot.
  std::string api, control, metrics;
  int64_t boards = 0;
  bool alive = false;  // That very process still runs.
};

// kNotFound: no cluster was started in `home`, or it was stopped.
Result<RunningCluster> ReadCluster(const FileSystem& files, const std::string& home);

struct UpOptions {
  int boards = 4;
  std::string pool_type = "v3-8";
  std::string api_address = "127.0.0.1:7443";
  std::string control_address = "127.0.0.1:7444";
  std::string metrics_address = "127.0.0.1:7446";
  Duration timeout = std::chrono::seconds(60);
};
// Prints the addresses and what to type next once all boards are registered. A cluster that already
// runs in the home is named, which is no error.
Status Up(FileSystem& files, const Clock& clock, const Environment& environment,
          const UpOptions& options);

// Ok also when nothing ran. Leaves no process of the cluster behind.
Status Down(FileSystem& files, const Clock& clock, const Environment& environment);

// The addresses, then boards, jobs and quotas. kNotFound: no cluster runs.
Status ShowStatus(const FileSystem& files, const Clock& clock, const Environment& environment);

}  // namespace octet::cli
