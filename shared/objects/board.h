// Board and SlicePool, typed. Values; pure.
#pragma once

#include <optional>
#include <string>

#include "shared/base/ids.h"
#include "shared/base/units.h"
#include "shared/objects/object.h"

namespace octet {

enum class BoardState { kStarting, kReady, kBusy, kLost };
std::string_view BoardStateName(BoardState state);

struct Board {
  ObjectMeta meta;
  // Spec.
  PoolName pool;
  int64_t ordinal = 0;
  bool unschedulable = false;
  // Status.
  BoardState state = BoardState::kStarting;
  int x = 0, y = 0;  // In its pool's torus.
  std::string host;
  int64_t pid = 0;
  std::string metrics_address;
  std::string data_endpoint;
  std::string job;                                  // namespace/name while busy.
  std::optional<double> mxu_percent, idle_percent;  // Absent: no sample.
  std::string message;

  BoardId id() const { return BoardId(meta.name); }
};

Result<Board> DecodeBoard(const Object& object);
Object EncodeBoard(const Board& board);

struct SlicePool {
  ObjectMeta meta;
  std::string accelerator_type = "v3-8";  // Of one slice.
  int64_t replicas = 0;                   // Slices.
  int64_t boards = 0;                     // Status: wanted boards.
  int64_t ready_boards = 0;               // Status.
};

Result<SlicePool> DecodeSlicePool(const Object& object);
// boards, readyBoards, readySlices (whole slices' worth of them), and for people `ready: 3/4`.
Value EncodeSlicePoolStatus(const SlicePool& pool);

}  // namespace octet
