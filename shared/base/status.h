// Status and Result<T>: how every fallible function of Octet reports failure.
//
// The 16 canonical codes say what the *caller* may do; whether to retry is decided from the code
// alone (IsRetryable). A refusal that is part of a decision ("no, because quota") is not a Status
// but a Reason in the result of the decision. Values; safe to copy between threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "shared/base/check.h"

namespace octet {

enum class StatusCode {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "NotFound", "InvalidArgument", …
std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // Ok.
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "NotFound: no board local-3", or "Ok".
  std::string ToString() const;

  // The same code with `context: ` in front of the message. Ok stays Ok.
  Status Annotate(std::string_view context) const;

  // Whether the same call may succeed later unchanged: kUnavailable, kAborted, kDeadlineExceeded.
  bool IsRetryable() const;

  bool operator==(const Status&) const = default;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status Ok() { return {}; }
Status InvalidArgument(std::string message);
Status DeadlineExceeded(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status PermissionDenied(std::string message);
Status ResourceExhausted(std::string message);
Status FailedPrecondition(std::string message);
Status Aborted(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status Unavailable(std::string message);
Status DataLoss(std::string message);
Status Cancelled(std::string message);

// A T, or the Status that says why there is none. Reading the value of a failed Result is our own
// mistake and stops the program.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}        // NOLINT: implicit by intent
  Result(Status status) : value_(std::move(status)) {  // NOLINT: implicit by intent
    CHECK(!std::get<Status>(value_).ok()) << "a Result without a value needs an error";
  }

  bool ok() const { return std::holds_alternative<T>(value_); }
  Status status() const { return ok() ? Status() : std::get<Status>(value_); }

  const T& value() const& {
    CHECK(ok()) << std::get<Status>(value_).ToString();
    return std::get<T>(value_);
  }
  T& value() & {
    CHECK(ok()) << std::get<Status>(value_).ToString();
    return std::get<T>(value_);
  }
  // Of a temporary, by value: `for (x : F().value())` may then keep what it iterates over.
  T value() && {
    CHECK(ok()) << std::get<Status>(value_).ToString();
    return std::get<T>(std::move(value_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> value_;
};

}  // namespace octet

// Leaves the function with the Status of `expression` unless it is Ok.
#define OCTET_RETURN_IF_ERROR(expression)          \
  do {                                             \
    ::octet::Status octet_status_ = (expression);  \
    if (!octet_status_.ok()) return octet_status_; \
  } while (false)

#define OCTET_CONCAT_INNER_(a, b) a##b
#define OCTET_CONCAT_(a, b) OCTET_CONCAT_INNER_(a, b)

// OCTET_ASSIGN_OR_RETURN(auto x, F()): x takes the value, or the function returns F's Status.
#define OCTET_ASSIGN_OR_RETURN(target, expression) \
  OCTET_ASSIGN_OR_RETURN_INNER_(OCTET_CONCAT_(octet_result_, __LINE__), target, expression)
#define OCTET_ASSIGN_OR_RETURN_INNER_(result, target, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) return result.status();                       \
  target = std::move(result).value()
