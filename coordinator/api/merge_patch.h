// JSON merge patch (RFC 7386). Pure.
#pragma once

#include "shared/objects/value.h"

namespace octet {

// `target` with `patch` applied: a member that is null is removed, a map is merged, anything else
// replaces.
Value MergePatch(Value target, const Value& patch);

}  // namespace octet
