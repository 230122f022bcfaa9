// The Kubernetes-shaped REST API of the coordinator: one request in, one response out.
//
// It reads and writes objects in the Store and nothing else; it has no socket and no thread. Handle may be
// called from any one thread at a time. Errors are Kubernetes Status objects with reason, code and, for
// an invalid object, every cause. Who may do what in this version: a peer on the loopback address may
// write, in the name of the Impersonate-User header; any other peer may only read.
#pragma once

#include <functional>
#include <string>

#include "coordinator/api/log_reader.h"
#include "coordinator/api/request.h"
#include "coordinator/store/store.h"
#include "shared/base/clock.h"

namespace octet {

// Held by a TrainingJob from its admission until its boards are back: set and removed by the
// controllers. A deletion waits for it.
inline constexpr char kBoardsFinalizer[] = "octet.dev/boards";

struct ApiOptions {
  std::string version = "0.1.0";       // Of Octet, for /version.
  std::function<Status()> ready;       // For /readyz; none: always ready.
  LogReader log_reader;                // None: every log is empty.
  std::function<std::string()> new_uid;  // None: random version 4 UUIDs of the system.
};

class ApiHandler {
 public:
  // `store` and `clock` outlive the handler.
  ApiHandler(Store& store, const Clock& clock, ApiOptions options);

  ApiResponse Handle(const ApiRequest& request) const;

 private:
  Store& store_;
  const Clock& clock_;
  ApiOptions options_;
};

}  // namespace octet
