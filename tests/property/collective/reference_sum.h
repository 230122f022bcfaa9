// The canonical order of a sum, written a second time as plainly as it can be: one element, by
// recursion, absent leaves as absent values. And inputs for which the order matters.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "shared/base/random.h"

namespace octet {

// shards[i][e]
using ShardValues = std::vector<std::vector<float>>;

inline std::optional<float> ReferenceNode(const std::vector<float>& groups, size_t first,
                                          size_t size) {
  if (size == 1) {
    if (first >= groups.size()) return std::nullopt;
    return groups[first];
  }
  const auto left = ReferenceNode(groups, first, size / 2);
  const auto right = ReferenceNode(groups, first + size / 2, size / 2);
  if (!right.has_value()) return left;
  return *left + *right;
}

inline float ReferenceSum(const std::vector<float>& shards) {
  std::vector<float> groups;
  for (size_t i = 0; i < shards.size(); i += 4) {
    float sum = shards[i];
    for (size_t j = i + 1; j < i + 4 && j < shards.size(); ++j) sum += shards[j];
    groups.push_back(sum);
  }
  size_t size = 1;
  while (size < groups.size()) size *= 2;
  return *ReferenceNode(groups, 0, size);
}

inline std::vector<float> ReferenceSums(const ShardValues& shards) {
  std::vector<float> sums;
  for (size_t e = 0; e < shards[0].size(); ++e) {
    std::vector<float> values;
    for (const auto& shard : shards) values.push_back(shard[e]);
    sums.push_back(ReferenceSum(values));
  }
  return sums;
}

// Values of both signs whose magnitudes differ by up to 2^24, so that almost every other order of
// the additions rounds to another result.
inline ShardValues MixedMagnitudes(int64_t shards, int64_t elements, Random& random) {
  ShardValues values(static_cast<size_t>(shards));
  for (auto& shard : values) {
    for (int64_t e = 0; e < elements; ++e) {
      const int exponent = static_cast<int>(random.Below(25)) - 12;
      shard.push_back(std::ldexp(random.NextFloat() * 2 - 1, exponent));
    }
  }
  return values;
}

// Compares bits: NaN equals itself, 0 is not -0.
inline std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

}  // namespace octet
