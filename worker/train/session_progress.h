// SessionProgress: the figures of a running session: for Prometheus, for the coordinator's status
// and for people. It decides when something is told; it sends nothing by itself. Used by the
// session's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "shared/base/time.h"
#include "worker/checkpoint/checkpoint_store.h"
#include "worker/metrics/worker_metrics.h"
#include "worker/train/session_inputs.h"
#include "worker/train/train_state.h"

namespace octet {

struct StepTimes {
  std::chrono::nanoseconds step{};
  std::chrono::nanoseconds all_reduce{};
  int64_t examples = 0;        // Of the whole batch.
  int64_t board_examples = 0;  // Of them on this board.
};

class SessionProgress {
 public:
  // `inputs` and `state` outlive it.
  SessionProgress(const SessionInputs& inputs, const TrainState& state, int64_t steps_per_epoch,
                  bool has_accuracy, MonotonicTime now);

  // After each step; a few additions.
  void AddStep(const StepTimes& times);
  void AddLine(std::string line) { lines_.push_back(std::move(line)); }
  void AddCheckpoint(const SavedCheckpoint& saved);

  // Whether a second has passed since the last report.
  bool IsDue(MonotonicTime now) const { return now >= next_report_; }
  // The figures now and the lines since the last report; starts a new window.
  control::StepReport TakeReport(MonotonicTime now);
  // What the metrics have not been told yet.
  StepFigures TakeFigures();

  // The line of the epoch that has just ended; starts the next one's figures.
  std::string EndEpoch(MonotonicTime now);

 private:
  struct Window {
    MonotonicTime start{};
    int64_t steps = 0;
    int64_t examples = 0;
    std::chrono::nanoseconds step{};
    std::chrono::nanoseconds all_reduce{};
  };
  static void AddTo(Window& window, const StepTimes& times);
  static double ExamplesPerSecond(const Window& window, MonotonicTime now);

  const SessionInputs& inputs_;
  const TrainState& state_;
  const int64_t steps_per_epoch_;
  const bool has_accuracy_;
  MonotonicTime next_report_;
  bool stepped_ = false;
  Window second_;  // Since the last report.
  Window epoch_;   // Of the running epoch in this session.
  StepFigures figures_;
  std::vector<std::string> lines_;
  control::CheckpointLine checkpoint_;
  bool has_checkpoint_ = false;
};

}  // namespace octet
