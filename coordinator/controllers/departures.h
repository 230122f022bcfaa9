// The departures' controller: jobs that are suspended, resumed or deleted. One that holds boards is
// told to stop first: with time for a checkpoint if it is suspended, at once if it is deleted.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

void FollowDepartures(ControlContext& context);

}  // namespace octet
