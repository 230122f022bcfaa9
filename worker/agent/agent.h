// Agent: the shell around AgentCore. One thread (that of Run) owns the control link and performs
// the core's actions; the session's thread posts its events.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "shared/base/bounded_queue.h"
#include "shared/base/clock.h"
#include "worker/agent/agent_core.h"
#include "worker/agent/control_link.h"

namespace octet {

// How the agent starts and stops sessions, and asks what the board does. Called by the agent's
// thread; each returns at once. A session that was started posts exactly one end.
struct AgentHooks {
  // `taken`: the moment from which the grant counts.
  std::function<void(const control::Assign& assign, MonotonicTime taken)> start;
  std::function<void(const StopSession& stop)> stop;
  // For a heartbeat, at most one call each limits::kHeartbeatInterval.
  std::function<control::BoardUsage()> usage;
};

class Agent {
 public:
  // `link` and `clock` outlive the agent.
  Agent(AgentIdentity identity, ControlLink& link, const Clock& clock, AgentHooks hooks);

  // From any thread. Waits for room where the agent is far behind, so that log lines are not lost.
  void PostReport(control::StepReport report);
  void PostEnd(control::AssignmentEnd end);
  // From any thread: the process was told to end.
  void Shutdown(const std::string& reason);

  // Serves until the worker may leave. kAborted: the session could not be stopped, the process must
  // end at once without waiting for its threads.
  Status Run();

 private:
  struct ShutdownEvent {
    std::string reason;
  };
  using Event = std::variant<control::StepReport, control::AssignmentEnd, ShutdownEvent>;

  void Post(Event event);
  // Performs; false when the loop must end, with `result_` set.
  bool Perform(AgentActions actions);
  bool TakeEvents();
  void RefreshUsage(MonotonicTime now);

  AgentCore core_;
  ControlLink& link_;
  const Clock& clock_;
  const AgentHooks hooks_;
  BoundedQueue<Event> events_;
  MonotonicTime next_usage_{};
  Status result_;
};

}  // namespace octet
