// BoardsReason of pool_map.h: which boards a job lacks, in words and numbers.
#include <algorithm>
#include <map>
#include <tuple>

#include "coordinator/quota/week.h"
#include "coordinator/scheduler/pool_map.h"

namespace octet {
namespace {

// Holders and faults named in one message; after that, "and N more".
constexpr size_t kNamedMax = 6;

std::string Count(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "4 boards in one 2x2 rectangle", "2 slices of 1 board".
std::string WhatIsNeeded(const AcceleratorType& type, int64_t slices) {
  const int64_t boards = type.boards().count();
  std::string text = slices == 1 ? "" : Count(slices, "slice") + " of ";
  text += Count(boards, "board");
  if (boards > 1) {
    text += (slices == 1 ? " in one " : ", each in one ") + std::to_string(type.boards_x()) + "x" +
            std::to_string(type.boards_y()) + " rectangle";
  }
  return text;
}

// A place, with how far it is from being free.
struct Candidate {
  size_t pool = 0;
  SlicePlace place{};
  int64_t faults = 0;  // Boards of which nobody knows when they come back.
  int64_t held = 0;
  TimePoint free_at{};  // When the last session in it has ended, at the latest.
};

// The nearest to being free first.
bool Nearer(const Candidate& a, const Candidate& b) {
  return std::tuple(a.faults, a.free_at, a.held, a.pool, a.place.first) <
         std::tuple(b.faults, b.free_at, b.held, b.pool, b.place.first);
}

Candidate Judge(const PoolMap& pool, size_t index, const SlicePlace& place, TimePoint now) {
  Candidate candidate{.pool = index, .place = place, .free_at = now};
  for (int64_t i = 0; i < place.count; ++i) {
    const BoardSlot& slot = pool.slots[static_cast<size_t>(place.first + i)];
    if (!slot.fault.empty()) ++candidate.faults;
    if (slot.holder.empty()) continue;
    ++candidate.held;
    candidate.free_at = std::max(candidate.free_at, slot.held_until);
  }
  return candidate;
}

std::vector<Candidate> Candidates(const std::vector<PoolMap>& pools, const AcceleratorType& type,
                                  TimePoint now) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].version != type.version) continue;
    const Boards size(static_cast<int64_t>(pools[i].slots.size()));
    for (const SlicePlace& place : PlacesOf(type, size)) {
      candidates.push_back(Judge(pools[i], i, place, now));
    }
  }
  return candidates;
}

Reason NoPoolFits(const std::vector<PoolMap>& pools, const AcceleratorType& type, int64_t slices) {
  std::string text = "needs " + WhatIsNeeded(type, slices) + " of TPU v" +
                     std::to_string(type.version) + "; no pool is large enough";
  std::string known;
  for (const PoolMap& pool : pools) {
    known += (known.empty() ? ": " : ", ") + pool.name.str() + " has " +
             Count(static_cast<int64_t>(pool.slots.size()), "board") + " of v" +
             std::to_string(pool.version);
  }
  return {.scope = ReasonScope::kBoards,
          .code = kReasonNoPoolFits,
          .message = text + (known.empty() ? ": there is none" : known)};
}

// "3 free, 1 held by default/bert until 14:32 UTC, local-2 is Lost".
std::string Describe(const std::vector<PoolMap>& pools, const std::vector<Candidate>& chosen,
                     TimePoint now) {
  int64_t free = 0;
  std::map<std::pair<TimePoint, std::string>, int64_t> held;
  std::vector<std::string> named;
  for (const Candidate& candidate : chosen) {
    for (int64_t i = 0; i < candidate.place.count; ++i) {
      const BoardSlot& slot =
          pools[candidate.pool].slots[static_cast<size_t>(candidate.place.first + i)];
      if (slot.free) ++free;
      if (!slot.holder.empty()) ++held[{slot.held_until, slot.holder}];
      if (!slot.fault.empty()) named.push_back(slot.fault);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [holder, count] : held) {
    parts.push_back(std::to_string(count) + " held by " + holder.second + " until " +
                    FormatMoment(holder.first, now));
  }
  parts.insert(parts.end(), named.begin(), named.end());
  std::string text = std::to_string(free) + " free";
  for (size_t i = 0; i < parts.size() && i < kNamedMax; ++i) text += ", " + parts[i];
  if (parts.size() > kNamedMax) {
    text += " and " + std::to_string(parts.size() - kNamedMax) + " more";
  }
  return text;
}

}  // namespace

std::optional<Reason> BoardsReason(const std::vector<PoolMap>& pools, const AcceleratorType& type,
                                   int64_t slices, TimePoint now) {
  std::vector<Candidate> candidates = Candidates(pools, type, now);
  const auto wanted = static_cast<size_t>(slices);
  if (candidates.size() < wanted) return NoPoolFits(pools, type, slices);
  std::sort(candidates.begin(), candidates.end(), Nearer);
  candidates.resize(wanted);
  const bool free_now = std::all_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
    return c.faults == 0 && c.held == 0;
  });
  if (free_now) return std::nullopt;
  int64_t free = 0;
  int64_t all = 0;
  for (const PoolMap& pool : pools) {
    if (pool.version != type.version) continue;
    free += pool.blocks.free();
    all += static_cast<int64_t>(pool.slots.size());
  }
  std::string text = "needs " + WhatIsNeeded(type, slices) + "; ";
  if (all > type.boards().count() * slices) {
    text += std::to_string(free) + " of " + Count(all, "board") + " free; in the best place ";
  }
  Reason reason{.scope = ReasonScope::kBoards,
                .code = kReasonBoardsMissing,
                .message = text + Describe(pools, candidates, now)};
  const Candidate& last = candidates.back();
  if (last.faults == 0) reason.next_chance = last.free_at;
  return reason;
}

}  // namespace octet
