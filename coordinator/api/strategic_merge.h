// Strategic merge patches, which kubectl sends for Kubernetes' own kinds: a merge patch that merges
// some lists item by item (list_forms.h). Octet's own kinds do not take them, as no custom resource
// does. Pure.
// The rules: "Strategic Merge Patch", of the Kubernetes community's sig-api-machinery.
#pragma once

#include "shared/base/status.h"
#include "shared/objects/value.h"

namespace octet {

// `target` with `patch` applied. Directives: `$patch: replace` or `delete` of a map or an item,
// `$deleteFromPrimitiveList/NAME` of a list of values; `$setElementOrder/NAME` and `$retainKeys`
// change nothing here. kInvalidArgument: a directive that is none of these.
Result<Value> StrategicMergePatch(Value target, const Value& patch);

}  // namespace octet
