#include "coordinator/controllers/loss.h"

#include "coordinator/controllers/session_end.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {
namespace {

// Why this part of a session cannot go on, or nothing.
std::optional<std::string> WhyLost(const ControlContext& context, const LiveSession& live,
                                   const BoardId& board, const BoardPart& part) {
  if (part.end) return std::nullopt;
  const FleetWorker* worker = context.fleet.FindPresent(board);
  if (worker == nullptr) {
    const std::string why = context.provider.Message(board);
    return "board " + board.str() + " was lost" + (why.empty() ? "" : ": " + why);
  }
  const bool holds = worker->hold && worker->hold->id == live.id;
  if (part.assigned && !holds) return "the worker of board " + board.str() + " was started anew";
  return std::nullopt;
}

void GiveUpLostBoards(ControlContext& context, MonotonicTime now) {
  std::vector<LastHeard> heard;
  for (const auto& [board, worker] : context.fleet.workers()) {
    if (!worker.present) continue;
    heard.push_back(
        {.board = board, .heard = worker.heard, .process_gone = context.gone.contains(board)});
  }
  const Detection detection = DetectLost(context.detector, heard, now);
  context.detector = detection.state;
  for (const BoardId& board : detection.lost) {
    const bool gone = context.gone.contains(board);
    LogWarning("board " + board.str() + " is lost: its process " +
               (gone ? std::string("has ended")
                     : "was not heard for " + FormatDuration(limits::kHeartbeatTimeout)));
    context.fleet.GiveUp(board, gone);
  }
  // Of a worker that was given up for its silence the end may be seen later.
  for (const BoardId& board : context.gone) context.fleet.GiveUp(board, /*gone=*/true);
}

// A session that has lost a board, with the time at which the board was last heard.
struct Loss {
  SessionUid session{};
  std::string message{};
  MonotonicTime heard{};
};

}  // namespace

void EndLostSessions(ControlContext& context) {
  const MonotonicTime now = context.clock.Monotonic();
  GiveUpLostBoards(context, now);
  std::vector<Loss> losses;
  for (auto& [uid, live] : context.live) {
    if (live.restarted) continue;
    for (auto& [board, part] : live.parts) {
      const std::optional<std::string> why = WhyLost(context, live, board, part);
      if (!why) continue;
      const bool present = context.fleet.FindPresent(board) != nullptr;
      if (live.ending && present) {
        // Asked to stop, it had nothing to stop.
        part.end.emplace().set_reason(control::STOPPED);
        continue;
      }
      const auto worker = context.fleet.workers().find(board);
      const bool known = worker != context.fleet.workers().end() && !present;
      losses.push_back(
          {.session = uid, .message = *why, .heard = known ? worker->second.heard : now});
      break;
    }
  }
  for (const Loss& loss : losses) {
    const LiveSession& live = context.live.at(loss.session);
    const Session& session = context.world.sessions().at(loss.session).typed;
    CloseSession(context, loss.session,
                 {.cause = live.ending ? SessionEndCause::kStopped : SessionEndCause::kBoardLost,
                  .message = live.ending ? live.ending->message : loss.message,
                  .elapsed = ElapsedAtLoss(session, live.timer, loss.heard)});
  }
}

}  // namespace octet
