#include "coordinator/scheduler/pool_map.h"

#include <algorithm>
#include <map>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

// What one board is to the scheduler, sessions aside.
BoardSlot SlotOf(const Board& board) {
  BoardSlot slot{.board = board.id()};
  if (board.meta.deleted) {
    slot.fault = board.meta.name + " is being removed";
  } else if (board.state != BoardState::kReady) {
    slot.fault = board.meta.name + " is " + std::string(BoardStateName(board.state));
  } else if (board.unschedulable) {
    slot.fault = board.meta.name + " is cordoned";
  } else {
    slot.free = true;
  }
  return slot;
}

std::vector<BoardSlot> EmptySlots(const PoolName& pool, int64_t size) {
  std::vector<BoardSlot> slots;
  for (int64_t ordinal = 0; ordinal < size; ++ordinal) {
    const std::string board = pool.str() + "-" + std::to_string(ordinal);
    slots.push_back({.board = BoardId(board), .fault = board + " has not registered"});
  }
  return slots;
}

std::vector<bool> FreeOf(const std::vector<BoardSlot>& slots) {
  std::vector<bool> free;
  for (const BoardSlot& slot : slots) free.push_back(slot.free);
  return free;
}

std::map<BoardId, const Session*> HoldersOf(const std::vector<Session>& sessions) {
  std::map<BoardId, const Session*> holders;
  for (const Session& session : sessions) {
    if (session.ended) continue;
    for (const BoardId& board : session.boards) holders.emplace(board, &session);
  }
  return holders;
}

void Hold(BoardSlot& slot, const Session& session, TimePoint now) {
  const Duration grant = std::clamp(session.grant, Duration(0), limits::kSessionLengthMax);
  slot.free = false;
  slot.fault.clear();
  slot.holder = session.meta.ns + "/" + session.job_name;
  // One that is overdue is about to end.
  slot.held_until = std::max(session.start + grant, now);
}

}  // namespace

std::vector<PoolMap> MapPools(const ClusterSnapshot& snapshot, TimePoint now) {
  const std::map<BoardId, const Session*> holders = HoldersOf(snapshot.sessions);
  std::map<PoolName, std::vector<const Board*>> boards;
  for (const Board& board : snapshot.boards) boards[board.pool].push_back(&board);
  std::vector<PoolMap> maps;
  for (const SlicePool& pool : snapshot.pools) {
    const AcceleratorType* type = FindAcceleratorType(pool.accelerator_type);
    if (type == nullptr || pool.meta.deleted) continue;
    const PoolName name(pool.meta.name);
    const int64_t size =
        std::clamp((type->boards() * pool.replicas).count(), int64_t{0}, limits::kPoolBoardsMax);
    std::vector<BoardSlot> slots = EmptySlots(name, size);
    for (const Board* board : boards[name]) {
      if (board->ordinal < 0 || board->ordinal >= size) continue;
      BoardSlot& slot = slots[static_cast<size_t>(board->ordinal)];
      slot = SlotOf(*board);
      const auto held = holders.find(slot.board);
      if (held != holders.end()) Hold(slot, *held->second, now);
    }
    FreeBlocks blocks(FreeOf(slots));
    maps.push_back({.name = name,
                    .version = type->version,
                    .slots = std::move(slots),
                    .blocks = std::move(blocks)});
  }
  return maps;
}

std::optional<std::vector<SliceChoice>> TakeSlices(std::vector<PoolMap>& pools,
                                                   const AcceleratorType& type, int64_t slices) {
  // Taking them one by one is complete: places of one size are the same or have no board in common.
  std::vector<SliceChoice> choices;
  for (int64_t slice = 0; slice < slices; ++slice) {
    std::optional<FreeBlocks::Found> best;
    size_t best_pool = 0;
    for (size_t i = 0; i < pools.size(); ++i) {
      if (pools[i].version != type.version) continue;
      const auto found = pools[i].blocks.Find(type.boards().count());
      if (!found || (best && best->block <= found->block)) continue;
      best = found;
      best_pool = i;
    }
    if (!best) {
      GiveBack(pools, choices);
      return std::nullopt;
    }
    pools[best_pool].blocks.Take(best->place);
    choices.push_back({.pool = best_pool, .place = best->place});
  }
  return choices;
}

void GiveBack(std::vector<PoolMap>& pools, const std::vector<SliceChoice>& choices) {
  for (const SliceChoice& choice : choices) pools[choice.pool].blocks.GiveBack(choice.place);
}

void HoldFor(std::vector<PoolMap>& pools, const std::vector<SliceChoice>& choices,
             const std::string& holder, TimePoint until) {
  for (const SliceChoice& choice : choices) {
    for (int64_t i = 0; i < choice.place.count; ++i) {
      BoardSlot& slot = pools[choice.pool].slots[static_cast<size_t>(choice.place.first + i)];
      slot.free = false;
      slot.holder = holder;
      slot.held_until = until;
    }
  }
}

std::vector<BoardId> BoardsAt(const std::vector<PoolMap>& pools,
                              const std::vector<SliceChoice>& choices) {
  std::vector<BoardId> boards;
  for (const SliceChoice& choice : choices) {
    for (int64_t i = 0; i < choice.place.count; ++i) {
      boards.push_back(pools[choice.pool].slots[static_cast<size_t>(choice.place.first + i)].board);
    }
  }
  return boards;
}

}  // namespace octet
