// Why something is not done now: a word for machines, a sentence for people, and when it may be.
// Values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "shared/base/check.h"
#include "shared/base/time.h"

namespace octet {

struct Reason {
  std::string code;     // CamelCase: "WeeklyQuotaUsedUp".
  std::string message;  // "the weekly quota leaves 48m …"
  std::optional<TimePoint> next_chance;
};

// What was decided, or the reason against it. A "no" is a result, not an error.
template <typename T>
class Decision {
 public:
  Decision(T value) : value_(std::move(value)) {}         // NOLINT: implicit by intent
  Decision(Reason reason) : value_(std::move(reason)) {}  // NOLINT: implicit by intent

  bool yes() const { return std::holds_alternative<T>(value_); }
  const T& value() const {
    CHECK(yes()) << std::get<Reason>(value_).message;
    return std::get<T>(value_);
  }
  const Reason& reason() const {
    CHECK(!yes()) << "a yes has no reason";
    return std::get<Reason>(value_);
  }

 private:
  std::variant<T, Reason> value_;
};

}  // namespace octet
