// The WorkerLink seam: control messages between the coordinator and its workers.
//
// A message that cannot be read (too long, no protobuf) is counted and dropped; one to a peer that
// is gone disappears, since everything that matters is resent. Only Wake may be called from another
// thread than the one that made the link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "shared/base/time.h"

namespace octet {

struct FromWorker {
  std::string peer{};  // The connection it came on; answers go there.
  control::WorkerMessage message{};
};

class WorkerLink {
 public:
  virtual ~WorkerLink() = default;

  virtual void Send(const std::string& peer, const control::CoordinatorMessage& message) = 0;
  // Waits at most `wait` for a message, then gives it with all that have come, at most
  // kWorkerMessagesPerRound. Empty after `wait` or a Wake.
  virtual std::vector<FromWorker> Receive(Duration wait) = 0;
  // Ends the Receive that waits, or the next one. Any thread.
  virtual void Wake() = 0;
  // Messages that were dropped because they could not be read.
  virtual int64_t unreadable() const = 0;
};

// So that timers run although messages keep coming: two a board and second of the largest slice.
inline constexpr size_t kWorkerMessagesPerRound = 512;

}  // namespace octet
