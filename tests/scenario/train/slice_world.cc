#include "tests/scenario/train/slice_world.h"

#include <gtest/gtest.h>

#include "shared/base/random.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet {

std::string SpecJson(const JobOptions& job, int boards) {
  const std::string accelerator =
      boards == 4 ? R"({"type": "v3-32"})"
                  : R"({"type": "v3-8", "sliceCount": )" + std::to_string(boards) + "}";
  const std::string text =
      R"({"apiVersion": "octet.dev/v1", "kind": "TrainingJob", "metadata": {"name": "points"},
          "spec": {"user": "alice", "accelerator": )" +
      accelerator + R"(, "model": {"layers": )" + job.layers +
      R"(}, "data": {"train": {"format": "csv", "files": [")" + job.file + R"("], "target": ")" +
      job.target + R"("}, "validation": )" + job.validation + R"(},
          "training": {"batchSize": )" +
      std::to_string(job.batch_size) + R"(, "batchSplit": "uneven", "epochs": )" +
      std::to_string(job.epochs) + R"(, "stepsPerEpoch": )" + std::to_string(job.steps_per_epoch) +
      R"(, "optimizer": )" + job.optimizer +
      R"(, "loss": "sparse_categorical_crossentropy", "seed": 42, "logicalShards": 32},
          "checkpoint": {"everySteps": )" +
      std::to_string(job.checkpoint_every_steps) + "}}}";
  const auto document = ReadJson(text);
  CHECK(document.ok()) << document.status().ToString() << text;
  Faults faults;
  const Object object = CheckDocument(*document, faults);
  CHECK(faults.empty()) << FormatFaults("job", faults);
  return WriteCanonicalJson(object.spec);
}

void WritePoints(FileSystem& files) {
  Random random(12);
  std::string text = "a,b,c,d,e,kind\n";
  for (int row = 0; row < 101; ++row) {
    const uint64_t kind = random.Below(3);
    for (uint64_t column = 0; column < 5; ++column) {
      const float centre = column == kind ? 2.0F : 0.0F;
      text += std::to_string(centre + random.NextNormal()) + ",";
    }
    text += std::to_string(kind) + "\n";
  }
  CHECK(files.CreateDirectories("/data").ok());
  CHECK(files.Write("/data/points.csv", text).ok());
}

WorldBoard::WorldBoard(FileSystem& files, int threads) {
  auto host = SessionHost::Create(
      clock_, files, context_, metrics_,
      {.checkpoint_root = "/home/checkpoints", .threads = threads, .version = "test"},
      {.report = [this](control::StepReport report) { (void)reports_.Push(std::move(report)); },
       .end =
           [this](control::AssignmentEnd end) {
             (void)ends_.Push(std::move(end));
             reports_.Close();
           }});
  CHECK(host.ok()) << host.status().ToString();
  host_ = std::move(host).value();
}

control::AssignmentEnd WorldBoard::AwaitEnd() {
  while (const auto report = reports_.Pop()) {
    lines_.insert(lines_.end(), report->log_lines().begin(), report->log_lines().end());
  }
  control::AssignmentEnd end = *ends_.Pop();
  lines_.insert(lines_.end(), end.last().log_lines().begin(), end.last().log_lines().end());
  return end;
}

SliceRun::SliceRun(FileSystem& files, const JobOptions& job, const RunOptions& options,
                   int64_t fence)
    : fence_(fence) {
  control::Assign assign;
  assign.set_fence(fence);
  assign.set_job_uid("job-uid");
  assign.set_job_namespace("default");
  assign.set_job_name("points");
  assign.set_attempt(fence);
  assign.set_spec_json(SpecJson(job, options.boards));
  assign.set_checkpoint_folder("job-uid");
  assign.set_grant_millis(options.grant.count());
  assign.set_grace_millis(options.grace.count());
  for (int rank = 0; rank < options.boards; ++rank) {
    boards_.push_back(std::make_unique<WorldBoard>(files, options.threads));
    control::Peer& peer = *assign.add_peers();
    peer.set_board("local-" + std::to_string(rank));
    peer.set_data_endpoint(boards_.back()->host().data_endpoint());
  }
  const SystemClock clock;
  for (int rank = 0; rank < options.boards; ++rank) {
    assign.set_rank(static_cast<uint32_t>(rank));
    board(rank).host().Start(assign, clock.Monotonic());
  }
}

void SliceRun::StopAll(StopKind kind) {
  for (auto& board : boards_) board->host().Stop(fence_, kind, "asked by the test");
}

std::vector<control::AssignmentEnd> SliceRun::AwaitAll() {
  std::vector<control::AssignmentEnd> ends;
  for (auto& board : boards_) ends.push_back(board->AwaitEnd());
  return ends;
}

}  // namespace octet
