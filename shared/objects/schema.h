// Schema: the description of a field tree, and the walk that checks and completes a Value against it.
//
// One tree a kind (see kinds.h) yields validation, defaults and documentation. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/value.h"

namespace octet {

enum class FieldType { kBool, kInt, kNumber, kString, kDuration, kList, kMap, kOneOf };

struct Schema {
  std::string name;      // Of the field in its parent; "" for the root and for items of a list.
  FieldType type = FieldType::kMap;
  std::string doc;       // One sentence.
  bool required = false;
  std::optional<Value> default_value;       // Filled in where the field is absent.
  std::optional<double> minimum, maximum;   // kInt, kNumber; for kDuration in milliseconds.
  bool exclusive_minimum = false, exclusive_maximum = false;
  size_t items_min = 0, items_max = 10'000;  // kList.
  std::vector<std::string> allowed;         // kString: one of these.
  // kMap: the members. kOneOf: a map with exactly one of these members (an optimizer, a layer).
  // kList: one entry, the schema of each item.
  std::vector<Schema> fields;
  // Members that octet.md describes but this version does not serve: refused with those words.
  std::vector<std::string> not_yet;
};

// Checks `value` (at `path`) against `schema`, fills in defaults, and adds every fault: unknown fields
// with a did-you-mean, missing ones, wrong types, values out of bounds, bad durations.
void CheckValue(const Schema& schema, const std::string& path, Value& value, Faults& faults);

}  // namespace octet
