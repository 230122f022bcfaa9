#include "worker/train/session.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "shared/base/log.h"
#include "worker/checkpoint/checkpoint_store.h"
#include "worker/engine/kernels.h"
#include "worker/train/epoch_line.h"
#include "worker/train/gang.h"
#include "worker/train/job_data.h"
#include "worker/train/session_progress.h"
#include "worker/train/step_runner.h"
#include "worker/train/train_state.h"

namespace octet {
namespace {

// How a session ends, before it is a message.
struct SessionEnd {
  control::EndReason reason = control::FAILED;
  std::string message;
};

// A failure that may pass (a lost board, a slow peer) is the platform's; all others are the job's
// own.
SessionEnd EndOf(const Status& failure) {
  return {.reason = failure.IsRetryable() ? control::INTERRUPTED : control::FAILED,
          .message = failure.message()};
}

class Session {
 public:
  Session(const SessionWorld& world, const SessionInputs& inputs, MonotonicTime taken,
          const StopRequest& stop, const ReportSink& report)
      : world_(world),
        inputs_(inputs),
        taken_(taken),
        stop_(stop),
        report_(report),
        store_(world.files, inputs.checkpoint_folder, inputs.spec.checkpoints_kept) {}

  control::AssignmentEnd Run() {
    Status failure = Prepare();
    SessionEnd end;
    if (failure.ok()) {
      auto trained = TrainToTheEnd();
      failure = trained.status();
      if (failure.ok()) end = *trained;
    }
    if (!failure.ok()) end = Fail(failure);
    return Finish(end);
  }

 private:
  bool leads() const { return inputs_.rank == 0; }
  bool Done() const { return state_->step >= data_->order().total_steps(); }

  // The other boards learn the cause too, and end with the same code.
  SessionEnd Fail(const Status& failure) {
    if (gang_) gang_->slice().Abort(failure);
    if (stop_.kind() != StopKind::kNone && failure.code() == StatusCode::kAborted) {
      return {.reason = control::STOPPED, .message = "stopped: " + stop_.reason()};
    }
    return EndOf(failure);
  }

  Status Prepare() {
    // The gang first: a failure from here on reaches the other boards with its cause.
    OCTET_ASSIGN_OR_RETURN(gang_, Gang::Make(world_.endpoint, world_.clock, inputs_, stop_));
    OCTET_ASSIGN_OR_RETURN(JobData data, JobData::Load(world_.files, inputs_.spec));
    data_.emplace(std::move(data));
    state_.emplace(data_->network(), inputs_.spec.training);
    if (leads()) OCTET_RETURN_IF_ERROR(Resume());
    OCTET_ASSIGN_OR_RETURN(runner_, StepRunner::Create({.clock = world_.clock,
                                                        .context = world_.context,
                                                        .kernels = kernels_,
                                                        .inputs = inputs_,
                                                        .threads = world_.threads},
                                                       *gang_, *data_, *state_));
    monitored_.emplace(world_.monitor, runner_->board());
    world_.metrics.SetHbm(runner_->board().hbm().total().count(),
                          HbmPerCore(inputs_.spec.accelerator.version).count());
    OCTET_RETURN_IF_ERROR(gang_->slice().Join());
    OCTET_RETURN_IF_ERROR(ShareState());
    gang_->Joined();
    const MonotonicTime now = world_.clock.Monotonic();
    saved_step_ = resumed_step_;
    saved_at_ = now;
    progress_.emplace(inputs_, *state_, data_->order().steps_per_epoch(),
                      data_->network().counts_correct(), now);
    if (leads()) Introduce();
    return Ok();
  }

  // Rank 0's state to all boards, bit for bit: it alone has read the checkpoint.
  Status ShareState() {
    if (gang_->ranks() == 1) return Ok();
    OCTET_ASSIGN_OR_RETURN(const std::string bytes,
                           gang_->slice().Broadcast(0, leads() ? state_->Pack() : std::string()));
    return leads() ? Ok() : state_->Unpack(bytes);
  }

  Status Resume() {
    std::vector<std::string> warnings;
    auto loaded = store_.LoadNewest(warnings);
    for (std::string& warning : warnings) Warn(std::move(warning));
    if (!loaded.ok()) return loaded.status();
    if (!*loaded) return Ok();
    const auto& [checkpoint, path] = **loaded;
    const TrainingSpec& training = inputs_.spec.training;
    if (checkpoint.seed != training.seed ||
        checkpoint.shuffle_seed != inputs_.spec.data.shuffle_seed ||
        checkpoint.logical_shards != training.logical_shards) {
      return FailedPrecondition("the checkpoint " + path +
                                " has other seeds or logical shards than the job; delete the job's "
                                "checkpoints or make it a new job");
    }
    if (const Status restored = state_->Restore(checkpoint); !restored.ok()) {
      return restored.Annotate("the checkpoint " + path + " does not fit the job");
    }
    for (const auto& [name, version] : Versions()) {
      const auto was = checkpoint.versions.find(name);
      if (was != checkpoint.versions.end() && was->second == version) continue;
      Warn("the checkpoint was written with another " + name + " (" +
           (was == checkpoint.versions.end() ? "unknown" : was->second) + ", now " + version +
           "): from here on the weights' bits may differ from an undisturbed run's");
    }
    resumed_step_ = state_->step;
    resumed_from_ = path;
    return Ok();
  }

  void Warn(std::string warning) {
    LogWarning(warning);
    early_lines_.push_back("warning: " + std::move(warning));
  }

  void Introduce() {
    const Network& network = data_->network();
    std::string line = "attempt " + std::to_string(inputs_.attempt) + " on " +
                       inputs_.spec.accelerator.name + ", boards";
    for (const SessionPeer& peer : inputs_.peers) line += " " + peer.board.str();
    early_lines_.push_back(std::move(line));
    std::string data = GroupDigits(network.parameters()) + " parameters, " +
                       GroupDigits(data_->training_examples()) + " training and " +
                       GroupDigits(data_->validation_examples()) + " validation examples, " +
                       GroupDigits(data_->order().steps_per_epoch()) + " steps an epoch";
    early_lines_.push_back(std::move(data));
    if (resumed_step_) {
      early_lines_.push_back("resumed after step " + std::to_string(*resumed_step_) + " from " +
                             resumed_from_);
    }
  }

  Result<SessionEnd> TrainToTheEnd() {
    StopKind agreed = StopKind::kNone;
    bool for_grant = false;
    Tell(world_.clock.Monotonic());
    while (!Done() && agreed == StopKind::kNone) {
      const MonotonicTime start = world_.clock.Monotonic();
      const bool grant_over = start >= taken_ + inputs_.grant - inputs_.grace;
      const StopKind mine =
          std::max(stop_.kind(), grant_over ? StopKind::kWithCheckpoint : StopKind::kNone);
      OCTET_ASSIGN_OR_RETURN(const StepResult result, runner_->Train(mine));
      agreed = result.stop;
      for_grant = for_grant || grant_over;
      OCTET_RETURN_IF_ERROR(AfterStep(result, start));
    }
    return Conclude(agreed, for_grant);
  }

  Status AfterStep(const StepResult& result, MonotonicTime start) {
    MonotonicTime now = world_.clock.Monotonic();
    progress_->AddStep({.step = now - start,
                        .all_reduce = result.all_reduce,
                        .examples = result.sums.examples,
                        .board_examples = result.board_examples});
    const bool epoch_over = state_->step % data_->order().steps_per_epoch() == 0;
    if (epoch_over) {
      state_->last_epoch = std::exchange(state_->epoch, {});
      if (data_->validation_examples() > 0) {
        OCTET_ASSIGN_OR_RETURN(state_->validation, runner_->Validate());
        now = world_.clock.Monotonic();
      }
      std::string line = progress_->EndEpoch(now);
      if (leads()) progress_->AddLine(std::move(line));
    }
    const bool saved = leads() && SaveIfDue(now);
    if (epoch_over || saved || progress_->IsDue(now)) Tell(now);
    return Ok();
  }

  bool SaveIfDue(MonotonicTime now) {
    const TrainingJobSpec& spec = inputs_.spec;
    const bool by_steps =
        spec.checkpoint_every_steps > 0 && state_->step % spec.checkpoint_every_steps == 0;
    const bool by_time =
        spec.checkpoint_every > Duration(0) && now - saved_at_ >= spec.checkpoint_every;
    if (!by_steps && !by_time) return false;
    // One that cannot be written costs work only if the session is lost as well: go on, but say so.
    if (const Status saved = Save(); !saved.ok()) {
      LogWarning("checkpoint not written: " + saved.ToString());
      progress_->AddLine("warning: the checkpoint after step " + std::to_string(state_->step) +
                         " could not be written: " + saved.message());
    }
    return true;
  }

  Status Save() {
    Checkpoint checkpoint = state_->Save();
    const int64_t steps_per_epoch = data_->order().steps_per_epoch();
    checkpoint.job_uid = inputs_.job_uid.str();
    checkpoint.epoch = state_->step / steps_per_epoch;
    checkpoint.epoch_examples = state_->epoch.examples;
    checkpoint.seed = inputs_.spec.training.seed;
    checkpoint.shuffle_seed = inputs_.spec.data.shuffle_seed;
    checkpoint.logical_shards = inputs_.spec.training.logical_shards;
    checkpoint.versions = Versions();
    saved_at_ = world_.clock.Monotonic();
    OCTET_ASSIGN_OR_RETURN(const SavedCheckpoint saved, store_.Save(checkpoint));
    saved_step_ = state_->step;
    world_.metrics.AddCheckpoint();
    progress_->AddCheckpoint(saved);
    progress_->AddLine("checkpoint after step " + std::to_string(saved.step) + " in " + saved.path);
    return Ok();
  }

  std::map<std::string, std::string> Versions() const {
    return {{"octet", world_.version},
            {"engine", EngineVersion()},
            {"instructionSet", InstructionSet()}};
  }

  SessionEnd Conclude(StopKind agreed, bool for_grant) {
    const bool wanted = agreed != StopKind::kAtOnce || Done();
    if (leads() && wanted && saved_step_ != state_->step) {
      if (const Status saved = Save(); !saved.ok()) {
        return {.reason = control::FAILED,
                .message = "the last checkpoint could not be written: " + saved.message()};
      }
    }
    if (Done()) {
      return {
          .reason = control::COMPLETED,
          .message = "all " + std::to_string(inputs_.spec.training.epochs) + " epochs are done"};
    }
    if (for_grant && stop_.kind() == StopKind::kNone) {
      return {
          .reason = control::GRANT_REACHED,
          .message = "the session's time is used up after step " + std::to_string(state_->step)};
    }
    std::string message = "stopped after step " + std::to_string(state_->step);
    if (stop_.kind() != StopKind::kNone) {
      return {.reason = control::STOPPED, .message = message + ": " + stop_.reason()};
    }
    // Another board asked: since its worker ends, or since its grant ran out a moment before this
    // one's.
    const MonotonicTime grant_end = taken_ + inputs_.grant - inputs_.grace;
    const bool nearly = world_.clock.Monotonic() >= grant_end - kGrantSkew;
    return {.reason = nearly ? control::GRANT_REACHED : control::INTERRUPTED,
            .message = message + ", as another board of the slice"};
  }

  // Boards learn of their assignment at slightly different times.
  static constexpr Duration kGrantSkew = std::chrono::seconds(5);

  void Tell(MonotonicTime now) {
    TellMetrics();
    control::StepReport report = progress_->TakeReport(now);
    PrependEarlyLines(report);
    report_(std::move(report));
  }

  void TellMetrics() {
    StepFigures figures = progress_->TakeFigures();
    const SliceCounters& counters = gang_->slice().counters();
    const int64_t bytes = counters.bytes_sent + counters.bytes_received;
    const int64_t stale = counters.stale_frames + world_.endpoint.stale_frames();
    figures.all_reduce_bytes = static_cast<uint64_t>(bytes - std::exchange(told_bytes_, bytes));
    figures.stale_frames = static_cast<uint64_t>(stale - std::exchange(told_stale_, stale));
    world_.metrics.Add(figures);
  }

  void PrependEarlyLines(control::StepReport& report) {
    if (early_lines_.empty()) return;
    for (std::string& line : *report.mutable_log_lines()) early_lines_.push_back(std::move(line));
    report.mutable_log_lines()->Clear();
    for (std::string& line : early_lines_) report.add_log_lines(std::move(line));
    early_lines_.clear();
  }

  control::AssignmentEnd Finish(const SessionEnd& end) {
    control::AssignmentEnd message;
    message.set_fence(inputs_.fence.value());
    message.set_job_uid(inputs_.job_uid.str());
    message.set_reason(end.reason);
    message.set_message(end.message);
    if (end.reason == control::COMPLETED) message.set_weights_sha256(state_->WeightsSha256());
    // The lead speaks for all, except that each board says itself what failed on it.
    const bool speaks = leads() || end.reason == control::FAILED;
    if (speaks && progress_) progress_->AddLine(end.message);
    if (speaks && !progress_) early_lines_.push_back(end.message);
    control::StepReport& last = *message.mutable_last();
    if (progress_) {
      last = progress_->TakeReport(world_.clock.Monotonic());
      TellMetrics();
    }
    PrependEarlyLines(last);
    world_.metrics.SetIdle();
    return message;
  }

  const SessionWorld& world_;
  const SessionInputs& inputs_;
  const MonotonicTime taken_;
  const StopRequest& stop_;
  const ReportSink& report_;
  CheckpointStore store_;
  const HostKernels kernels_;
  std::unique_ptr<Gang> gang_;
  std::optional<JobData> data_;
  std::optional<TrainState> state_;
  std::unique_ptr<StepRunner> runner_;
  std::optional<MonitoredBoard> monitored_;
  std::optional<SessionProgress> progress_;
  std::vector<std::string> early_lines_;  // Before there is a report to carry them.
  std::optional<int64_t> resumed_step_;
  std::string resumed_from_;
  std::optional<int64_t> saved_step_;
  MonotonicTime saved_at_{};
  int64_t told_bytes_ = 0;
  int64_t told_stale_ = world_.endpoint.stale_frames();
};

}  // namespace

control::AssignmentEnd RunSession(const SessionWorld& world, const SessionInputs& inputs,
                                  MonotonicTime taken, const StopRequest& stop,
                                  const ReportSink& report) {
  return Session(world, inputs, taken, stop, report).Run();
}

}  // namespace octet
