// Rules of an open session: how long it has lasted, when it must end, when its sign of life is due,
// and what becomes of it after a restart of the coordinator. Pure.
//
// How long is told by the monotonic clock of this process, from the moment at which the session was
// armed: at its start, or at a restart. A wall clock that is set changes nothing while a session is
// armed.
#pragma once

#include <optional>
#include <set>

#include "coordinator/jobs/lifecycle.h"
#include "shared/base/ids.h"
#include "shared/base/time.h"
#include "shared/objects/session.h"

namespace octet {

// When this process took the session up, and how long it had lasted then.
struct SessionTimer {
  MonotonicTime armed{};
  Duration elapsed{};
};

// For a session that starts now.
SessionTimer ArmNew(MonotonicTime now);
// For an open session found at a restart, from its persisted start, until its workers are heard: as
// long as the wall clock says, but not less than its last sign of life and not more than the grant.
SessionTimer ArmAgain(const Session& session, TimePoint wall_now, MonotonicTime now);
// Its worker is heard, and has run it for `worker_elapsed` by a monotonic clock that did not stop:
// the truth, kept between the last sign of life and the grant.
SessionTimer ArmFromWorker(const Session& session, Duration worker_elapsed, MonotonicTime now);

// Whole milliseconds, from 0 to the grant.
Duration ElapsedAt(const Session& session, const SessionTimer& timer, MonotonicTime now);

// The grant is used up: the session ends now, whatever its workers say.
bool GrantUsedUp(const Session& session, const SessionTimer& timer, MonotonicTime now);
// When GrantUsedUp becomes true.
MonotonicTime GrantEnd(const Session& session, const SessionTimer& timer);

// limits::kSignOfLifeInterval has passed since the persisted elapsed time of an open session.
bool SignOfLifeDue(const Session& session, const SessionTimer& timer, MonotonicTime now);
// The session with its elapsed time brought up to `now`; an ended one, or one that would go back,
// as it is.
Session WithSignOfLife(const Session& session, const SessionTimer& timer, MonotonicTime now);

// The session, ended after `elapsed` (kept between 0 and the grant). An ended one stays as it is:
// the meter stops once.
Session EndedSession(const Session& session, SessionEndCause cause, Duration elapsed);

// The elapsed time at which a session ends whose board was last heard at `heard`: time in which a
// board was not there is not charged.
Duration ElapsedAtLoss(const Session& session, const SessionTimer& timer, MonotonicTime heard);

enum class RestartVerdict {
  kWait,  // Its workers have time left to come back.
  kKeep,  // All of them run it: it goes on.
  kEnd,   // They did not come back: it ended at its last sign of life (EndAfterRestart).
};
// For a session that was open when this process started at `restarted`. `back`: its boards whose
// workers have registered since and run it, with its fence.
RestartVerdict JudgeAfterRestart(const Session& session, const std::set<BoardId>& back,
                                 MonotonicTime restarted, MonotonicTime now);
// Ended as CoordinatorRestarted; its true end is unknown, so its last sign of life counts.
Session EndAfterRestart(const Session& session);

}  // namespace octet
