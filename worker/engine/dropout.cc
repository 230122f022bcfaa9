#include "worker/engine/dropout.h"

#include <algorithm>

#include "shared/base/random.h"
#include "worker/engine/vector_code.h"

namespace octet {
namespace {

// Keeps the keys of dropout apart from those of the initial weights and of the data's order.
constexpr uint64_t kDropoutDomain = 0x64726f70;  // "drop"

constexpr int kBlocks = 16;             // Philox blocks computed side by side, one per vector lane.
constexpr int kElements = kBlocks * 4;  // Four words each.

// The factors of the blocks [first_block, first_block + kBlocks). As PhiloxBlock of
// shared/base/random.h with counter_high 0, for many counters at once.
OCTET_VECTOR_CLONES void FactorsOfBlocks(uint64_t key, uint64_t first_block, uint32_t threshold,
                                         float scale, float* factors) {
  constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  constexpr int kRounds = 10;
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t counter = first_block + static_cast<uint64_t>(i);
    c0[i] = static_cast<uint32_t>(counter);
    c1[i] = static_cast<uint32_t>(counter >> 32);
    c2[i] = 0;
    c3[i] = 0;
  }
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kBlocks; ++i) {
      const uint64_t product0 = uint64_t{kMultiplier0} * c0[i];
      const uint64_t product1 = uint64_t{kMultiplier1} * c2[i];
      c0[i] = static_cast<uint32_t>(product1 >> 32) ^ c1[i] ^ k0;
      c1[i] = static_cast<uint32_t>(product1);
      c2[i] = static_cast<uint32_t>(product0 >> 32) ^ c3[i] ^ k1;
      c3[i] = static_cast<uint32_t>(product0);
    }
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  for (int i = 0; i < kBlocks; ++i) {
    factors[4 * i + 0] = c0[i] < threshold ? 0.0F : scale;
    factors[4 * i + 1] = c1[i] < threshold ? 0.0F : scale;
    factors[4 * i + 2] = c2[i] < threshold ? 0.0F : scale;
    factors[4 * i + 3] = c3[i] < threshold ? 0.0F : scale;
  }
}

}  // namespace

uint64_t DropoutLayerKey(const DropoutKey& key, int layer_position) {
  return MixKey(key.seed, key.step, static_cast<uint64_t>(layer_position), kDropoutDomain);
}

void DropoutFactors(uint64_t layer_key, int64_t first, int64_t count, float rate, float* factors) {
  const auto threshold = static_cast<uint32_t>(double{rate} * 0x1.0p32);
  const float scale = 1.0F / (1.0F - rate);
  const int64_t end = first + count;
  for (int64_t block = first / 4; block * 4 < end; block += kBlocks) {
    const int64_t begin = block * 4;
    if (begin >= first && begin + kElements <= end) {
      FactorsOfBlocks(layer_key, static_cast<uint64_t>(block), threshold, scale,
                      factors + (begin - first));
      continue;
    }
    float edge[kElements];
    FactorsOfBlocks(layer_key, static_cast<uint64_t>(block), threshold, scale, edge);
    const int64_t from = std::max(first, begin), to = std::min(end, begin + kElements);
    std::copy(edge + (from - begin), edge + (to - begin), factors + (from - first));
  }
}

}  // namespace octet
