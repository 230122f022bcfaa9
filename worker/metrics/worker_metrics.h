// WorkerMetrics: the figures of one worker for Prometheus, and the page that serves them. The only
// wrapper of prometheus-cpp in the worker.
//
// Any thread may call any method; each takes locks, so the step loop calls it about once a second,
// with what it has summed since.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "shared/base/status.h"
#include "worker/metrics/time_histogram.h"

namespace octet {

// What the step loop has done since it last told.
struct StepFigures {
  uint64_t steps = 0;
  uint64_t examples = 0;
  uint64_t all_reduce_bytes = 0;
  uint64_t stale_frames = 0;
  TimeHistogram step_time{};
  TimeHistogram all_reduce_time{};
  std::optional<double> loss{};
};

// Shares of wall time, 0 to 1.
struct BoardShares {
  double mxu = 0;
  double idle = 0;
};

class WorkerMetrics {
 public:
  explicit WorkerMetrics(const std::string& version);
  ~WorkerMetrics();
  WorkerMetrics(const WorkerMetrics&) = delete;
  WorkerMetrics& operator=(const WorkerMetrics&) = delete;

  void Add(const StepFigures& figures);
  void AddCheckpoint();
  // Nothing: no sample, the metrics are absent.
  void SetShares(std::optional<BoardShares> shares);
  void SetHbm(int64_t used_bytes, int64_t limit_bytes);
  // The session is over: the loss is absent again.
  void SetIdle();

  // Starts to serve http://ADDRESS/metrics on two threads until destroyed; "127.0.0.1:0" takes a
  // free port. Once only. Returns the address with its port. kUnavailable where the address cannot
  // be taken.
  Result<std::string> Serve(const std::string& address);

  // The page's text.
  std::string Text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace octet
