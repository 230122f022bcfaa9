// The scale of a SlicePool as autoscaling/v1 Scale. Pure.
#pragma once

#include "shared/base/status.h"
#include "shared/objects/object.h"

namespace octet {

Value EncodeScale(const Object& pool);

// The merge patch of the pool for what a Scale, or a patch of one, asks for. kInvalidArgument:
// spec.replicas is missing or no number.
Result<Value> PatchOfScale(const Value& scale);

}  // namespace octet
