#include "coordinator/controllers/progress.h"

#include <algorithm>

#include "coordinator/controllers/session_end.h"
#include "coordinator/store/log_line.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {
namespace {

constexpr double kMillisPerSecond = 1000.0;

// All transitions of a live session that are due, one after the other.
Transition Progress(const TrainingJob& before, const LiveSession& live, bool figures_due,
                    TimePoint now) {
  TrainingJob job = before;
  bool changed = false;
  const auto apply = [&](Transition transition) {
    changed = changed || transition.changed;
    job.status = std::move(transition.status);
  };
  const Fence fence = live.id.fence;
  if (live.AllAcknowledged()) {
    apply(MarkBoardsReady(job, fence, now));
    if (live.first_step) apply(MarkRunning(job, fence, now));
  }
  if (live.report && live.unwritten && (figures_due || changed)) {
    apply(TakeReport(job, fence, ReadReport(*live.report, job.status)));
  }
  return {.status = std::move(job.status), .changed = changed};
}

}  // namespace

JobReport ReadReport(const control::StepReport& report, const TrainingJobStatus& before) {
  JobReport read{.progress = before.progress,
                 .checkpoint_path = report.checkpoint().path(),
                 .checkpoint_step = report.checkpoint().step()};
  JobProgress& progress = read.progress;
  if (report.total_steps() > 0) {
    progress.step = report.step();
    progress.total_steps = report.total_steps();
    progress.epoch = report.epoch();
    progress.total_epochs = report.total_epochs();
  }
  if (report.step() > 0) {
    progress.loss = report.loss();
    if (report.accuracy() >= 0) progress.accuracy = report.accuracy();
  }
  if (report.has_validation()) {
    progress.validation_loss = report.validation_loss();
    if (report.validation_accuracy() >= 0) {
      progress.validation_accuracy = report.validation_accuracy();
    }
  }
  if (report.examples_per_second() > 0) progress.examples_per_second = report.examples_per_second();
  if (report.step_seconds() > 0) {
    progress.step_millis = report.step_seconds() * kMillisPerSecond;
    progress.all_reduce_millis = report.all_reduce_seconds() * kMillisPerSecond;
  }
  return read;
}

void MergeReport(const BoardId& board, const control::StepReport& newer, LiveSession& live) {
  if (newer.running() || newer.step() > 0) live.first_step = true;
  // All boards train the same model: the figures of rank 0 are those of the job.
  const bool has_news = board == live.leader || newer.has_checkpoint();
  if (!has_news) return;
  control::StepReport merged = board == live.leader || !live.report ? newer : *live.report;
  if (newer.has_checkpoint()) {
    *merged.mutable_checkpoint() = newer.checkpoint();
  } else if (live.report && live.report->has_checkpoint()) {
    *merged.mutable_checkpoint() = live.report->checkpoint();
  }
  merged.clear_log_lines();
  live.report = std::move(merged);
  live.unwritten = true;
}

void NoteReport(ControlContext& context, const StepReported& event) {
  LiveSession* live = context.FindLive(event.id);
  if (live == nullptr || !live->parts.contains(event.board)) return;
  const JobEntry* job = context.world.FindJob(event.id.job);
  const int64_t attempt = job == nullptr ? 1 : std::max<int64_t>(job->typed.status.attempts, 1);
  std::vector<std::string> lines;
  for (const std::string& text : event.report.log_lines()) {
    lines.push_back(StampLogLine(context.clock.Now(), attempt, text));
  }
  context.logs.Append(event.id.job, lines);
  MergeReport(event.board, event.report, *live);
}

void WriteProgress(ControlContext& context) {
  const MonotonicTime now = context.clock.Monotonic();
  for (auto& [uid, live] : context.live) {
    const JobEntry* entry = context.world.FindJob(live.id.job);
    if (entry == nullptr) continue;
    const bool due = now - live.written >= limits::kProgressInterval;
    const Transition transition = Progress(entry->typed, live, due, context.clock.Now());
    if (!transition.changed) continue;
    const Status status = context.Commit({WriteTransition(*entry, transition)});
    if (status.ok()) {
      live.written = now;
      live.unwritten = false;
    } else if (!status.IsRetryable()) {
      context.Warn("progress of job " + live.id.job.str() + ": " + status.ToString());
    }
  }
}

}  // namespace octet
