// The assignments' controller: an open session reaches its workers, and whatever workers run that
// is no open session is stopped. So a message that was lost, a crash in between or an old fence
// heal by themselves.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

// Keeps `live` to the world's open sessions; those that are new here are of a former process.
void FollowOpenSessions(ControlContext& context, bool fresh);
// Tells workers what to run and what not to run any more; ends a session whose gang does not
// assemble within limits::kAssignTimeout.
void AssignBoards(ControlContext& context);

void NoteAnswer(ControlContext& context, const AssignAnswered& event);
// A worker that comes back with a session of a former process of ours goes on with it.
void NoteRegistered(ControlContext& context, const WorkerRegistered& event);

}  // namespace octet
