// The order of the data: which example stands at which position, without state, so that any step
// can be reached at once on resume and every board and thread computes its own rows. Pure.
//
// A permutation of [0, n) is a Feistel network over the smallest power of two that holds n, with
// values outside walked on until they fall inside ("cycle walking": Black and Rogaway, "Ciphers
// with arbitrary finite domains", 2002). It shuffles; it is no cryptography.
#pragma once

#include <cstdint>
#include <vector>

namespace octet {

class Permutation {
 public:
  // Of [0, size), size >= 0, chosen by `key`.
  Permutation(uint64_t key, int64_t size);
  // The image of `position`, 0 <= position < size.
  int64_t At(int64_t position) const;
  int64_t size() const { return size_; }

 private:
  static constexpr int kRounds = 6;
  uint64_t Encrypt(uint64_t value) const;

  int64_t size_;
  int left_bits_;  // At the first round; the halves change places after each.
  int right_bits_;
  uint64_t round_keys_[kRounds];
};

// The examples of a dataset that are trained on and those that only validate. Both lists grow.
struct Split {
  std::vector<uint32_t> train;
  std::vector<uint32_t> validation;
};

// floor(examples * fraction) examples validate, chosen by the seed. 0 <= fraction < 1.
Split SplitBySeed(int64_t examples, double fraction, uint64_t seed);

// The rows [begin, end) of a batch that belong to one logical shard.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

// Shard `shard` of `shards` of a batch of `rows`: [shard * rows / shards, (shard + 1) * rows /
// shards).
RowRange ShardRows(int64_t rows, int64_t shard, int64_t shards);

struct OrderOptions {
  int64_t examples = 0;         // Trained on; more than 0.
  int64_t batch_size = 0;       // More than 0.
  int64_t steps_per_epoch = 0;  // 0: one pass over the examples, the last partial batch included.
  int64_t epochs = 1;
  uint64_t seed = 0;
};

// Which example stands in which row of which step. With `steps_per_epoch` given, batches are always
// full and run on over the end of a pass, each pass in its own order; without it, an epoch is a
// pass.
class EpochOrder {
 public:
  explicit EpochOrder(const OrderOptions& options);

  int64_t steps_per_epoch() const { return steps_per_epoch_; }
  int64_t total_steps() const { return steps_per_epoch_ * epochs_; }
  // Steps count from 0 over all epochs.
  int64_t EpochOf(int64_t step) const { return step / steps_per_epoch_; }
  // Examples in the batch of `step`.
  int64_t BatchRows(int64_t step) const;
  // Writes the positions (in Split::train) of rows [rows.begin, rows.end) of the batch of `step`.
  void Rows(int64_t step, RowRange rows, uint32_t* positions) const;

 private:
  int64_t FirstPosition(int64_t step) const;

  int64_t examples_;
  int64_t batch_size_;
  int64_t steps_per_epoch_;
  int64_t epochs_;
  bool whole_passes_;
  uint64_t seed_;
};

}  // namespace octet
