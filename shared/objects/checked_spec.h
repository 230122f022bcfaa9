// What the Decode functions of the kinds share: a spec that is known to fit its schema. Pure.
#pragma once

#include "shared/base/status.h"
#include "shared/objects/object.h"

namespace octet {

// `spec` with the defaults of its kind filled in. kInvalidArgument with the first fault if it does
// not fit the kind's schema (a document of a newer version). Rules across fields are not run: a
// stored object stays readable when a rule becomes stricter.
Result<Value> CheckedSpec(Kind kind, const Value& spec);

}  // namespace octet
