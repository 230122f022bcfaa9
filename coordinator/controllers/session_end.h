// The one place where a session is closed: its object, its job's transition, the finalizer and, for
// a job that is being deleted, the job itself, in one transaction. So a session is charged exactly
// once and no job is over while its meter runs.
#pragma once

#include <string>

#include "coordinator/controllers/control_context.h"

namespace octet {

struct SessionClosing {
  SessionEndCause cause = SessionEndCause::kInterrupted;
  std::string message{};
  std::string weights_sha256{};
  Duration elapsed{};
};

// Closes an open session. Then its workers' ends are acknowledged and it is no longer live; what
// its boards still hold is stopped by the assignments' controller. If the transaction fails,
// nothing has changed and it is told in the log: the next round comes to the same conclusion.
void CloseSession(ControlContext& context, const SessionUid& uid, const SessionClosing& closing);

// A job's status after a transition, as the write that makes it so. The finalizer stays only with a
// job that holds a session; a deleted job that nothing holds any more disappears.
Write WriteTransition(const JobEntry& entry, const Transition& transition);

}  // namespace octet
