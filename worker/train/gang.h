// Gang: this board's line to the other boards of its assignment, made before anything that can
// fail, so that a failure here ends the wait of the others with its cause. Used by the session's
// thread.
#pragma once

#include <memory>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "worker/collective/data_endpoint.h"
#include "worker/collective/slice_all_reduce.h"
#include "worker/collective/zmq_transport.h"
#include "worker/train/session_inputs.h"
#include "worker/train/stop_request.h"

namespace octet {

class Gang {
 public:
  // Begins to connect; waits for nobody. All arguments outlive the gang. Until Joined() any stop
  // request ends a wait for the others, later only one "at once".
  static Result<std::unique_ptr<Gang>> Make(DataEndpoint& endpoint, const Clock& clock,
                                            const SessionInputs& inputs, const StopRequest& stop);

  SliceAllReduce& slice() { return *slice_; }
  int ranks() const { return ranks_; }
  void Joined() { joined_ = true; }

 private:
  Gang(const StopRequest& stop, int ranks) : stop_(stop), ranks_(ranks) {}
  Status Interrupted() const;

  const StopRequest& stop_;
  const int ranks_;
  bool joined_ = false;
  std::unique_ptr<ZmqTransport> transport_;  // Null for one board.
  std::unique_ptr<SliceAllReduce> slice_;
};

}  // namespace octet
