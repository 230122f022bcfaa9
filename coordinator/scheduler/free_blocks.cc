#include "coordinator/scheduler/free_blocks.h"

#include "shared/base/check.h"

namespace octet {

FreeBlocks::FreeBlocks(const std::vector<bool>& free) {
  size_t size = 1;
  while (size < free.size()) size *= 2;
  std::vector<int64_t> level(size);
  for (size_t i = 0; i < free.size(); ++i) level[i] = free[i] ? 1 : 0;
  levels_.push_back(std::move(level));
  while (levels_.back().size() > 1) {
    const std::vector<int64_t>& below = levels_.back();
    std::vector<int64_t> above(below.size() / 2);
    for (size_t i = 0; i < above.size(); ++i) above[i] = below[2 * i] + below[2 * i + 1];
    levels_.push_back(std::move(above));
  }
}

std::optional<FreeBlocks::Found> FreeBlocks::Find(int64_t count) const {
  for (size_t k = 0; k < levels_.size(); ++k) {
    const int64_t block = int64_t{1} << k;
    if (block < count) continue;
    for (size_t i = 0; i < levels_[k].size(); ++i) {
      if (levels_[k][i] != block) continue;
      const bool part_of_larger = k + 1 < levels_.size() && levels_[k + 1][i / 2] == 2 * block;
      if (part_of_larger) continue;
      const int64_t first = static_cast<int64_t>(i) * block;
      return Found{.place = {.first = first, .count = count}, .block = block};
    }
  }
  return std::nullopt;
}

void FreeBlocks::Take(const SlicePlace& place) { Change(place, 0); }

void FreeBlocks::GiveBack(const SlicePlace& place) { Change(place, 1); }

void FreeBlocks::Change(const SlicePlace& place, int64_t free_each) {
  for (int64_t ordinal = place.first; ordinal < place.first + place.count; ++ordinal) {
    auto i = static_cast<size_t>(ordinal);
    CHECK(levels_[0].at(i) == 1 - free_each) << "board " << ordinal << " is so already";
    for (std::vector<int64_t>& level : levels_) {
      level[i] += 2 * free_each - 1;
      i /= 2;
    }
  }
}

}  // namespace octet
