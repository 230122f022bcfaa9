#include "worker/agent/agent.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"
#include "shared/base/log.h"
#include "worker/agent/agent_limits.h"

namespace octet {

Agent::Agent(AgentIdentity identity, ControlLink& link, const Clock& clock, AgentHooks hooks)
    : core_(std::move(identity)),
      link_(link),
      clock_(clock),
      hooks_(std::move(hooks)),
      events_(kAgentEventsMax) {}

void Agent::PostReport(control::StepReport report) { Post(std::move(report)); }

void Agent::PostEnd(control::AssignmentEnd end) { Post(std::move(end)); }

void Agent::Shutdown(const std::string& reason) { Post(ShutdownEvent{.reason = reason}); }

void Agent::Post(Event event) {
  (void)events_.Push(std::move(event));  // Closed: the agent has left, nobody is there to be told.
  link_.Wake();
}

Status Agent::Run() {
  bool go_on = true;
  while (go_on) {
    const MonotonicTime now = clock_.Monotonic();
    RefreshUsage(now);
    go_on = Perform(core_.OnTick(now)) && TakeEvents();
    if (!go_on) break;
    const auto wait = std::chrono::ceil<Duration>(core_.NextDeadline() - clock_.Monotonic());
    auto message =
        link_.Receive(std::clamp<Duration>(wait, Duration(0), limits::kHeartbeatInterval));
    if (!message.ok()) {
      result_ = message.status().Annotate("the control link failed");
      break;
    }
    if (*message) go_on = Perform(core_.OnMessage(**message, clock_.Monotonic()));
  }
  events_.Close();
  return result_;
}

bool Agent::TakeEvents() {
  while (auto event = events_.Pop(std::chrono::nanoseconds(0))) {
    const MonotonicTime now = clock_.Monotonic();
    AgentActions actions;
    if (auto* report = std::get_if<control::StepReport>(&*event)) {
      actions = core_.OnReport(std::move(*report), now);
    } else if (auto* end = std::get_if<control::AssignmentEnd>(&*event)) {
      actions = core_.OnSessionEnd(std::move(*end), now);
    } else {
      actions = core_.OnShutdown(std::get<ShutdownEvent>(*event).reason, now);
    }
    if (!Perform(std::move(actions))) return false;
  }
  return true;
}

bool Agent::Perform(AgentActions actions) {
  for (const std::string& note : actions.notes) LogInfo(note);
  for (const control::WorkerMessage& message : actions.send) {
    if (const Status sent = link_.Send(message); !sent.ok()) {
      LogWarning("a control message was not sent: " + sent.message());
    }
  }
  if (actions.stop) hooks_.stop(*actions.stop);
  if (actions.start) hooks_.start(*actions.start, clock_.Monotonic());
  if (actions.die) {
    result_ = Aborted("the session could not be stopped");
    return false;
  }
  return !actions.leave;
}

void Agent::RefreshUsage(MonotonicTime now) {
  if (now < next_usage_) return;
  next_usage_ = now + limits::kHeartbeatInterval;
  core_.SetUsage(hooks_.usage());
}

}  // namespace octet
