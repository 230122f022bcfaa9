// Schema: the description of a field tree, and the walk that checks and completes a Value against
// it.
//
// One tree a kind (see kinds.h) yields validation, defaults and documentation. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/value.h"

namespace octet {

enum class FieldType {
  kBool,
  kInt,
  kNumber,
  kString,
  kDuration,
  kList,
  kMap,
  kOneOf,
  kStrings,  // A map of strings, with any keys.
  kAny,      // Whatever a client keeps there.
};

struct Schema {
  std::string name{};  // Of the field in its parent; "" for the root and for items of a list.
  FieldType type = FieldType::kMap;
  std::string doc{};  // One sentence.
  bool required = false;
  std::optional<Value> default_value{};        // Filled in where the field is absent.
  std::optional<double> minimum{}, maximum{};  // kInt, kNumber; for kDuration in milliseconds.
  bool exclusive_minimum = false, exclusive_maximum = false;
  size_t items_min = 0, items_max = 10'000;  // kList.
  size_t bytes_min = 0, bytes_max = 4096;    // kString.
  std::vector<std::string> allowed{};        // kString: one of these.
  // kMap: the members. kOneOf: a map with exactly one of these members (an optimizer, a layer).
  // kList: one entry, the schema of each item.
  std::vector<Schema> fields{};
  // Members (kString: values) that octet.md describes but this version does not serve: refused with
  // those words.
  std::vector<std::string> not_yet{};
};

// Checks `value` (at `path`) against `schema`, fills in defaults, and adds every fault: unknown
// fields with a did-you-mean, missing ones, wrong types, values out of bounds, bad durations.
//
// A member that is null counts as absent and is removed, as in Kubernetes; an unknown one is
// removed once its fault is told, so that who forgives it has the object without it. An integer
// where a number is wanted becomes that number. Stops after some hundred faults.
void CheckValue(const Schema& schema, const std::string& path, Value& value, Faults& faults);

// "spec.model" and "layers" give "spec.model.layers"; a key that is no plain word is quoted.
std::string MemberPath(const std::string& path, const std::string& key);
// "spec.model.layers[2]".
std::string ItemPath(const std::string& path, size_t index);
// "a, b or c".
std::string OneOfWords(const std::vector<std::string>& words);
// What a fault says of a value that it did not want: `"3h"`, `3`, `true`, `a list`, `nothing`.
std::string Describe(const Value& value);

}  // namespace octet
