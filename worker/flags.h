// The command line of octet-worker: strict, so that a typing mistake is never a silent default.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/status.h"

namespace octet {

struct WorkerFlags {
  BoardId board;                        // --board local-0
  PoolName pool;                        // --pool local; default: the board's name up to its dash
  int64_t ordinal = -1;                 // --ordinal 0; default: the number after that dash
  std::string coordinator;              // --coordinator tcp://127.0.0.1:7444
  std::string home;                     // --home DIR; checkpoints are its folder "checkpoints"
  std::string data_host = "127.0.0.1";  // --data-host: where other boards connect to
  int data_port = 0;                    // --data-port; 0: a free one
  std::string metrics_address = "127.0.0.1:0";  // --metrics-address
  int threads = 0;  // --threads; 0: as many as there are processors, at most 8
  bool help = false;
  bool version = false;
};

// `arguments` without the program's name; "--flag value" and "--flag=value". kInvalidArgument names
// the flag and the fix.
Result<WorkerFlags> ParseWorkerFlags(const std::vector<std::string>& arguments);

// The text of --help.
std::string WorkerUsage();

}  // namespace octet
