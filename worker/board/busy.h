// How busy the emulated cores were: measured time of the host's processors, not cycles of a TPU.
//
// MXU % is the share of the board's threads' time spent in matrix products, idle % the share in
// which no operation ran; both over the whole window, input and all-reduce included. A window in
// which nothing ran has no sample, which is not 0 %.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "shared/base/time.h"

namespace octet {

// Sums since the board was made. Only differences mean anything.
struct CoreBusy {
  std::chrono::nanoseconds operations{};  // Any operation.
  std::chrono::nanoseconds products{};    // Matrix products among them.
  int64_t runs = 0;
};

struct BusySample {
  MonotonicTime at{};
  std::array<CoreBusy, 8> cores{};
};

struct BusyShares {
  double mxu_percent = 0;   // 0..100
  double idle_percent = 0;  // 0..100
};

struct BoardUse {
  BusyShares board;
  std::array<BusyShares, 8> cores{};  // Of the core's part of its thread's time.
};

// Between two samples of a board whose eight cores share `threads` threads. None if nothing ran.
std::optional<BoardUse> UseBetween(const BusySample& before, const BusySample& after, int threads);

}  // namespace octet
