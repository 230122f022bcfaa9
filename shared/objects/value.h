// Value: a YAML or JSON document as a tree, each node with its place in the text. Copyable; pure.
//
// Maps keep the order of the text. Integers and floating point numbers are kept apart. Canonical
// JSON (see json.h) of equal trees is byte-equal, whatever the places are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace octet {

// Line and column count from 1; 0 where the text is not at hand.
struct Position {
  int line = 0;
  int column = 0;
};

class Value {
 public:
  struct Member;
  using List = std::vector<Value>;
  using Map = std::vector<Member>;
  enum class Type { kNull, kBool, kInt, kDouble, kString, kList, kMap };

  Value() = default;              // Null.
  Value(bool value);              // NOLINT: implicit by intent
  Value(int64_t value);           // NOLINT: implicit by intent
  Value(int value);               // NOLINT: implicit by intent
  Value(double value);            // NOLINT: implicit by intent
  Value(std::string value);       // NOLINT: implicit by intent
  Value(std::string_view value);  // NOLINT: implicit by intent
  Value(const char* value);       // NOLINT: implicit by intent
  static Value MakeList();
  static Value MakeList(List items);
  static Value MakeMap();

  Type type() const { return static_cast<Type>(data_.index()); }
  bool is_null() const { return type() == Type::kNull; }
  bool is_bool() const { return type() == Type::kBool; }
  bool is_int() const { return type() == Type::kInt; }
  bool is_number() const { return is_int() || type() == Type::kDouble; }
  bool is_string() const { return type() == Type::kString; }
  bool is_list() const { return type() == Type::kList; }
  bool is_map() const { return type() == Type::kMap; }

  // The value of that type; CHECK-fails on another (validate first).
  bool AsBool() const;
  int64_t AsInt() const;
  double AsDouble() const;  // Also of an integer.
  const std::string& AsString() const;
  const List& AsList() const;
  List& AsList();
  const Map& AsMap() const;
  Map& AsMap();

  // The member of a map, or nullptr (also when this is no map).
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // Follows "spec.accelerator.type"; nullptr where a step is missing.
  const Value* FindPath(std::string_view dotted) const;
  // Sets or adds a member; a null Value becomes a map first.
  Value& Set(std::string_view key, Value value);
  void Erase(std::string_view key);

  Position position;

  // Compares content, not places; the order of a map's members does not matter.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map> data_;
};

struct Value::Member {
  std::string key;
  Position key_position;
  Value value;
};

// Here rather than in the class, since only now the whole variant is known.
inline Value::Value(bool value) : data_(value) {}
inline Value::Value(int64_t value) : data_(value) {}
inline Value::Value(int value) : data_(static_cast<int64_t>(value)) {}
inline Value::Value(double value) : data_(value) {}
inline Value::Value(std::string value) : data_(std::move(value)) {}
inline Value::Value(std::string_view value) : data_(std::string(value)) {}
inline Value::Value(const char* value) : data_(std::string(value)) {}

}  // namespace octet
