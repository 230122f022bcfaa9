// LiveSession: what this process knows of an open session beyond its object: its timer, which
// boards have answered or ended, what was reported. Lost in a crash; a restart builds it again from
// the object and from what the workers say. Values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "coordinator/fleet/fleet.h"
#include "coordinator/jobs/lifecycle.h"
#include "coordinator/jobs/session_rules.h"
#include "shared/objects/session.h"

namespace octet {

// One board of the gang.
struct BoardPart {
  bool assigned = false;      // The fleet has the Assign.
  bool acknowledged = false;  // The worker has taken it, or was found running it.
  std::optional<control::AssignmentEnd> end{};
};

// Why a session that still runs was asked to end.
struct Ending {
  std::string message{};
  MonotonicTime limit{};  // It is closed then, whatever the workers say.
};

struct LiveSession {
  SessionUid uid{};
  AssignmentId id{};
  BoardId leader{};  // Of rank 0: its figures count.
  SessionTimer timer{};
  MonotonicTime begun{};  // In this process.
  // Of a former process, whose workers are waited for: when that process was replaced.
  std::optional<MonotonicTime> restarted{};
  Duration heard_elapsed{};  // The longest that a worker has run it, of those that are back.
  std::map<BoardId, BoardPart> parts{};
  std::optional<Ending> ending{};

  std::optional<control::StepReport> report{};  // The newest figures of the gang.
  bool first_step = false;                      // A board has begun to train.
  bool unwritten = false;                       // `report` is newer than the job's status.
  MonotonicTime written{};                      // When the status was last written.

  bool AllAcknowledged() const {
    for (const auto& [board, part] : parts) {
      if (!part.acknowledged) return false;
    }
    return true;
  }
};

}  // namespace octet
