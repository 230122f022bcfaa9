// FieldReader: reads the members of a map into typed values, for statuses and specs that Octet
// wrote itself. An absent member gives the default; a member of the wrong type is remembered as a
// fault, which status() gives once all is read. Not for users' documents: those are checked by a
// Schema. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/time.h"
#include "shared/objects/value.h"

namespace octet {

class FieldReader {
 public:
  // `map` may be null; it must outlive the reader. `path` is for messages: "status.progress".
  FieldReader(const Value* map, std::string path);

  std::string String(std::string_view key);
  int64_t Int(std::string_view key, int64_t absent = 0);
  bool Bool(std::string_view key, bool absent = false);
  // Also reads the words "NaN", "Infinity" and "-Infinity", which EncodeNumber writes.
  std::optional<double> Number(std::string_view key);
  Duration DurationOf(std::string_view key);
  std::optional<TimePoint> Time(std::string_view key);
  std::vector<std::string> Strings(std::string_view key);
  // The member as it is, or nullptr.
  const Value* Find(std::string_view key) const;

  bool present() const { return map_ != nullptr; }
  // Ok, or kInvalidArgument with the path of the first member of a wrong type.
  Status status() const { return status_; }

 private:
  void Fail(std::string_view key, std::string_view wanted);

  const Value* map_;
  std::string path_;
  Status status_;
};

// A number as JSON can hold it: JSON has no NaN and no infinity, hence their words.
Value EncodeNumber(double number);

// A list of strings.
Value EncodeStrings(const std::vector<std::string>& strings);

}  // namespace octet
