// Amounts as types: boards, bytes, board-milliseconds. Signed 64 bits; sums and products saturate
// at the ends of the range instead of wrapping, so that an absurd request can never look small.
// Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "shared/base/time.h"

namespace octet {

// a + b, a - b and a * b in signed 64 bits, held at the ends of the range.
int64_t SaturatingAdd(int64_t a, int64_t b);
int64_t SaturatingSubtract(int64_t a, int64_t b);
int64_t SaturatingMultiply(int64_t a, int64_t b);

// An amount that can only meet its own kind. Tag names the unit.
template <typename Tag>
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(int64_t count) : count_(count) {}
  constexpr int64_t count() const { return count_; }

  friend Amount operator+(Amount a, Amount b) { return Amount(SaturatingAdd(a.count_, b.count_)); }
  friend Amount operator-(Amount a, Amount b) {
    return Amount(SaturatingSubtract(a.count_, b.count_));
  }
  friend Amount operator*(Amount a, int64_t times) {
    return Amount(SaturatingMultiply(a.count_, times));
  }
  Amount& operator+=(Amount other) { return *this = *this + other; }
  Amount& operator-=(Amount other) { return *this = *this - other; }
  constexpr auto operator<=>(const Amount&) const = default;

 private:
  int64_t count_ = 0;
};

using Boards = Amount<struct BoardsTag>;
using Bytes = Amount<struct BytesTag>;
// The unit of quota: one board held for one millisecond.
using BoardMillis = Amount<struct BoardMillisTag>;

// `boards` held for `length`.
BoardMillis Charge(Boards boards, Duration length);

// For people: "12h 30m", "0s"; "1.5 MiB".
std::string FormatBoardTime(BoardMillis amount);
std::string FormatBytes(Bytes amount);

}  // namespace octet
