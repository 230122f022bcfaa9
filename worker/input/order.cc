#include "worker/input/order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "shared/base/check.h"
#include "shared/base/random.h"

namespace octet {
namespace {

// Streams of keys that must not meet: the same seed serves the order and the split.
constexpr uint64_t kOrderStream = 0x6f72646572;
constexpr uint64_t kSplitStream = 0x73706c6974;

// The finaliser of SplitMix64 (Steele et al., 2014): two multiplications, well mixed.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

uint64_t LowBits(int bits) { return (uint64_t{1} << bits) - 1; }

}  // namespace

Permutation::Permutation(uint64_t key, int64_t size) : size_(size) {
  CHECK(size >= 0) << "a permutation of " << size;
  // At least two bits, so that both halves have one.
  const int bits = std::max(
      2, static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(size, 1) - 1))));
  left_bits_ = bits / 2;
  right_bits_ = bits - left_bits_;
  // Made anew for each shard of each step, so they must be cheap: SplitMix64's sequence from the
  // key.
  for (int round = 0; round < kRounds; ++round) {
    key += 0x9e3779b97f4a7c15ULL;
    round_keys_[round] = Mix(key);
  }
}

uint64_t Permutation::Encrypt(uint64_t value) const {
  int left_bits = left_bits_;
  int right_bits = right_bits_;
  for (const uint64_t key : round_keys_) {
    const uint64_t right = value & LowBits(right_bits);
    const uint64_t left = value >> right_bits;
    const uint64_t mixed = left ^ (Mix(right ^ key) & LowBits(left_bits));
    value = (right << left_bits) | mixed;
    std::swap(left_bits, right_bits);
  }
  return value;
}

int64_t Permutation::At(int64_t position) const {
  auto value = static_cast<uint64_t>(position);
  do {
    value = Encrypt(value);
  } while (value >= static_cast<uint64_t>(size_));
  return static_cast<int64_t>(value);
}

Split SplitBySeed(int64_t examples, double fraction, uint64_t seed) {
  // The small addition keeps 0.29 * 100 at 29, whose nearest double is a little less.
  const auto held =
      static_cast<int64_t>(std::floor(static_cast<double>(examples) * fraction + 1e-6));
  const Permutation permutation(MixKey(seed, kSplitStream), examples);
  std::vector<bool> validates(static_cast<size_t>(examples), false);
  for (int64_t i = 0; i < held; ++i) validates[static_cast<size_t>(permutation.At(i))] = true;
  Split split;
  for (int64_t i = 0; i < examples; ++i) {
    auto& part = validates[static_cast<size_t>(i)] ? split.validation : split.train;
    part.push_back(static_cast<uint32_t>(i));
  }
  return split;
}

RowRange ShardRows(int64_t rows, int64_t shard, int64_t shards) {
  return {.begin = shard * rows / shards, .end = (shard + 1) * rows / shards};
}

EpochOrder::EpochOrder(const OrderOptions& options)
    : examples_(options.examples),
      batch_size_(options.batch_size),
      steps_per_epoch_(options.steps_per_epoch),
      epochs_(options.epochs),
      whole_passes_(options.steps_per_epoch == 0),
      seed_(options.seed) {
  CHECK(examples_ > 0 && batch_size_ > 0) << examples_ << " examples, batch " << batch_size_;
  if (whole_passes_) steps_per_epoch_ = (examples_ + batch_size_ - 1) / batch_size_;
}

int64_t EpochOrder::FirstPosition(int64_t step) const {
  if (!whole_passes_) return step * batch_size_;
  return EpochOf(step) * examples_ + step % steps_per_epoch_ * batch_size_;
}

int64_t EpochOrder::BatchRows(int64_t step) const {
  if (!whole_passes_) return batch_size_;
  return std::min(batch_size_, examples_ - step % steps_per_epoch_ * batch_size_);
}

void EpochOrder::Rows(int64_t step, RowRange rows, uint32_t* positions) const {
  int64_t position = FirstPosition(step) + rows.begin;
  int64_t left = rows.size();
  while (left > 0) {
    const int64_t pass = position / examples_;
    const Permutation permutation(MixKey(seed_, kOrderStream, static_cast<uint64_t>(pass)),
                                  examples_);
    const int64_t end = std::min(position + left, (pass + 1) * examples_);
    left -= end - position;
    for (; position < end; ++position) {
      *positions++ = static_cast<uint32_t>(permutation.At(position - pass * examples_));
    }
  }
}

}  // namespace octet
