// PoolMap: the boards of one pool at their places, each free, held or out of use. A value; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/scheduler/free_blocks.h"
#include "coordinator/scheduler/scheduler.h"
#include "shared/base/ids.h"
#include "shared/objects/accelerator_type.h"

namespace octet {

struct BoardSlot {
  BoardId board{};
  bool free = false;
  // If a session holds it: the job, "default/digits", and when its grant ends, at the latest.
  std::string holder{};
  TimePoint held_until{};
  // If it is neither free nor held: why, "local-2 is Lost".
  std::string fault{};
};

struct PoolMap {
  PoolName name{};
  int version = 0;                 // Of its boards: 2 or 3.
  std::vector<BoardSlot> slots{};  // By ordinal; as many as the pool shall have.
  FreeBlocks blocks;
};

// Every pool of the snapshot, in its order. A board that belongs to none of them, or whose ordinal
// is past the wanted size of its pool, is left out: it is going away.
std::vector<PoolMap> MapPools(const ClusterSnapshot& snapshot, TimePoint now);

// Where one slice goes.
struct SliceChoice {
  size_t pool = 0;
  SlicePlace place{};
};

// Takes the boards of all slices of a job, each in the smallest free block of any pool of that
// version; or takes nothing.
std::optional<std::vector<SliceChoice>> TakeSlices(std::vector<PoolMap>& pools,
                                                   const AcceleratorType& type, int64_t slices);
void GiveBack(std::vector<PoolMap>& pools, const std::vector<SliceChoice>& choices);

// Marks boards that TakeSlices has taken as held by a job until then.
void HoldFor(std::vector<PoolMap>& pools, const std::vector<SliceChoice>& choices,
             const std::string& holder, TimePoint until);

// The boards of these choices in rank order.
std::vector<BoardId> BoardsAt(const std::vector<PoolMap>& pools,
                              const std::vector<SliceChoice>& choices);

// The reason for which these slices cannot be had now; nullopt if they can.
std::optional<Reason> BoardsReason(const std::vector<PoolMap>& pools, const AcceleratorType& type,
                                   int64_t slices, TimePoint now);

}  // namespace octet
