// The quotas' controller: the status of UserQuota objects and the figures of users, both derived
// from the Session objects; and the recount that proves them.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

// When something has changed, or a second has passed.
void ShowQuotas(ControlContext& context);

// Adds up every session by hand and compares it with what the ledger and the jobs say. 0 unless
// there is a mistake in Octet.
BoardMillis RecountDifference(const World& world, TimePoint now);

}  // namespace octet
