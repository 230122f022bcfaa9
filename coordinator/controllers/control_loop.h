// ControlLoop: the coordinator's heart: one loop that hears the workers, then runs every controller
// once.
//
// Each controller reads the world, calls a core, writes one transaction and sends what follows from
// it, so that a crash at any point is healed by the next round. Rounds come with each message, each
// change of the store and at least each limits::kControlTick. One thread runs Round or Run; Stop
// may be called from any.
#pragma once

#include <atomic>
#include <memory>

#include "coordinator/controllers/control_context.h"

namespace octet {

class ControlLoop {
 public:
  // Reads the store. Sessions that are open there are of a former process; their workers are waited
  // for.
  static Result<std::unique_ptr<ControlLoop>> Make(const ControlSeams& seams);

  // Waits at most `wait` for messages, takes them, and runs the controllers.
  void Round(Duration wait);

  // Rounds until Stop(), then stops the workers that the provider has started, with time for their
  // checkpoints, and returns when they are gone, at the latest after kStopLimit.
  void Run();
  void Stop();

  const ControlContext& context() const { return context_; }

  static constexpr Duration kStopLimit = std::chrono::seconds(12);

 private:
  explicit ControlLoop(const ControlSeams& seams) : context_(seams), link_(seams.link) {}
  void Hear(const FromWorker& message);
  void Drain();

  ControlContext context_;
  WorkerLink& link_;
  std::atomic<bool> stop_ = false;
};

}  // namespace octet
