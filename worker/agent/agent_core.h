// AgentCore: the worker's side of the control plane as a pure state machine. It takes messages,
// events of the running session and `now`, and returns messages to send and actions to perform. It
// has no clock, socket or thread; the Agent (agent.h) is its shell.
//
// Rules:
// - Registers until Registered comes, again after Unknown; heartbeats each
// limits::kHeartbeatInterval.
// - Holds one assignment. A newer one of the same job, or one of another job, stops it at once (the
//   coordinator has given it up) and starts when it has ended. An older fence of the same job is
//   refused.
// - An AssignmentEnd is sent again each limits::kResendInterval until its EndAck.
// - The session ends itself at its grant. If it has not `grace` later, it is stopped hard, and if
// even that
//   does not end it the process must die: nobody may hold a board beyond its grant because of
//   silence.
// Fences are compared within one job. Times are monotonic.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "shared/base/ids.h"
#include "shared/base/time.h"

namespace octet {

struct AgentIdentity {
  BoardId board{};
  PoolName pool{};
  int64_t ordinal = 0;
  uint64_t incarnation = 0;       // Random for each start of the process.
  std::string data_endpoint{};    // Where peers connect: "tcp://127.0.0.1:40123".
  std::string metrics_address{};  // "127.0.0.1:40124".
  std::string version{};
  std::string host{};
  int64_t pid = 0;
};

// Asks for the running session to end, with a checkpoint if `grace` is more than 0.
struct StopSession {
  Fence fence;
  Duration grace{};
  std::string reason;
};

struct AgentActions {
  std::vector<control::WorkerMessage> send;  // In this order.
  std::optional<StopSession> stop;           // Before `start`.
  std::optional<control::Assign> start;
  bool leave = false;              // The process may end now.
  bool die = false;                // The process must end now, whatever its threads do.
  std::vector<std::string> notes;  // Lines for the worker's log.
};

class AgentCore {
 public:
  explicit AgentCore(AgentIdentity identity) : identity_(std::move(identity)) {}

  AgentActions OnMessage(const control::CoordinatorMessage& message, MonotonicTime now);
  // A report of the session with report.fence(); one of an older session is dropped. While the
  // worker is not registered, reports are merged and kept, log lines bounded.
  AgentActions OnReport(control::StepReport report, MonotonicTime now);
  // The session with end.fence() has ended; reason, message, weights_sha256 and last are its own.
  AgentActions OnSessionEnd(control::AssignmentEnd end, MonotonicTime now);
  // Share of the cores' time, for the next heartbeats.
  void SetUsage(const control::BoardUsage& usage) { usage_ = usage; }
  // Registers, heartbeats, resends, deadlines: whatever is due.
  AgentActions OnTick(MonotonicTime now);
  // The process was told to end: the session is stopped with a checkpoint, then `leave` follows.
  AgentActions OnShutdown(const std::string& reason, MonotonicTime now);

  // When OnTick has something to do next.
  MonotonicTime NextDeadline() const;
  bool busy() const { return current_.has_value(); }
  bool registered() const { return registered_; }

 private:
  struct Assignment {
    control::Assign assign;
    MonotonicTime taken;
    bool stopping = false;
    bool hard_stopped = false;
    bool shut_down = false;  // Stopped because the process ends: an interruption, not a stop.
  };
  struct PendingEnd {
    control::AssignmentEnd end;
    MonotonicTime resend;
  };

  void OnAssign(const control::Assign& assign, MonotonicTime now, AgentActions& actions);
  void OnStop(const control::Stop& stop, MonotonicTime now, AgentActions& actions);
  void OnEndAck(const control::EndAck& ack);
  void OnUnknown(MonotonicTime now, AgentActions& actions);
  void Acknowledge(const control::Assign& assign, const std::string& error, AgentActions& actions);
  void Begin(control::Assign assign, MonotonicTime now, AgentActions& actions);
  void StopCurrent(Duration grace, const std::string& reason, AgentActions& actions);
  void EndWithoutStart(const control::Assign& assign, const std::string& message, MonotonicTime now,
                       AgentActions& actions);
  void Remember(const std::string& job_uid, Fence fence);
  void SendRegister(MonotonicTime now, AgentActions& actions);
  void SendHeartbeat(MonotonicTime now, AgentActions& actions);
  void SendEnd(control::AssignmentEnd end, MonotonicTime now, AgentActions& actions);
  void EnforceGrant(MonotonicTime now, AgentActions& actions);
  void LeaveWhenDone(MonotonicTime now, AgentActions& actions) const;
  void FillRunning(control::Running& running, MonotonicTime now) const;
  MonotonicTime HardStopTime() const;

  const AgentIdentity identity_;
  bool registered_ = false;
  MonotonicTime next_register_{};
  MonotonicTime next_heartbeat_{};
  control::BoardUsage usage_;

  std::optional<Assignment> current_;
  std::optional<control::Assign> next_;  // Starts when current_ has ended.
  std::deque<PendingEnd> ends_;          // Not acknowledged yet.
  // The newest fence taken of each job, bounded; ended ones included.
  std::map<std::string, Fence> fences_;
  std::deque<std::string> fences_order_;  // Job uids, oldest first.
  std::optional<control::StepReport> held_report_;

  bool shutting_down_ = false;
  MonotonicTime leave_at_latest_{};
};

}  // namespace octet
