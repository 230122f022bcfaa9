#include "coordinator/controllers/assignments.h"

#include <algorithm>

#include "coordinator/controllers/session_end.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// The message for one board, or nothing if a board of the gang has no worker (it will be found
// lost).
std::optional<control::Assign> MakeAssign(const ControlContext& context, const JobEntry& job,
                                          const Session& session, const LiveSession& live,
                                          size_t rank) {
  control::Assign assign;
  assign.set_fence(session.fence.value());
  assign.set_job_uid(session.job_uid.str());
  assign.set_job_namespace(job.typed.meta.ns);
  assign.set_job_name(job.typed.meta.name);
  assign.set_user(session.user.str());
  assign.set_session(session.meta.uid);
  assign.set_attempt(session.attempt);
  assign.set_rank(static_cast<uint32_t>(rank));
  for (const BoardId& board : session.boards) {
    const FleetWorker* worker = context.fleet.FindPresent(board);
    if (worker == nullptr) return std::nullopt;
    control::Peer* peer = assign.add_peers();
    peer->set_board(board.str());
    peer->set_data_endpoint(worker->data_endpoint);
  }
  assign.set_spec_json(WriteCanonicalJson(job.object.spec));
  assign.set_checkpoint_folder(JoinPath(context.home, "checkpoints/" + session.job_uid.str()));
  const Duration used = ElapsedAt(session, live.timer, context.clock.Monotonic());
  assign.set_grant_millis((session.grant - used).count());
  assign.set_grace_millis(std::min(job.typed.spec.grace_period, session.grant - used).count());
  return assign;
}

void AssignSession(ControlContext& context, LiveSession& live) {
  const SessionEntry& entry = context.world.sessions().at(live.uid);
  const JobEntry* job = context.world.FindJob(live.id.job);
  if (job == nullptr || live.ending || live.restarted) return;
  const std::vector<BoardId>& boards = entry.typed.boards;
  for (size_t rank = 0; rank < boards.size(); ++rank) {
    BoardPart& part = live.parts[boards[rank]];
    if (part.assigned || part.end) continue;
    const std::optional<control::Assign> assign =
        MakeAssign(context, *job, entry.typed, live, rank);
    if (!assign) return;
    const Status status = context.fleet.Assign(boards[rank], *assign, context.clock.Monotonic());
    if (status.ok()) part.assigned = true;
    // Otherwise the board still ends an older assignment: again at the next tick.
  }
}

// Whatever a worker holds that is no open session: one that ended, or of a store that was replaced.
void StopStrangers(ControlContext& context) {
  for (const auto& [board, worker] : context.fleet.workers()) {
    if (!worker.hold || context.FindLive(worker.hold->id) != nullptr) continue;
    context.fleet.Stop(board, worker.hold->id, Duration(0), "its session has ended",
                       context.clock.Monotonic());
  }
}

}  // namespace

void FollowOpenSessions(ControlContext& context, bool fresh) {
  const MonotonicTime now = context.clock.Monotonic();
  for (const auto& [job, uid] : context.world.open_sessions()) {
    if (context.live.contains(uid)) continue;
    const Session& session = context.world.sessions().at(uid).typed;
    LiveSession live{.uid = uid,
                     .id = {.job = job, .fence = session.fence},
                     .leader = session.boards.empty() ? BoardId() : session.boards.front(),
                     .timer = fresh ? ArmNew(now) : ArmAgain(session, context.clock.Now(), now),
                     .begun = now};
    if (!fresh) live.restarted = now;
    for (const BoardId& board : session.boards) live.parts[board] = BoardPart{};
    context.live.emplace(uid, std::move(live));
  }
  std::erase_if(context.live, [&](const auto& entry) {
    const auto open = context.world.open_sessions().find(entry.second.id.job);
    return open == context.world.open_sessions().end() || open->second != entry.first;
  });
}

void AssignBoards(ControlContext& context) {
  const MonotonicTime now = context.clock.Monotonic();
  std::vector<SessionUid> late;
  for (auto& [uid, live] : context.live) {
    AssignSession(context, live);
    const bool assembling = !live.restarted && !live.ending && !live.AllAcknowledged();
    if (assembling && now - live.begun >= limits::kAssignTimeout) late.push_back(uid);
  }
  for (const SessionUid& uid : late) {
    const Session& session = context.world.sessions().at(uid).typed;
    CloseSession(context, uid,
                 {.cause = SessionEndCause::kInterrupted,
                  .message = "not every worker took the job within " +
                             FormatDuration(limits::kAssignTimeout),
                  .elapsed = ElapsedAt(session, context.live.at(uid).timer, now)});
  }
  StopStrangers(context);
}

void NoteAnswer(ControlContext& context, const AssignAnswered& event) {
  LiveSession* live = context.FindLive(event.id);
  if (live == nullptr || !live->parts.contains(event.board)) return;
  BoardPart& part = live->parts[event.board];
  part.acknowledged = event.accepted;
  if (event.accepted) return;
  // The end of this board's part, as if it had begun and been interrupted.
  part.end.emplace();
  part.end->set_reason(control::INTERRUPTED);
  part.end->set_message(event.board.str() + " did not take the job: " + event.error);
}

void NoteRegistered(ControlContext& context, const WorkerRegistered& event) {
  context.gone.erase(event.board);
  if (!event.running) return;
  LiveSession* live = context.FindLive(*event.running);
  if (live == nullptr || !live->parts.contains(event.board)) return;
  BoardPart& part = live->parts[event.board];
  part.assigned = true;
  part.acknowledged = true;
  if (!live->restarted) return;
  const Session& session = context.world.sessions().at(live->uid).typed;
  const MonotonicTime now = context.clock.Monotonic();
  // The board that has run it for longest is right: the others took it later.
  const Duration longest = std::max(live->heard_elapsed, event.running_for);
  live->heard_elapsed = longest;
  live->timer = ArmFromWorker(session, longest, now);
  LogInfo("board " + event.board.str() + " goes on with session " + session.meta.name);
}

}  // namespace octet
