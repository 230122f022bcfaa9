#include "coordinator/controllers/pools.h"

#include <algorithm>
#include <cmath>

#include "shared/base/log.h"
#include "shared/tpu/topology.h"

namespace octet {
namespace {

constexpr Duration kUsageInterval = std::chrono::seconds(2);

BoardId BoardName(const PoolName& pool, int64_t ordinal) {
  return BoardId(pool.str() + "-" + std::to_string(ordinal));
}

// The boards of all pools. Where workers come by themselves, one with a higher ordinal makes its
// pool larger: whoever scales the workers scales the pool.
std::map<BoardId, WantedBoard> WantedBoards(const ControlContext& context) {
  std::map<PoolName, int64_t> sizes;
  for (const auto& [name, entry] : context.world.pools()) sizes[name] = BoardsOf(entry.typed);
  if (context.provider.workers_come_by_themselves()) {
    for (const auto& [board, worker] : context.fleet.workers()) {
      const auto pool = sizes.find(worker.pool);
      const bool own_name = board == BoardName(worker.pool, worker.ordinal);
      if (!worker.present || pool == sizes.end() || !own_name) continue;
      pool->second = std::max(pool->second, worker.ordinal + 1);
    }
  }
  std::map<BoardId, WantedBoard> wanted;
  for (const auto& [pool, size] : sizes) {
    for (int64_t ordinal = 0; ordinal < size; ++ordinal) {
      const BoardId board = BoardName(pool, ordinal);
      wanted[board] = {.board = board, .pool = pool, .ordinal = ordinal};
    }
  }
  return wanted;
}

// The job that has the board in its session, as namespace/name.
std::map<BoardId, std::string> Holders(const World& world) {
  std::map<BoardId, std::string> holders;
  for (const auto& [job, uid] : world.open_sessions()) {
    const Session& session = world.sessions().at(uid).typed;
    for (const BoardId& board : session.boards) {
      holders[board] = session.meta.ns + "/" + session.job_name;
    }
  }
  return holders;
}

// Tenths of a percent: finer would change with every heartbeat.
double Rounded(double percent) { return std::round(percent * 10) / 10; }

void FillFromWorker(const FleetWorker& worker, Board& board) {
  board.host = worker.host;
  board.pid = worker.pid;
  board.metrics_address = worker.metrics_address;
  board.data_endpoint = worker.data_endpoint;
  board.mxu_percent.reset();
  board.idle_percent.reset();
  if (worker.usage && worker.usage->has_sample()) {
    board.mxu_percent = Rounded(worker.usage->mxu_percent());
    board.idle_percent = Rounded(worker.usage->idle_percent());
  }
}

Board BoardNow(const ControlContext& context, const WantedBoard& wanted, Board board,
               const std::string& holder) {
  const auto found = context.fleet.workers().find(wanted.board);
  const bool known = found != context.fleet.workers().end();
  const bool present = known && found->second.present;
  const bool busy = !holder.empty() || (known && found->second.hold.has_value());
  const Coordinates at = CoordinatesOf(wanted.ordinal);
  board.x = at.x;
  board.y = at.y;
  board.job = holder;
  board.message = context.provider.Message(wanted.board);
  if (known) FillFromWorker(found->second, board);
  if (present) {
    board.state = busy ? BoardState::kBusy : BoardState::kReady;
    if (busy && holder.empty()) board.message = "its worker is ending an earlier session";
  } else if (known) {
    board.state = BoardState::kLost;
    if (board.message.empty()) board.message = "its worker does not answer";
  } else {
    board.state = BoardState::kStarting;
  }
  return board;
}

bool SameButUsage(const Value& a, const Value& b) {
  Value left = a;
  Value right = b;
  for (const char* field : {"mxuPercent", "idlePercent"}) {
    left.Erase(field);
    right.Erase(field);
  }
  return left == right;
}

// The write that makes the board's object what it should be, if any.
std::optional<Write> ShowBoard(ControlContext& context, const WantedBoard& wanted,
                               const std::string& holder, bool with_usage) {
  const auto found = context.world.boards().find(wanted.board);
  if (found == context.world.boards().end()) {
    Board board;
    board.meta.name = wanted.board.str();
    board.meta.uid = context.NewUid();
    board.meta.created = context.clock.Now();
    board.pool = wanted.pool;
    board.ordinal = wanted.ordinal;
    return CreateObject{EncodeBoard(BoardNow(context, wanted, board, holder))};
  }
  const Object& before = found->second.object;
  const Object after = EncodeBoard(BoardNow(context, wanted, found->second.typed, holder));
  const bool same =
      with_usage ? after.status == before.status : SameButUsage(after.status, before.status);
  if (same) return std::nullopt;
  return UpdateStatus(before, after.status);
}

void AppendPools(const ControlContext& context, const std::map<BoardId, WantedBoard>& wanted,
                 std::vector<Write>& writes) {
  for (const auto& [name, entry] : context.world.pools()) {
    SlicePool pool = entry.typed;
    pool.boards = 0;
    pool.ready_boards = 0;
    for (const auto& [id, board] : wanted) {
      if (board.pool != name) continue;
      ++pool.boards;
      if (context.fleet.FindPresent(id) != nullptr) ++pool.ready_boards;
    }
    Value status = EncodeSlicePoolStatus(pool);
    if (!(status == entry.object.status)) {
      writes.push_back(UpdateStatus(entry.object, std::move(status)));
    }
  }
}

}  // namespace

int64_t BoardsOf(const SlicePool& pool) {
  const AcceleratorType* type = FindAcceleratorType(pool.accelerator_type);
  return type == nullptr ? 0 : (type->boards() * pool.replicas).count();
}

void FollowPools(ControlContext& context) {
  std::vector<WantedBoard> wanted;
  if (!context.draining) {
    for (const auto& [id, board] : WantedBoards(context)) wanted.push_back(board);
  }
  context.provider.SetWanted(wanted);
  for (const WorkerExit& exit : context.provider.OnTick(context.clock.Monotonic())) {
    const auto worker = context.fleet.workers().find(exit.board);
    if (worker == context.fleet.workers().end()) continue;
    if (exit.pid != 0 && worker->second.pid != exit.pid) continue;  // One before this one.
    context.gone.insert(exit.board);
  }
}

void ShowBoards(ControlContext& context) {
  const std::map<BoardId, WantedBoard> wanted = WantedBoards(context);
  std::map<BoardId, std::string> holders = Holders(context.world);
  const MonotonicTime now = context.clock.Monotonic();
  const bool with_usage = now >= context.usage_due;
  if (with_usage) context.usage_due = now + kUsageInterval;
  std::vector<Write> writes;
  for (const auto& [id, board] : wanted) {
    if (auto write = ShowBoard(context, board, holders[id], with_usage)) writes.push_back(*write);
  }
  const std::vector<BoardId> running = context.provider.Running();
  for (const auto& [id, entry] : context.world.boards()) {
    const bool in_use =
        holders.contains(id) || std::binary_search(running.begin(), running.end(), id);
    if (wanted.contains(id) || in_use) continue;
    context.fleet.Remove(id);
    context.gone.erase(id);
    writes.push_back(DeleteObject{.key = KeyOf(entry.object), .uid = entry.object.meta.uid});
  }
  AppendPools(context, wanted, writes);
  const Status status = context.Commit(writes);
  if (!status.ok() && !status.IsRetryable()) context.Warn("boards: " + status.ToString());
}

}  // namespace octet
