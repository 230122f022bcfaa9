// SessionHost: the thread on which sessions run, one after another, and the data endpoint that it
// owns.
//
// Start and Stop are called by the agent's thread and return at once; the sinks are called by the
// session's thread. The endpoint lives as long as the host, so that peers find the same address in
// each session.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "proto/control.pb.h"
#include "shared/base/bounded_queue.h"
#include "shared/base/ids.h"
#include "shared/base/thread.h"
#include "worker/train/session.h"

namespace octet {

struct SessionHostOptions {
  std::string data_host = "127.0.0.1";  // Where peers reach this board.
  int data_port = 0;                    // 0: a free one.
  std::string checkpoint_root;          // A relative checkpoint folder of an Assign is inside it.
  int threads = 0;
  std::string version;
};

struct SessionSinks {
  std::function<void(control::StepReport)> report;
  std::function<void(control::AssignmentEnd)> end;
};

class SessionHost {
 public:
  // All references outlive the host. kUnavailable or kInvalidArgument: the data endpoint cannot be
  // bound.
  static Result<std::unique_ptr<SessionHost>> Create(const Clock& clock, FileSystem& files,
                                                     ZmqContext& context, WorkerMetrics& metrics,
                                                     const SessionHostOptions& options,
                                                     SessionSinks sinks);
  // Ends the running session at once, without a checkpoint.
  ~SessionHost();

  const std::string& data_endpoint() const { return endpoint_; }

  // Runs the assignment's session. At most one may be unfinished. One that cannot be read ends as
  // failed.
  void Start(const control::Assign& assign, MonotonicTime taken);
  // A session with another fence has ended already.
  void Stop(Fence fence, StopKind kind, const std::string& reason);

  // How busy the board is; also tells the metrics. About once a second.
  control::BoardUsage Usage();

 private:
  struct Job {
    control::Assign assign;
    MonotonicTime taken;
    std::shared_ptr<StopRequest>
        stop;  // Shared: asked by the agent's thread while the session's reads it.
  };
  SessionHost(const Clock& clock, FileSystem& files, ZmqContext& context, WorkerMetrics& metrics,
              const SessionHostOptions& options, SessionSinks sinks);
  void Serve(std::promise<Result<std::string>>& bound);
  control::AssignmentEnd RunJob(const SessionWorld& world, const Job& job);

  const Clock& clock_;
  FileSystem& files_;
  ZmqContext& context_;
  WorkerMetrics& metrics_;
  const SessionHostOptions options_;
  const SessionSinks sinks_;
  BoardMonitor monitor_;
  std::string endpoint_;
  BoundedQueue<Job> jobs_;
  std::mutex mutex_;
  Fence current_fence_;                   // Guarded by mutex_.
  std::shared_ptr<StopRequest> current_;  // Guarded by mutex_; of the last session started.
  std::optional<Thread> thread_;          // Made by Create.
};

}  // namespace octet
