#include "shared/objects/value.h"

#include <algorithm>

#include "shared/base/check.h"

namespace octet {
namespace {

std::vector<const Value::Member*> SortedByKey(const Value::Map& map) {
  std::vector<const Value::Member*> members;
  members.reserve(map.size());
  for (const Value::Member& member : map) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const Value::Member* a, const Value::Member* b) { return a->key < b->key; });
  return members;
}

bool SameMembers(const Value::Map& a, const Value::Map& b) {
  if (a.size() != b.size()) return false;
  const std::vector<const Value::Member*> left = SortedByKey(a);
  const std::vector<const Value::Member*> right = SortedByKey(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i]->key != right[i]->key || !(left[i]->value == right[i]->value)) return false;
  }
  return true;
}

}  // namespace

Value Value::MakeList() { return MakeList(List()); }

Value Value::MakeList(List items) {
  Value value;
  value.data_ = std::move(items);
  return value;
}

Value Value::MakeMap() {
  Value value;
  value.data_ = Map();
  return value;
}

bool Value::AsBool() const {
  CHECK(is_bool()) << "not a boolean";
  return std::get<bool>(data_);
}

int64_t Value::AsInt() const {
  CHECK(is_int()) << "not an integer";
  return std::get<int64_t>(data_);
}

double Value::AsDouble() const {
  CHECK(is_number()) << "not a number";
  if (is_int()) return static_cast<double>(std::get<int64_t>(data_));
  return std::get<double>(data_);
}

const std::string& Value::AsString() const {
  CHECK(is_string()) << "not a string";
  return std::get<std::string>(data_);
}

const Value::List& Value::AsList() const {
  CHECK(is_list()) << "not a list";
  return std::get<List>(data_);
}

Value::List& Value::AsList() {
  CHECK(is_list()) << "not a list";
  return std::get<List>(data_);
}

const Value::Map& Value::AsMap() const {
  CHECK(is_map()) << "not a map";
  return std::get<Map>(data_);
}

Value::Map& Value::AsMap() {
  CHECK(is_map()) << "not a map";
  return std::get<Map>(data_);
}

const Value* Value::Find(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (const Member& member : AsMap()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value* Value::Find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->Find(key));
}

const Value* Value::FindPath(std::string_view dotted) const {
  const Value* node = this;
  while (node != nullptr && !dotted.empty()) {
    const size_t dot = std::min(dotted.find('.'), dotted.size());
    node = node->Find(dotted.substr(0, dot));
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return node;
}

Value& Value::Set(std::string_view key, Value value) {
  if (is_null()) data_ = Map();
  if (Value* old = Find(key); old != nullptr) {
    *old = std::move(value);
    return *old;
  }
  Map& map = AsMap();
  map.push_back({.key = std::string(key), .key_position = {}, .value = std::move(value)});
  return map.back().value;
}

void Value::Erase(std::string_view key) {
  if (!is_map()) return;
  std::erase_if(AsMap(), [&](const Member& member) { return member.key == key; });
}

bool operator==(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  if (a.is_map()) return SameMembers(a.AsMap(), b.AsMap());
  if (a.is_list()) return a.AsList() == b.AsList();
  if (a.is_null()) return true;
  if (a.is_bool()) return a.AsBool() == b.AsBool();
  if (a.is_int()) return a.AsInt() == b.AsInt();
  if (a.is_string()) return a.AsString() == b.AsString();
  return a.AsDouble() == b.AsDouble();
}

}  // namespace octet
