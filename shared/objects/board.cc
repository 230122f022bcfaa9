#include "shared/objects/board.h"

#include <array>

#include "shared/objects/accelerator_type.h"
#include "shared/objects/checked_spec.h"
#include "shared/objects/field_reader.h"

namespace octet {
namespace {

// In the order of BoardState.
constexpr std::array<std::string_view, 4> kStateNames = {"Starting", "Ready", "Busy", "Lost"};

std::optional<BoardState> ParseBoardState(std::string_view name) {
  for (size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == name) return static_cast<BoardState>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view BoardStateName(BoardState state) {
  return kStateNames[static_cast<size_t>(state)];
}

Result<Board> DecodeBoard(const Object& object) {
  OCTET_ASSIGN_OR_RETURN(const Value checked, CheckedSpec(Kind::kBoard, object.spec));
  FieldReader spec(&checked, "spec");
  FieldReader status(&object.status, "status");
  const std::string state_name = status.String("state");
  const std::optional<BoardState> state = ParseBoardState(state_name);
  if (!state && !state_name.empty()) {
    return InvalidArgument("status.state: there is no state " + state_name);
  }
  Board board{.meta = object.meta,
              .pool = PoolName(spec.String("pool")),
              .ordinal = spec.Int("ordinal"),
              .unschedulable = spec.Bool("unschedulable"),
              .state = state.value_or(BoardState::kStarting),
              .x = static_cast<int>(status.Int("x")),
              .y = static_cast<int>(status.Int("y")),
              .host = status.String("host"),
              .pid = status.Int("pid"),
              .metrics_address = status.String("metricsAddress"),
              .data_endpoint = status.String("dataEndpoint"),
              .job = status.String("job"),
              .mxu_percent = status.Number("mxuPercent"),
              .idle_percent = status.Number("idlePercent"),
              .message = status.String("message")};
  OCTET_RETURN_IF_ERROR(spec.status());
  OCTET_RETURN_IF_ERROR(status.status());
  return board;
}

Object EncodeBoard(const Board& board) {
  Object object{.kind = Kind::kBoard, .meta = board.meta, .spec = Value::MakeMap(), .status = {}};
  object.spec.Set("pool", board.pool.str());
  object.spec.Set("ordinal", board.ordinal);
  object.spec.Set("unschedulable", board.unschedulable);
  Value& status = object.status;
  status.Set("state", BoardStateName(board.state));
  status.Set("x", board.x);
  status.Set("y", board.y);
  status.Set("host", board.host);
  status.Set("pid", board.pid);
  status.Set("metricsAddress", board.metrics_address);
  status.Set("dataEndpoint", board.data_endpoint);
  status.Set("job", board.job);
  if (board.mxu_percent) status.Set("mxuPercent", EncodeNumber(*board.mxu_percent));
  if (board.idle_percent) status.Set("idlePercent", EncodeNumber(*board.idle_percent));
  status.Set("message", board.message);
  return object;
}

Result<SlicePool> DecodeSlicePool(const Object& object) {
  OCTET_ASSIGN_OR_RETURN(const Value checked, CheckedSpec(Kind::kSlicePool, object.spec));
  FieldReader spec(&checked, "spec");
  FieldReader status(&object.status, "status");
  SlicePool pool{.meta = object.meta,
                 .accelerator_type = spec.String("acceleratorType"),
                 .replicas = spec.Int("replicas"),
                 .boards = status.Int("boards"),
                 .ready_boards = status.Int("readyBoards")};
  OCTET_RETURN_IF_ERROR(spec.status());
  OCTET_RETURN_IF_ERROR(status.status());
  return pool;
}

Value EncodeSlicePoolStatus(const SlicePool& pool) {
  Value status = Value::MakeMap();
  status.Set("boards", pool.boards);
  status.Set("readyBoards", pool.ready_boards);
  const AcceleratorType* type = FindAcceleratorType(pool.accelerator_type);
  if (type != nullptr) status.Set("readySlices", pool.ready_boards / type->boards().count());
  status.Set("ready", std::to_string(pool.ready_boards) + "/" + std::to_string(pool.boards));
  return status;
}

}  // namespace octet
