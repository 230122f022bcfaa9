#include "worker/train/session_progress.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"
#include "worker/train/epoch_line.h"

namespace octet {
namespace {

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

double Mean(double sum, int64_t examples) {
  return examples > 0 ? sum / static_cast<double>(examples) : 0;
}

}  // namespace

SessionProgress::SessionProgress(const SessionInputs& inputs, const TrainState& state,
                                 int64_t steps_per_epoch, bool has_accuracy, MonotonicTime now)
    : inputs_(inputs),
      state_(state),
      steps_per_epoch_(steps_per_epoch),
      has_accuracy_(has_accuracy),
      next_report_(now),
      second_{.start = now},
      epoch_{.start = now} {}

void SessionProgress::AddTo(Window& window, const StepTimes& times) {
  ++window.steps;
  window.examples += times.examples;
  window.step += times.step;
  window.all_reduce += times.all_reduce;
}

void SessionProgress::AddStep(const StepTimes& times) {
  stepped_ = true;
  AddTo(second_, times);
  AddTo(epoch_, times);
  ++figures_.steps;
  figures_.examples += static_cast<uint64_t>(times.board_examples);
  figures_.step_time.Observe(times.step);
  figures_.all_reduce_time.Observe(times.all_reduce);
}

void SessionProgress::AddCheckpoint(const SavedCheckpoint& saved) {
  checkpoint_.set_step(saved.step);
  checkpoint_.set_path(saved.path);
  checkpoint_.set_sha256(saved.sha256);
  has_checkpoint_ = true;
}

double SessionProgress::ExamplesPerSecond(const Window& window, MonotonicTime now) {
  const double seconds = Seconds(now - window.start);
  return seconds > 0 ? static_cast<double>(window.examples) / seconds : 0;
}

control::StepReport SessionProgress::TakeReport(MonotonicTime now) {
  control::StepReport report;
  report.set_fence(inputs_.fence.value());
  report.set_job_uid(inputs_.job_uid.str());
  report.set_step(state_.step);
  report.set_total_steps(steps_per_epoch_ * inputs_.spec.training.epochs);
  report.set_epoch(state_.step / steps_per_epoch_);
  report.set_total_epochs(inputs_.spec.training.epochs);
  const EpochSums& sums = state_.epoch.examples > 0 ? state_.epoch : state_.last_epoch;
  report.set_loss(Mean(sums.loss, sums.examples));
  report.set_accuracy(has_accuracy_ ? Mean(sums.correct, sums.examples) : -1);
  const EpochSums& validation = state_.validation;
  report.set_has_validation(validation.examples > 0);
  report.set_validation_loss(Mean(validation.loss, validation.examples));
  report.set_validation_accuracy(has_accuracy_ ? Mean(validation.correct, validation.examples)
                                               : -1);
  report.set_examples_per_second(ExamplesPerSecond(second_, now));
  const auto steps = static_cast<double>(std::max<int64_t>(second_.steps, 1));
  report.set_step_seconds(Seconds(second_.step) / steps);
  report.set_all_reduce_seconds(Seconds(second_.all_reduce) / steps);
  report.set_running(stepped_);
  if (has_checkpoint_) *report.mutable_checkpoint() = checkpoint_;
  has_checkpoint_ = false;
  for (std::string& line : lines_) report.add_log_lines(std::move(line));
  lines_.clear();
  second_ = {.start = now};
  next_report_ = now + limits::kProgressInterval;
  return report;
}

StepFigures SessionProgress::TakeFigures() {
  const EpochSums& sums = state_.epoch.examples > 0 ? state_.epoch : state_.last_epoch;
  if (sums.examples > 0) figures_.loss = Mean(sums.loss, sums.examples);
  return std::exchange(figures_, {});
}

std::string SessionProgress::EndEpoch(MonotonicTime now) {
  const auto steps = static_cast<double>(std::max<int64_t>(epoch_.steps, 1));
  std::string line =
      FormatEpochLine({.epoch = state_.step / steps_per_epoch_,
                       .epochs = inputs_.spec.training.epochs,
                       .training = state_.last_epoch,
                       .validation = state_.validation,
                       .has_accuracy = has_accuracy_,
                       .examples_per_second = ExamplesPerSecond(epoch_, now),
                       .all_reduce_millis = 1000 * Seconds(epoch_.all_reduce) / steps});
  epoch_ = {.start = now};
  return line;
}

}  // namespace octet
