// CHECK: always on, for our own mistakes only; never on input, disk or network.
//
// CHECK(sum == total) << "recount of " << user;  prints file, line, condition and message to
// standard error and aborts, so that tests and crash reports see it.
#pragma once

#include <sstream>

namespace octet {

// Collects the message of a failed CHECK; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;

  template <typename T>
  CheckFailure& operator<<(const T& part) {
    message_ << part;
    return *this;
  }

 private:
  std::ostringstream message_;
};

// Gives both branches of CHECK's conditional the type void.
struct CheckVoid {
  void operator&(const CheckFailure&) const {}
};

}  // namespace octet

#define CHECK(condition) \
  (condition) ? (void)0  \
              : ::octet::CheckVoid() & ::octet::CheckFailure(__FILE__, __LINE__, #condition)
