#include "coordinator/fleet/fleet.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

// A Stop that finds nothing to end is not answered. Messages of one connection keep their order: a
// heartbeat without an assignment this long after the Stop says that the Assign never came, or that
// its end has been told.
constexpr Duration kStopSettleTime = 4 * limits::kResendInterval;

AssignmentId IdOf(const control::Running& running) {
  return {.job = JobUid(running.job_uid()), .fence = Fence(running.fence())};
}

}  // namespace

std::optional<FleetEvent> Fleet::OnMessage(const FromWorker& from, MonotonicTime now) {
  const control::WorkerMessage& message = from.message;
  switch (message.kind_case()) {
    case control::WorkerMessage::kRegister:
      return OnRegister(from.peer, message.register_(), now);
    case control::WorkerMessage::kHeartbeat:
      return OnHeartbeat(from.peer, message.heartbeat(), now);
    case control::WorkerMessage::kAssignAck: {
      FleetWorker* worker = Sender(from.peer, message.assign_ack().board(), now);
      return worker == nullptr ? std::nullopt : OnAssignAck(*worker, message.assign_ack());
    }
    case control::WorkerMessage::kStepReport: {
      FleetWorker* worker = Sender(from.peer, message.step_report().board(), now);
      return worker == nullptr ? std::nullopt : OnStepReport(*worker, message.step_report());
    }
    case control::WorkerMessage::kAssignmentEnd: {
      FleetWorker* worker = Sender(from.peer, message.assignment_end().board(), now);
      return worker == nullptr ? std::nullopt : OnAssignmentEnd(*worker, message.assignment_end());
    }
    case control::WorkerMessage::KIND_NOT_SET:
      break;
  }
  ++stale_;
  return std::nullopt;
}

std::optional<FleetEvent> Fleet::OnRegister(const std::string& peer,
                                            const control::Register& content, MonotonicTime now) {
  if (content.board().empty()) {
    ++stale_;
    return std::nullopt;
  }
  FleetWorker& worker = workers_[BoardId(content.board())];
  const bool known = worker.incarnation == content.incarnation() && !worker.peer.empty();
  const bool again = known && worker.present && worker.peer == peer;
  WorkerRegistered event{.board = BoardId(content.board()), .new_process = !known};
  if (!known && worker.hold) {
    event.dropped = worker.hold->id;
    worker.hold.reset();
  }
  worker.board = event.board;
  worker.pool = PoolName(content.pool());
  worker.ordinal = content.ordinal();
  worker.incarnation = content.incarnation();
  worker.peer = peer;
  worker.data_endpoint = content.data_endpoint();
  worker.metrics_address = content.metrics_address();
  worker.version = content.version();
  worker.host = content.host();
  worker.pid = content.pid();
  worker.present = true;
  worker.heard = now;
  if (content.has_running()) {
    event.running = IdOf(content.running());
    event.running_for = Duration(content.running().elapsed_millis());
    if (!worker.hold) worker.hold = BoardHold{.id = *event.running};
  }
  control::CoordinatorMessage answer;
  answer.mutable_registered()->set_incarnation(content.incarnation());
  link_.Send(peer, answer);
  if (again) return std::nullopt;  // The answer was lost; nothing is new.
  return event;
}

std::optional<FleetEvent> Fleet::OnHeartbeat(const std::string& peer,
                                             const control::Heartbeat& content, MonotonicTime now) {
  const auto found = workers_.find(BoardId(content.board()));
  control::CoordinatorMessage answer;
  if (found == workers_.end() || !found->second.present ||
      found->second.incarnation != content.incarnation()) {
    ++stale_;
    answer.mutable_unknown()->set_incarnation(content.incarnation());
    link_.Send(peer, answer);
    return std::nullopt;
  }
  FleetWorker& worker = found->second;
  worker.peer = peer;
  worker.heard = now;
  if (content.has_usage()) worker.usage = content.usage();
  if (content.has_running()) {
    if (!worker.hold) worker.hold = BoardHold{.id = IdOf(content.running())};
  } else if (worker.hold && worker.hold->stop && now >= worker.hold->stop_since + kStopSettleTime) {
    worker.hold.reset();
  }
  answer.mutable_heartbeat_ack()->set_incarnation(content.incarnation());
  link_.Send(peer, answer);
  return std::nullopt;
}

FleetWorker* Fleet::Sender(const std::string& peer, const std::string& board, MonotonicTime now) {
  const auto found = workers_.find(BoardId(board));
  if (found == workers_.end() || !found->second.present || found->second.peer != peer) {
    ++stale_;
    return nullptr;
  }
  found->second.heard = now;
  return &found->second;
}

std::optional<FleetEvent> Fleet::OnAssignAck(FleetWorker& worker, const control::AssignAck& ack) {
  if (!worker.hold || worker.hold->id.fence != Fence(ack.fence()) || !worker.hold->assign) {
    ++stale_;  // Also the answer to an Assign that was sent twice.
    return std::nullopt;
  }
  AssignAnswered event{.board = worker.board,
                       .id = worker.hold->id,
                       .accepted = ack.accepted(),
                       .error = ack.error()};
  worker.hold->assign.reset();
  if (!ack.accepted()) worker.hold.reset();
  return event;
}

std::optional<FleetEvent> Fleet::OnStepReport(const FleetWorker& worker,
                                              const control::StepReport& report) {
  const AssignmentId id{.job = JobUid(report.job_uid()), .fence = Fence(report.fence())};
  if (!worker.hold || worker.hold->id != id) {
    ++stale_;
    return std::nullopt;
  }
  return StepReported{.board = worker.board, .id = id, .report = report};
}

std::optional<FleetEvent> Fleet::OnAssignmentEnd(FleetWorker& worker,
                                                 const control::AssignmentEnd& end) {
  const AssignmentId id{.job = JobUid(end.job_uid()), .fence = Fence(end.fence())};
  if (worker.hold && worker.hold->id == id) worker.hold.reset();
  return AssignmentEnded{.board = worker.board, .id = id, .end = end};
}

void Fleet::OnTick(MonotonicTime now) {
  for (auto& [board, worker] : workers_) {
    if (worker.present && worker.hold && now >= worker.hold->resend) {
      SendHold(worker, *worker.hold, now);
    }
  }
}

void Fleet::SendHold(const FleetWorker& worker, BoardHold& hold, MonotonicTime now) {
  hold.resend = now + limits::kResendInterval;
  control::CoordinatorMessage message;
  if (hold.stop) {
    *message.mutable_stop() = *hold.stop;
  } else if (hold.assign) {
    *message.mutable_assign() = *hold.assign;
  } else {
    return;
  }
  link_.Send(worker.peer, message);
}

Status Fleet::Assign(const BoardId& board, const control::Assign& assign, MonotonicTime now) {
  const auto found = workers_.find(board);
  if (found == workers_.end() || !found->second.present) {
    return NotFound("no worker is registered for board " + board.str());
  }
  FleetWorker& worker = found->second;
  const AssignmentId id{.job = JobUid(assign.job_uid()), .fence = Fence(assign.fence())};
  if (worker.hold) {
    if (worker.hold->id == id) return Ok();
    return FailedPrecondition("board " + board.str() + " still holds an assignment of job " +
                              worker.hold->id.job.str());
  }
  worker.hold = BoardHold{.id = id, .assign = assign};
  SendHold(worker, *worker.hold, now);
  return Ok();
}

void Fleet::Stop(const BoardId& board, const AssignmentId& id, Duration grace,
                 const std::string& reason, MonotonicTime now) {
  const auto found = workers_.find(board);
  if (found == workers_.end() || !found->second.hold || found->second.hold->id != id) return;
  BoardHold& hold = *found->second.hold;
  if (hold.stop && hold.stop->grace_millis() <= grace.count()) return;
  if (!hold.stop) hold.stop_since = now;
  hold.assign.reset();
  hold.stop.emplace();
  hold.stop->set_fence(id.fence.value());
  hold.stop->set_job_uid(id.job.str());
  hold.stop->set_grace_millis(std::max<int64_t>(grace.count(), 0));
  hold.stop->set_reason(reason);
  if (found->second.present) SendHold(found->second, hold, now);
}

void Fleet::AcknowledgeEnd(const BoardId& board, const AssignmentId& id) {
  const FleetWorker* worker = FindPresent(board);
  if (worker == nullptr) return;  // It sends the end again when it is back.
  control::CoordinatorMessage message;
  message.mutable_end_ack()->set_fence(id.fence.value());
  message.mutable_end_ack()->set_job_uid(id.job.str());
  link_.Send(worker->peer, message);
}

void Fleet::GiveUp(const BoardId& board, bool gone) {
  const auto found = workers_.find(board);
  if (found == workers_.end()) return;
  found->second.present = false;
  found->second.usage.reset();
  if (gone) found->second.hold.reset();
}

void Fleet::Remove(const BoardId& board) { workers_.erase(board); }

const FleetWorker* Fleet::FindPresent(const BoardId& board) const {
  const auto found = workers_.find(board);
  return found != workers_.end() && found->second.present ? &found->second : nullptr;
}

}  // namespace octet
