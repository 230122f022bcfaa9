// JSON text to Values and back, over nlohmann-json's SAX parser. Strict: duplicate keys, trailing
// text and numbers out of range are errors. Pure.
#pragma once

#include <string>
#include <string_view>

#include "shared/base/status.h"
#include "shared/objects/fault.h"
#include "shared/objects/value.h"

namespace octet {

// kInvalidArgument with the byte offset and the cause; duplicate keys name the key and its path.
Result<Value> ReadJson(std::string_view text);

// Compact, in the order of the maps.
std::string WriteJson(const Value& value);
// Two spaces.
std::string WritePrettyJson(const Value& value);
// Compact, keys sorted, shortest round-trip numbers: equal values give equal bytes.
std::string WriteCanonicalJson(const Value& value);

}  // namespace octet
