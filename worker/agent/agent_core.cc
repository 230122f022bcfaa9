#include "worker/agent/agent_core.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"
#include "worker/agent/agent_limits.h"

namespace octet {
namespace {

Fence FenceOf(const control::Assign& assign) { return Fence(assign.fence()); }

int64_t MillisBetween(MonotonicTime from, MonotonicTime to) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(to - from).count();
}

bool NamesJob(const std::string& wanted, const std::string& job_uid) {
  return wanted.empty() || wanted == job_uid;
}

// Adds `newer` to a report that could not be sent: the newest figures, all log lines up to the
// limit.
void MergeReport(control::StepReport& held, control::StepReport newer) {
  auto lines = std::move(*held.mutable_log_lines());
  for (std::string& line : *newer.mutable_log_lines()) lines.Add(std::move(line));
  if (lines.size() > kHeldLogLinesMax) {
    lines.DeleteSubrange(0, lines.size() - kHeldLogLinesMax);
  }
  if (!newer.has_checkpoint() && held.has_checkpoint()) {
    *newer.mutable_checkpoint() = held.checkpoint();
  }
  held = std::move(newer);
  *held.mutable_log_lines() = std::move(lines);
}

}  // namespace

AgentActions AgentCore::OnMessage(const control::CoordinatorMessage& message, MonotonicTime now) {
  AgentActions actions;
  switch (message.kind_case()) {
    case control::CoordinatorMessage::kRegistered:
      if (message.registered().incarnation() != identity_.incarnation || registered_) break;
      registered_ = true;
      next_heartbeat_ = now;
      actions.notes.push_back("registered with the coordinator");
      break;
    case control::CoordinatorMessage::kHeartbeatAck:
      break;
    case control::CoordinatorMessage::kUnknown:
      if (message.unknown().incarnation() == identity_.incarnation) OnUnknown(now, actions);
      break;
    case control::CoordinatorMessage::kAssign:
      OnAssign(message.assign(), now, actions);
      break;
    case control::CoordinatorMessage::kStop:
      OnStop(message.stop(), now, actions);
      break;
    case control::CoordinatorMessage::kEndAck:
      OnEndAck(message.end_ack());
      LeaveWhenDone(now, actions);
      break;
    case control::CoordinatorMessage::kShutdown:
      return OnShutdown(message.shutdown().reason(), now);
    case control::CoordinatorMessage::KIND_NOT_SET:
      actions.notes.push_back("a message of an unknown kind was ignored");
      break;
  }
  return actions;
}

void AgentCore::OnUnknown(MonotonicTime now, AgentActions& actions) {
  if (!registered_ && now < next_register_) return;  // A register is on its way.
  registered_ = false;
  actions.notes.push_back("the coordinator does not know this worker: registering again");
  SendRegister(now, actions);
}

void AgentCore::OnAssign(const control::Assign& assign, MonotonicTime now, AgentActions& actions) {
  const Fence fence = FenceOf(assign);
  if (shutting_down_) return Acknowledge(assign, "the worker is shutting down", actions);
  if (const auto known = fences_.find(assign.job_uid()); known != fences_.end()) {
    if (fence < known->second) {
      return Acknowledge(assign,
                         "the fence " + std::to_string(fence.value()) + " is older than " +
                             std::to_string(known->second.value()),
                         actions);
    }
    if (fence == known->second) {  // Sent again: the answer was lost or is late.
      const bool held = (current_ && current_->assign.job_uid() == assign.job_uid()) ||
                        (next_ && next_->job_uid() == assign.job_uid());
      return Acknowledge(assign, held ? "" : "this assignment has ended already", actions);
    }
  }
  Remember(assign.job_uid(), fence);
  Acknowledge(assign, "", actions);
  if (!current_) return Begin(assign, now, actions);
  if (next_)
    EndWithoutStart(*next_, "replaced by a newer assignment before it began", now, actions);
  next_ = assign;
  StopCurrent(Duration(0), "a newer assignment came", actions);
}

void AgentCore::OnStop(const control::Stop& stop, MonotonicTime now, AgentActions& actions) {
  const Fence fence(stop.fence());
  if (next_ && FenceOf(*next_) <= fence && NamesJob(stop.job_uid(), next_->job_uid())) {
    EndWithoutStart(*next_, stop.reason(), now, actions);
    next_.reset();
  }
  if (current_ && FenceOf(current_->assign) <= fence &&
      NamesJob(stop.job_uid(), current_->assign.job_uid())) {
    StopCurrent(Duration(stop.grace_millis()), stop.reason(), actions);
  }
  // Otherwise it has ended: its AssignmentEnd is resent until acknowledged.
}

void AgentCore::OnEndAck(const control::EndAck& ack) {
  std::erase_if(ends_, [&](const PendingEnd& pending) {
    return pending.end.fence() == ack.fence() && NamesJob(ack.job_uid(), pending.end.job_uid());
  });
}

void AgentCore::Acknowledge(const control::Assign& assign, const std::string& error,
                            AgentActions& actions) {
  control::WorkerMessage message;
  control::AssignAck& ack = *message.mutable_assign_ack();
  ack.set_board(identity_.board.str());
  ack.set_fence(assign.fence());
  ack.set_job_uid(assign.job_uid());
  ack.set_accepted(error.empty());
  ack.set_error(error);
  actions.send.push_back(std::move(message));
  if (!error.empty()) actions.notes.push_back("refused an assignment: " + error);
}

void AgentCore::Begin(control::Assign assign, MonotonicTime now, AgentActions& actions) {
  current_ = Assignment{.assign = assign, .taken = now};
  held_report_.reset();
  actions.start = std::move(assign);
}

void AgentCore::StopCurrent(Duration grace, const std::string& reason, AgentActions& actions) {
  // A stop that was passed on is repeated only where it has become harder.
  const bool harder = grace == Duration(0) && !current_->hard_stopped;
  if (current_->stopping && !harder) return;
  current_->stopping = true;
  current_->hard_stopped = current_->hard_stopped || grace == Duration(0);
  actions.stop = StopSession{.fence = FenceOf(current_->assign), .grace = grace, .reason = reason};
}

void AgentCore::EndWithoutStart(const control::Assign& assign, const std::string& text,
                                MonotonicTime now, AgentActions& actions) {
  control::AssignmentEnd end;
  end.set_fence(assign.fence());
  end.set_job_uid(assign.job_uid());
  end.set_reason(control::STOPPED);
  end.set_message(text);
  SendEnd(std::move(end), now, actions);
}

void AgentCore::Remember(const std::string& job_uid, Fence fence) {
  const auto [place, added] = fences_.insert_or_assign(job_uid, fence);
  if (!added) return;
  fences_order_.push_back(job_uid);
  if (fences_order_.size() <= kRememberedJobsMax) return;
  fences_.erase(fences_order_.front());
  fences_order_.pop_front();
}

AgentActions AgentCore::OnReport(control::StepReport report, MonotonicTime) {
  AgentActions actions;
  if (!current_ || report.fence() != current_->assign.fence()) return actions;
  report.set_board(identity_.board.str());
  report.set_job_uid(current_->assign.job_uid());
  if (held_report_) {
    MergeReport(*held_report_, std::move(report));
  } else {
    held_report_ = std::move(report);
  }
  if (!registered_) return actions;
  control::WorkerMessage message;
  *message.mutable_step_report() = *std::exchange(held_report_, std::nullopt);
  actions.send.push_back(std::move(message));
  return actions;
}

AgentActions AgentCore::OnSessionEnd(control::AssignmentEnd end, MonotonicTime now) {
  AgentActions actions;
  if (!current_ || end.fence() != current_->assign.fence()) return actions;
  end.set_job_uid(current_->assign.job_uid());
  end.set_elapsed_millis(MillisBetween(current_->taken, now));
  if (current_->shut_down && end.reason() == control::STOPPED) end.set_reason(control::INTERRUPTED);
  if (end.has_last() || held_report_) {
    control::StepReport last = std::move(*end.mutable_last());
    if (held_report_) {
      MergeReport(*held_report_, std::move(last));
      last = *std::exchange(held_report_, std::nullopt);
    }
    last.set_board(identity_.board.str());
    last.set_fence(end.fence());
    last.set_job_uid(end.job_uid());
    *end.mutable_last() = std::move(last);
  }
  current_.reset();
  SendEnd(std::move(end), now, actions);
  if (next_ && !shutting_down_) {
    Begin(*std::exchange(next_, std::nullopt), now, actions);
  }
  LeaveWhenDone(now, actions);
  return actions;
}

void AgentCore::SendEnd(control::AssignmentEnd end, MonotonicTime now, AgentActions& actions) {
  end.set_board(identity_.board.str());
  control::WorkerMessage message;
  *message.mutable_assignment_end() = end;
  actions.send.push_back(std::move(message));
  ends_.push_back({.end = std::move(end), .resend = now + limits::kResendInterval});
  if (ends_.size() <= kPendingEndsMax) return;
  actions.notes.push_back("gave up sending the end of an assignment that was never acknowledged");
  ends_.pop_front();
}

AgentActions AgentCore::OnTick(MonotonicTime now) {
  AgentActions actions;
  if (!registered_ && now >= next_register_) SendRegister(now, actions);
  if (registered_ && now >= next_heartbeat_) SendHeartbeat(now, actions);
  for (PendingEnd& pending : ends_) {
    if (now < pending.resend) continue;
    pending.resend = now + limits::kResendInterval;
    if (!registered_) continue;
    control::WorkerMessage message;
    *message.mutable_assignment_end() = pending.end;
    actions.send.push_back(std::move(message));
  }
  EnforceGrant(now, actions);
  LeaveWhenDone(now, actions);
  return actions;
}

void AgentCore::EnforceGrant(MonotonicTime now, AgentActions& actions) {
  if (!current_ || now < HardStopTime()) return;
  if (!current_->hard_stopped) {
    actions.notes.push_back("the session did not end at its grant: stopping it hard");
    StopCurrent(Duration(0), "the session's grant is over", actions);
  }
  if (now >= HardStopTime() + kHardStopWait) {
    actions.notes.push_back("the session cannot be stopped: ending the process");
    actions.die = true;
  }
}

AgentActions AgentCore::OnShutdown(const std::string& reason, MonotonicTime now) {
  AgentActions actions;
  if (!shutting_down_) {
    shutting_down_ = true;
    leave_at_latest_ = now + kShutdownWaitMax;
    if (next_) EndWithoutStart(*next_, "the worker shuts down", now, actions);
    next_.reset();
    if (current_) {
      current_->shut_down = !current_->stopping;
      StopCurrent(kShutdownGrace, "the worker shuts down: " + reason, actions);
    }
  }
  LeaveWhenDone(now, actions);
  return actions;
}

void AgentCore::LeaveWhenDone(MonotonicTime now, AgentActions& actions) const {
  if (!shutting_down_) return;
  const bool done = !current_ && ends_.empty();
  if (done || now >= leave_at_latest_) actions.leave = true;
  // A session that does not end must not keep the process.
  if (current_ && now >= leave_at_latest_) actions.die = true;
}

void AgentCore::SendRegister(MonotonicTime now, AgentActions& actions) {
  next_register_ = now + limits::kResendInterval;
  control::WorkerMessage message;
  control::Register& content = *message.mutable_register_();
  content.set_board(identity_.board.str());
  content.set_pool(identity_.pool.str());
  content.set_ordinal(identity_.ordinal);
  content.set_incarnation(identity_.incarnation);
  content.set_data_endpoint(identity_.data_endpoint);
  content.set_metrics_address(identity_.metrics_address);
  content.set_version(identity_.version);
  content.set_host(identity_.host);
  content.set_pid(identity_.pid);
  if (current_) FillRunning(*content.mutable_running(), now);
  actions.send.push_back(std::move(message));
}

void AgentCore::SendHeartbeat(MonotonicTime now, AgentActions& actions) {
  next_heartbeat_ = now + limits::kHeartbeatInterval;
  control::WorkerMessage message;
  control::Heartbeat& content = *message.mutable_heartbeat();
  content.set_board(identity_.board.str());
  content.set_incarnation(identity_.incarnation);
  if (current_) FillRunning(*content.mutable_running(), now);
  *content.mutable_usage() = usage_;
  actions.send.push_back(std::move(message));
}

void AgentCore::FillRunning(control::Running& running, MonotonicTime now) const {
  running.set_job_uid(current_->assign.job_uid());
  running.set_session(current_->assign.session());
  running.set_fence(current_->assign.fence());
  running.set_elapsed_millis(MillisBetween(current_->taken, now));
}

MonotonicTime AgentCore::HardStopTime() const {
  return current_->taken + Duration(current_->assign.grant_millis()) +
         Duration(current_->assign.grace_millis());
}

MonotonicTime AgentCore::NextDeadline() const {
  MonotonicTime next = registered_ ? next_heartbeat_ : next_register_;
  for (const PendingEnd& pending : ends_) next = std::min(next, pending.resend);
  if (current_ && !current_->hard_stopped) next = std::min(next, HardStopTime());
  if (shutting_down_) next = std::min(next, leave_at_latest_);
  return next;
}

}  // namespace octet
