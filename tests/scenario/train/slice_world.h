// A slice of boards in one process, for scenarios: each board is a SessionHost with its own thread,
// its own data endpoint and real ZeroMQ between them; the files are in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shared/base/bounded_queue.h"
#include "shared/base/clock.h"
#include "shared/base/file_system.h"
#include "worker/train/session_host.h"

namespace octet {

// The variable parts of a small classification job: 101 examples, 5 inputs, 3 classes, dropout on.
struct JobOptions {
  int64_t epochs = 3;
  int64_t batch_size = 32;
  int64_t steps_per_epoch = 0;
  int64_t checkpoint_every_steps = 4;
  std::string optimizer = R"({"adam": {"learningRate": 0.01}})";
  std::string validation = R"({"fraction": 0.2, "seed": 7})";
  std::string layers = R"([{"rescaling": {"scale": 0.5}},
      {"dense": {"units": 24, "activation": "relu"}}, {"dropout": {"rate": 0.25}},
      {"dense": {"units": 3, "activation": "softmax"}}])";
  std::string file = "/data/points.csv";
  std::string target = "kind";
};

// The checked spec with defaults, for a job on 1, 2 or 4 boards with 32 logical shards.
std::string SpecJson(const JobOptions& job, int boards);

// Writes the examples of JobOptions to /data/points.csv.
void WritePoints(FileSystem& files);

struct RunOptions {
  int boards = 1;
  int threads = 1;
  Duration grant = std::chrono::hours(1);
  Duration grace = std::chrono::seconds(1);
};

// One board: what it was told and what it said.
class WorldBoard {
 public:
  WorldBoard(FileSystem& files, int threads);
  SessionHost& host() { return *host_; }
  void Kill() { host_.reset(); }
  WorkerMetrics& metrics() { return metrics_; }
  // The next report, or nothing once the session has ended.
  std::optional<control::StepReport> NextReport() { return reports_.Pop(); }
  control::AssignmentEnd AwaitEnd();
  // All log lines so far, those of the end included once it was awaited.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  SystemClock clock_;
  ZmqContext context_;
  WorkerMetrics metrics_{"test"};
  BoundedQueue<control::StepReport> reports_{100'000};
  BoundedQueue<control::AssignmentEnd> ends_{1};
  std::vector<std::string> lines_;
  std::unique_ptr<SessionHost> host_;  // Last: its thread uses the others.
};

// One session of the job on a fresh gang.
class SliceRun {
 public:
  SliceRun(FileSystem& files, const JobOptions& job, const RunOptions& options, int64_t fence);
  WorldBoard& board(int rank) { return *boards_[static_cast<size_t>(rank)]; }
  void StopAll(StopKind kind);
  Fence fence() const { return fence_; }
  // The ends of all boards, by rank.
  std::vector<control::AssignmentEnd> AwaitAll();

 private:
  Fence fence_;
  std::vector<std::unique_ptr<WorldBoard>> boards_;
};

}  // namespace octet
