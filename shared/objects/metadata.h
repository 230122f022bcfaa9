// The metadata of an object: what a user may write, and its form in JSON. Pure.
#pragma once

#include "shared/objects/kinds.h"
#include "shared/objects/object.h"

namespace octet {

// The metadata of a user's document, with every fault in it. `info` is null if the kind is unknown:
// then the name is held to what every kind allows.
ObjectMeta CheckMetadata(const KindInfo* info, const Value& document, Faults& faults);

Value EncodeMetadata(const ObjectMeta& meta);
// Of a stored document: kInvalidArgument where the shape is wrong.
Result<ObjectMeta> DecodeMetadata(const Value* metadata);

}  // namespace octet
