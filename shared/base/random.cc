#include "shared/base/random.h"

#include <sys/random.h>

#include <cmath>
#include <numbers>

#include "shared/base/check.h"

namespace octet {

std::array<uint32_t, 4> PhiloxBlock(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  constexpr int kRounds = 10;
  auto c0 = static_cast<uint32_t>(counter_low), c1 = static_cast<uint32_t>(counter_low >> 32);
  auto c2 = static_cast<uint32_t>(counter_high), c3 = static_cast<uint32_t>(counter_high >> 32);
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * c0;
    const uint64_t product1 = uint64_t{kMultiplier1} * c2;
    c0 = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(product1);
    c2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(product0);
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return {c0, c1, c2, c3};
}

uint32_t Random::Next32() {
  if (used_ == 4) {
    block_ = PhiloxBlock(key_, counter_++, stream_);
    used_ = 0;
  }
  return block_[static_cast<size_t>(used_++)];
}

uint64_t Random::Next64() {
  const uint64_t high = Next32();
  return high << 32 | Next32();
}

uint64_t Random::Below(uint64_t bound) {
  CHECK(bound > 0);
  // Numbers at or above the largest multiple of `bound` would favour small results.
  const uint64_t excess = (~uint64_t{0} % bound + 1) % bound;
  uint64_t number = Next64();
  while (number > ~uint64_t{0} - excess) number = Next64();
  return number % bound;
}

float Random::NextFloat() { return static_cast<float>(Next32() >> 8) * 0x1.0p-24F; }

float Random::NextNormal() {
  const float radius = std::sqrt(-2.0F * std::log(1.0F - NextFloat()));
  return radius * std::cos(2.0F * std::numbers::pi_v<float> * NextFloat());
}

uint64_t MixKey(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const auto first = PhiloxBlock(a, b, c);
  const auto second =
      PhiloxBlock(uint64_t{first[0]} << 32 | first[1], uint64_t{first[2]} << 32 | first[3], d);
  return uint64_t{second[0]} << 32 | second[1];
}

uint64_t SystemRandom64() {
  uint64_t number = 0;
  CHECK(getrandom(&number, sizeof(number), 0) == sizeof(number)) << "getrandom failed";
  return number;
}

}  // namespace octet
