// The admission controller: asks the scheduler, and makes its whole plan true in one transaction: a
// Session object and a starting job for each placement, the reasons for every job that waits.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

// Decides when something has changed, or a second has passed. A plan that loses the race for its
// transaction is decided again, limits::kCommitAttemptsMax times.
void AdmitJobs(ControlContext& context);

}  // namespace octet
