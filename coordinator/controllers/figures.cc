#include "coordinator/controllers/figures.h"

#include "coordinator/scheduler/scheduler.h"
#include "shared/base/log.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

void CountBoards(ControlContext& context) {
  std::map<std::string, int64_t> boards;
  for (const auto& state :
       {BoardState::kStarting, BoardState::kReady, BoardState::kBusy, BoardState::kLost}) {
    boards[std::string(BoardStateName(state))] = 0;
  }
  for (const auto& [id, entry] : context.world.boards()) {
    ++boards[std::string(BoardStateName(entry.typed.state))];
  }
  context.metrics.SetBoards(boards);
}

void CountJobs(ControlContext& context) {
  std::map<std::string, int64_t> jobs;
  for (const auto& phase :
       {JobPhase::kQueued, JobPhase::kStarting, JobPhase::kRunning, JobPhase::kSuspended,
        JobPhase::kSucceeded, JobPhase::kFailed, JobPhase::kCancelled}) {
    jobs[std::string(JobPhaseName(phase))] = 0;
  }
  int64_t queued = 0;
  for (const auto& [uid, entry] : context.world.jobs()) {
    ++jobs[std::string(JobPhaseName(entry.typed.status.phase))];
    if (IsWaiting(entry.typed)) ++queued;
  }
  context.metrics.SetJobs(jobs);
  context.metrics.SetQueueLength(queued);
}

}  // namespace

std::string WriteTargets(const std::map<BoardId, FleetWorker>& workers) {
  Value::List groups;
  for (const auto& [board, worker] : workers) {
    if (!worker.present || worker.metrics_address.empty()) continue;
    Value labels = Value::MakeMap();
    labels.Set("board", board.str());
    labels.Set("pool", worker.pool.str());
    Value group = Value::MakeMap();
    group.Set("targets", Value::MakeList({Value(worker.metrics_address)}));
    group.Set("labels", std::move(labels));
    groups.push_back(std::move(group));
  }
  return WritePrettyJson(Value::MakeList(std::move(groups))) + "\n";
}

void ShowFigures(ControlContext& context) {
  CountBoards(context);
  CountJobs(context);
  context.metrics.SetStaleMessages(context.fleet.stale_messages() + context.link.unreadable());
  const std::string targets = WriteTargets(context.fleet.workers());
  if (targets == context.targets) return;
  const std::string path = JoinPath(context.home, "prometheus/workers.json");
  const Status status = WriteFileAtomically(context.files, path, targets);
  if (status.ok()) {
    context.targets = targets;
  } else {
    context.Warn(path + ": " + status.message());
  }
}

}  // namespace octet
