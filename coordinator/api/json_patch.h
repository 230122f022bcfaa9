// JSON Patch (RFC 6902) with JSON pointers (RFC 6901). Pure.
#pragma once

#include "shared/base/status.h"
#include "shared/objects/value.h"

namespace octet {

// `document` with every operation of `patch` applied in order, or none. kInvalidArgument: the patch
// itself is wrong. kFailedPrecondition: it does not fit the document (a path that is not there, a
// test that fails). The message names the operation by its number, from 0.
Result<Value> JsonPatch(Value document, const Value& patch);

}  // namespace octet
