// FreeBlocks: which boards of one pool are free, as the blocks of a buddy system: block i of level
// k is the boards [i * 2^k, (i + 1) * 2^k), see topology.h. A value; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shared/tpu/topology.h"

namespace octet {

class FreeBlocks {
 public:
  // free[ordinal]; boards past the end are not.
  explicit FreeBlocks(const std::vector<bool>& free);

  struct Found {
    SlicePlace place{};
    int64_t block = 0;  // Boards of the largest wholly free block around it.
  };
  // A free place for `count` boards, a power of two: the first one of the smallest free block that
  // has room, so that larger blocks stay whole.
  std::optional<Found> Find(int64_t count) const;

  // Of boards that are all free.
  void Take(const SlicePlace& place);
  // Of boards that are all taken.
  void GiveBack(const SlicePlace& place);

  int64_t free() const { return levels_.back()[0]; }

 private:
  void Change(const SlicePlace& place, int64_t free_each);

  // levels_[k][i]: how many boards of that block are free.
  std::vector<std::vector<int64_t>> levels_;
};

}  // namespace octet
