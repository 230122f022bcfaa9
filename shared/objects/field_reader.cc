#include "shared/objects/field_reader.h"

#include <cmath>
#include <limits>
#include <utility>

namespace octet {

FieldReader::FieldReader(const Value* map, std::string path) : map_(map), path_(std::move(path)) {
  if (map_ != nullptr && map_->is_null()) map_ = nullptr;
  if (map_ != nullptr && !map_->is_map()) {
    map_ = nullptr;
    status_ = InvalidArgument(path_ + " must be a map");
  }
}

void FieldReader::Fail(std::string_view key, std::string_view wanted) {
  if (!status_.ok()) return;
  status_ = InvalidArgument(path_ + "." + std::string(key) + " must be " + std::string(wanted));
}

const Value* FieldReader::Find(std::string_view key) const {
  const Value* value = map_ == nullptr ? nullptr : map_->Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string FieldReader::String(std::string_view key) {
  const Value* value = Find(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->AsString();
  Fail(key, "a string");
  return "";
}

int64_t FieldReader::Int(std::string_view key, int64_t absent) {
  const Value* value = Find(key);
  if (value == nullptr) return absent;
  if (value->is_int()) return value->AsInt();
  Fail(key, "an integer");
  return absent;
}

bool FieldReader::Bool(std::string_view key, bool absent) {
  const Value* value = Find(key);
  if (value == nullptr) return absent;
  if (value->is_bool()) return value->AsBool();
  Fail(key, "true or false");
  return absent;
}

std::optional<double> FieldReader::Number(std::string_view key) {
  const Value* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->AsDouble();
  if (value->is_string()) {
    const std::string& word = value->AsString();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  Fail(key, "a number");
  return std::nullopt;
}

Duration FieldReader::DurationOf(std::string_view key) {
  const std::string text = String(key);
  if (text.empty()) return {};
  const Result<Duration> duration = ParseDuration(text);
  if (duration.ok()) return *duration;
  Fail(key, "a duration");
  return {};
}

std::optional<TimePoint> FieldReader::Time(std::string_view key) {
  const std::string text = String(key);
  if (text.empty()) return std::nullopt;
  const Result<TimePoint> time = ParseTime(text);
  if (time.ok()) return *time;
  Fail(key, "a time in the form 2026-12-01T06:00:00Z");
  return std::nullopt;
}

std::vector<std::string> FieldReader::Strings(std::string_view key) {
  std::vector<std::string> strings;
  const Value* value = Find(key);
  if (value == nullptr) return strings;
  if (!value->is_list()) {
    Fail(key, "a list of strings");
    return strings;
  }
  for (const Value& item : value->AsList()) {
    if (!item.is_string()) {
      Fail(key, "a list of strings");
      return {};
    }
    strings.push_back(item.AsString());
  }
  return strings;
}

Value EncodeNumber(double number) {
  if (std::isnan(number)) return Value("NaN");
  if (std::isinf(number)) return Value(number > 0 ? "Infinity" : "-Infinity");
  return Value(number);
}

Value EncodeStrings(const std::vector<std::string>& strings) {
  Value::List items;
  for (const std::string& text : strings) items.emplace_back(text);
  return Value::MakeList(std::move(items));
}

}  // namespace octet
