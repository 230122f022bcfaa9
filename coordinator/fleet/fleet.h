// Fleet: the boards as the coordinator hears them: who is registered, what each was told to run,
// which answers are outstanding. It sends through a WorkerLink and turns messages into events; what
// they mean for a job is decided elsewhere.
//
// - An Assign is sent again each limits::kResendInterval until it is answered, a Stop until the
//   assignment has ended. A board *holds* an assignment from Assign() (or from a Register that says
//   so) until its worker ended or refused it, or is another process. Only a board that holds
//   nothing may be assigned.
// - An AssignmentEnd always becomes an event, also the tenth time: its receiver calls
// AcknowledgeEnd when
//   what it means is durable, and the worker sends it again until then.
// - A message of a worker that is not registered on that connection, or with another fence than the
//   board holds, is counted as stale and changes nothing; a heartbeat is answered with Unknown.
// Not persisted: after a restart workers register again. One thread; times are monotonic.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "coordinator/fleet/worker_link.h"
#include "shared/base/ids.h"
#include "shared/base/status.h"
#include "shared/base/time.h"

namespace octet {

// One assignment of one job: fences count within a job.
struct AssignmentId {
  JobUid job{};
  Fence fence{};
  auto operator<=>(const AssignmentId&) const = default;
};

struct BoardHold {
  AssignmentId id{};
  std::optional<control::Assign> assign{};  // Until it is answered.
  std::optional<control::Stop> stop{};
  MonotonicTime resend{};      // Of whichever is outstanding.
  MonotonicTime stop_since{};  // Of the first Stop.
};

struct FleetWorker {
  BoardId board{};
  PoolName pool{};
  int64_t ordinal = 0;
  uint64_t incarnation = 0;
  std::string peer{};
  std::string data_endpoint{};
  std::string metrics_address{};
  std::string version{};
  std::string host{};
  int64_t pid = 0;
  bool present = false;   // Registered and not given up.
  MonotonicTime heard{};  // Last message.
  std::optional<control::BoardUsage> usage{};
  std::optional<BoardHold> hold{};
};

// A worker has registered. `running` is what it says that it runs.
struct WorkerRegistered {
  BoardId board{};
  bool new_process = false;
  // What the process before it held, and nobody will end any more.
  std::optional<AssignmentId> dropped{};
  std::optional<AssignmentId> running{};
  Duration running_for{};
};
struct AssignAnswered {
  BoardId board{};
  AssignmentId id{};
  bool accepted = false;
  std::string error{};
};
struct StepReported {
  BoardId board{};
  AssignmentId id{};
  control::StepReport report{};
};
struct AssignmentEnded {
  BoardId board{};
  AssignmentId id{};
  control::AssignmentEnd end{};
};
using FleetEvent = std::variant<WorkerRegistered, AssignAnswered, StepReported, AssignmentEnded>;

class Fleet {
 public:
  // `link` outlives the fleet.
  explicit Fleet(WorkerLink& link) : link_(link) {}

  // At most one event a message.
  std::optional<FleetEvent> OnMessage(const FromWorker& from, MonotonicTime now);
  // Sends again what is outstanding and due.
  void OnTick(MonotonicTime now);

  // Gives the board an assignment. kNotFound: nobody is registered there. kFailedPrecondition: it
  // holds another one.
  Status Assign(const BoardId& board, const control::Assign& assign, MonotonicTime now);
  // Ends what the board holds if it is `id`; otherwise nothing. Once more with less grace is
  // harder.
  void Stop(const BoardId& board, const AssignmentId& id, Duration grace, const std::string& reason,
            MonotonicTime now);
  void AcknowledgeEnd(const BoardId& board, const AssignmentId& id);
  // The worker is not present any more until it registers again. `gone`: its process has ended, so
  // that it holds nothing; otherwise what it holds it may still run.
  void GiveUp(const BoardId& board, bool gone);
  // As GiveUp, and nothing of it is remembered: the board is not wanted any more.
  void Remove(const BoardId& board);

  // Every worker that was ever registered and not removed, in the order of the boards.
  const std::map<BoardId, FleetWorker>& workers() const { return workers_; }
  // nullptr if nobody is registered there.
  const FleetWorker* FindPresent(const BoardId& board) const;
  int64_t stale_messages() const { return stale_; }

 private:
  std::optional<FleetEvent> OnRegister(const std::string& peer, const control::Register& content,
                                       MonotonicTime now);
  std::optional<FleetEvent> OnHeartbeat(const std::string& peer, const control::Heartbeat& content,
                                        MonotonicTime now);
  std::optional<FleetEvent> OnAssignAck(FleetWorker& worker, const control::AssignAck& ack);
  std::optional<FleetEvent> OnStepReport(const FleetWorker& worker,
                                         const control::StepReport& report);
  std::optional<FleetEvent> OnAssignmentEnd(FleetWorker& worker, const control::AssignmentEnd& end);
  // The registered worker of this board on this connection; nullptr, counted as stale, if there is
  // none.
  FleetWorker* Sender(const std::string& peer, const std::string& board, MonotonicTime now);
  void SendHold(const FleetWorker& worker, BoardHold& hold, MonotonicTime now);

  WorkerLink& link_;
  std::map<BoardId, FleetWorker> workers_;
  int64_t stale_ = 0;
};

}  // namespace octet
