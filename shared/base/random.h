// Counter-based random numbers (Philox 4x32-10, Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011): the n-th number of a key can be had without the ones before it, so that dropout,
// initial weights and the order of the data do not depend on threads, boards or a restart. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace octet {

// The Philox block of (key, counter): four independent 32-bit words.
std::array<uint32_t, 4> PhiloxBlock(uint64_t key, uint64_t counter_low, uint64_t counter_high);

// A stream of numbers: a key and a position. Copy it to replay.
class Random {
 public:
  explicit Random(uint64_t key, uint64_t stream = 0) : key_(key), stream_(stream) {}

  uint32_t Next32();
  uint64_t Next64();
  // Uniform in [0, bound), without bias. bound > 0.
  uint64_t Below(uint64_t bound);
  // Uniform in [0, 1) with 24 bits.
  float NextFloat();
  // Standard normal (Box-Muller).
  float NextNormal();

 private:
  uint64_t key_;
  uint64_t stream_;
  uint64_t counter_ = 0;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

// One well-mixed key from parts ((seed, epoch), (seed, step, layer), …).
uint64_t MixKey(uint64_t a, uint64_t b, uint64_t c = 0, uint64_t d = 0);

// 64 bits from the operating system, for uids and incarnations; never in a core.
uint64_t SystemRandom64();

}  // namespace octet
