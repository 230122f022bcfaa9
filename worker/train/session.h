// A session: one job on this board for one uninterrupted time, from reading the data to the end.
//
// All boards of the gang run the same code on the same state; rank 0 also reads and writes the
// checkpoints and speaks to people. No message, log line or lock falls on a step, except once a
// second.
#pragma once

#include <functional>
#include <string>

#include "proto/control.pb.h"
#include "shared/base/clock.h"
#include "shared/base/file_system.h"
#include "worker/collective/data_endpoint.h"
#include "worker/metrics/worker_metrics.h"
#include "worker/train/board_monitor.h"
#include "worker/train/session_inputs.h"
#include "worker/train/stop_request.h"

namespace octet {

// What a session uses of its process. All of it outlives the session.
struct SessionWorld {
  const Clock& clock;
  FileSystem& files;
  ZmqContext& context;
  DataEndpoint& endpoint;
  WorkerMetrics& metrics;
  BoardMonitor& monitor;
  int threads = 0;      // For the board's cores; 0: as many as fit.
  std::string version;  // Of Octet, for checkpoints.
};

// Figures at most once a second, at each epoch and each checkpoint; log lines for people with them.
// Fence, board and job are filled in.
using ReportSink = std::function<void(control::StepReport)>;

// Runs the session on the calling thread, which owns `world.endpoint`. `taken`: when the grant
// began. Returns how it ended; the session's own thread is free then and all its helpers are
// joined.
control::AssignmentEnd RunSession(const SessionWorld& world, const SessionInputs& inputs,
                                  MonotonicTime taken, const StopRequest& stop,
                                  const ReportSink& report);

}  // namespace octet
