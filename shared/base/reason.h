// Reason and Decision<T>: a "no" that is an answer, not an error ("no, because the week leaves
// 48m").
//
// A Reason names one thing that stands in the way of a job: a CamelCase code for machines, a
// message with numbers for people, and the time at which it may be gone, if that can be told.
// Values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared/base/check.h"
#include "shared/base/time.h"

namespace octet {

// What a reason is about, so that it reaches the right condition: QuotaReserved or Admitted.
enum class ReasonScope { kQuota, kBoards };

struct Reason {
  ReasonScope scope = ReasonScope::kBoards;
  std::string code{};     // "WeeklyQuotaUsed"
  std::string message{};  // "weekly quota leaves 48m; the job needs at least 5m on 4 boards; …"
  // The earliest time at which it is gone if nothing else changes; absent: no time can be told.
  std::optional<TimePoint> next_chance{};

  bool operator==(const Reason&) const = default;
};

// A T, or the reasons why there is none, the weightiest first and never empty.
template <typename T>
class [[nodiscard]] Decision {
 public:
  Decision(T value) : value_(std::move(value)) {}  // NOLINT: implicit by intent
  Decision(std::vector<Reason> reasons)
      : value_(std::move(reasons)) {  // NOLINT: implicit by intent
    CHECK(!std::get<std::vector<Reason>>(value_).empty()) << "a refusal needs a reason";
  }

  bool ok() const { return std::holds_alternative<T>(value_); }
  // Only if ok().
  const T& value() const {
    CHECK(ok()) << "refused: " << std::get<std::vector<Reason>>(value_).front().message;
    return std::get<T>(value_);
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  // Only if not ok().
  const std::vector<Reason>& reasons() const {
    CHECK(!ok()) << "there is no reason against it";
    return std::get<std::vector<Reason>>(value_);
  }
  const Reason& reason() const { return reasons().front(); }

 private:
  std::variant<T, std::vector<Reason>> value_;
};

}  // namespace octet
