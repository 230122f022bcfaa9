// The ControlLink seam: one worker's line to its coordinator.
//
// Used by the agent's thread, except Wake(), which any thread may call. A link keeps trying to
// reach the coordinator by itself; messages that cannot go out yet wait in a bounded queue.
#pragma once

#include <optional>

#include "proto/control.pb.h"
#include "shared/base/status.h"
#include "shared/base/time.h"

namespace octet {

class ControlLink {
 public:
  virtual ~ControlLink() = default;

  // Queues a message; never waits. kUnavailable: the queue is full and the message is dropped (what
  // must arrive is sent again by the agent's rules).
  virtual Status Send(const control::WorkerMessage& message) = 0;

  // The next message; nothing after `wait`, after a Wake(), or where what came cannot be read.
  virtual Result<std::optional<control::CoordinatorMessage>> Receive(Duration wait) = 0;

  // Ends a Receive that waits, now or the next one.
  virtual void Wake() = 0;
};

}  // namespace octet
