// ChangeRules: what a user's write may do to an object that exists. Pure.
//
// A spec may change freely until it has been acted upon. From its first session on a TrainingJob is
// fixed but for suspend, priority, session and retries, and wholly once it has ended. The user of a
// job or quota and the type of a pool never change. Of a Board a user may change
// spec.unschedulable.
#pragma once

#include "shared/objects/fault.h"
#include "shared/objects/object.h"

namespace octet {

// Every rule that the change from `live` to `wanted` (checked, with defaults) breaks; the paths
// name the fields of `wanted`.
Faults CheckChange(const Object& live, const Object& wanted);

}  // namespace octet
