// The Transport seam: frames between the boards of one gang. Rank r is the r-th board.
//
// A transport serves one gang (one assignment of one job) and is used by one thread, except Wake().
// Between two ranks frames arrive in the order they were sent, whole, or not at all; a lost board
// is reported where it can be seen, but not always (a board that hangs is silent), so that whoever
// waits needs a deadline as well.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "shared/base/status.h"
#include "shared/base/time.h"
#include "worker/collective/frame_header.h"

namespace octet {

// Bytes and what keeps them alive. Shared: the sender's buffer, each peer's queue and the network
// all hold on to the same bytes instead of copying them.
struct Payload {
  std::shared_ptr<const void> owner;
  std::string_view bytes;

  static Payload Copy(std::string_view bytes);
};

// One event of a gang: a frame from `rank`, or the loss of `rank`.
struct Received {
  int rank = 0;
  bool lost = false;
  FrameHeader header = {};  // Unless lost.
  Payload payload = {};
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Queues a frame; never waits. The payload's bytes stay as they are until the receiver has them.
  // kUnavailable: the rank is lost, or too much is waiting for it.
  virtual Status Send(int rank, const FrameHeader& header, Payload payload) = 0;

  // The next event; nothing after `wait`, after Wake(), or earlier without a reason. The loss of a
  // rank is told once, after the frames that came from it.
  virtual Result<std::optional<Received>> Receive(Duration wait) = 0;

  // Ends a Receive that waits, now or the next one. Any thread.
  virtual void Wake() = 0;
};

}  // namespace octet
