// The sessions' controller: signs of life, and every end that is not somebody's wish: the gang has
// ended, the grant is used up, the workers of a former process have not come back.
#pragma once

#include <optional>

#include "coordinator/controllers/session_end.h"

namespace octet {

// A worker's end of its part. Of a session that is not live (a duplicate, an old fence) it changes
// nothing and is acknowledged at once; otherwise when the session's end is durable.
void NoteEnd(ControlContext& context, const AssignmentEnded& event);

// Persists how long open sessions have lasted, each limits::kSignOfLifeInterval.
void SignSessions(ControlContext& context);
// Closes the sessions that are over.
void EndSessions(ControlContext& context);

// How a session whose boards have ended (all, or enough of them) has ended; nothing while it goes
// on.
std::optional<SessionClosing> GangEnd(const LiveSession& live);

}  // namespace octet
