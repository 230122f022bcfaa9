// The loss controller: workers that do not answer, whose process has ended, or that are another
// process than before, end the sessions that they took part in. What a lost worker says later is
// stopped by its fence.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

void EndLostSessions(ControlContext& context);

}  // namespace octet
