#include "coordinator/controllers/sessions.h"

#include <algorithm>
#include <set>

#include "coordinator/controllers/progress.h"
#include "coordinator/quota/ledger.h"
#include "shared/base/log.h"

namespace octet {
namespace {

// The first board, in order, that ended for this reason.
const control::AssignmentEnd* FindEnd(const LiveSession& live, control::EndReason reason) {
  for (const auto& [board, part] : live.parts) {
    if (part.end && part.end->reason() == reason) return &*part.end;
  }
  return nullptr;
}

bool AllEnded(const LiveSession& live) {
  return std::all_of(live.parts.begin(), live.parts.end(),
                     [](const auto& part) { return part.second.end.has_value(); });
}

// The boards of a former process's session whose workers have said what they do.
std::set<BoardId> BoardsBack(const LiveSession& live) {
  std::set<BoardId> back;
  for (const auto& [board, part] : live.parts) {
    if (part.acknowledged || part.end) back.insert(board);
  }
  return back;
}

// How the session ends now, or nothing.
std::optional<SessionClosing> ClosingNow(const ControlContext& context, const LiveSession& live) {
  const Session& session = context.world.sessions().at(live.uid).typed;
  const MonotonicTime now = context.clock.Monotonic();
  const Duration elapsed = ElapsedAt(session, live.timer, now);
  if (std::optional<SessionClosing> gang = GangEnd(live)) {
    gang->elapsed = elapsed;
    return gang;
  }
  if (context.world.FindJob(live.id.job) == nullptr) {
    return SessionClosing{
        .cause = SessionEndCause::kStopped, .message = "its job is gone", .elapsed = elapsed};
  }
  if (live.restarted) {
    const RestartVerdict verdict =
        JudgeAfterRestart(session, BoardsBack(live), *live.restarted, now);
    if (verdict != RestartVerdict::kEnd) return std::nullopt;
    const bool none_back = BoardsBack(live).empty();
    return SessionClosing{
        .cause = SessionEndCause::kCoordinatorRestarted,
        .message = "after the coordinator's restart not all of its workers came back",
        .elapsed = none_back ? EndAfterRestart(session).elapsed : elapsed};
  }
  const bool used_up = GrantUsedUp(session, live.timer, now);
  if (live.ending && (used_up || now >= live.ending->limit)) {
    return SessionClosing{
        .cause = SessionEndCause::kStopped, .message = live.ending->message, .elapsed = elapsed};
  }
  if (!used_up) return std::nullopt;
  return SessionClosing{.cause = SessionEndCause::kGrantReached, .elapsed = elapsed};
}

}  // namespace

std::optional<SessionClosing> GangEnd(const LiveSession& live) {
  const bool all = AllEnded(live);
  const auto leader = live.parts.find(live.leader);
  if (all && leader != live.parts.end() && leader->second.end->reason() == control::COMPLETED) {
    return SessionClosing{.cause = SessionEndCause::kCompleted,
                          .weights_sha256 = leader->second.end->weights_sha256()};
  }
  // One board that cannot go on stops the gang: the others wait for it in vain.
  if (const auto* failed = FindEnd(live, control::FAILED)) {
    return SessionClosing{.cause = SessionEndCause::kFailed, .message = failed->message()};
  }
  if (live.ending) {
    if (!all) return std::nullopt;
    return SessionClosing{.cause = SessionEndCause::kStopped, .message = live.ending->message};
  }
  if (const auto* interrupted = FindEnd(live, control::INTERRUPTED)) {
    return SessionClosing{.cause = SessionEndCause::kInterrupted,
                          .message = interrupted->message()};
  }
  if (!all) return std::nullopt;
  if (FindEnd(live, control::GRANT_REACHED) != nullptr) {
    return SessionClosing{.cause = SessionEndCause::kGrantReached};
  }
  return SessionClosing{.cause = SessionEndCause::kInterrupted,
                        .message = live.parts.begin()->second.end->message()};
}

void NoteEnd(ControlContext& context, const AssignmentEnded& event) {
  LiveSession* live = context.FindLive(event.id);
  if (live == nullptr || !live->parts.contains(event.board)) {
    context.fleet.AcknowledgeEnd(event.board, event.id);
    return;
  }
  BoardPart& part = live->parts[event.board];
  if (part.end) return;  // Sent again, since it is not acknowledged yet.
  part.end = event.end;
  if (!event.end.has_last()) return;
  NoteReport(context, {.board = event.board, .id = event.id, .report = event.end.last()});
}

void SignSessions(ControlContext& context) {
  const MonotonicTime now = context.clock.Monotonic();
  std::vector<Write> writes;
  for (const auto& [uid, live] : context.live) {
    const SessionEntry& entry = context.world.sessions().at(uid);
    if (live.restarted || !SignOfLifeDue(entry.typed, live.timer, now)) continue;
    const Session session = WithSignOfLife(entry.typed, live.timer, now);
    writes.push_back(UpdateObject{.object = EncodeSession(session, ChargeByWeek(session)),
                                  .expected_version = entry.object.meta.resource_version});
  }
  const Status status = context.Commit(writes);
  if (!status.ok()) context.Warn("signs of life: " + status.ToString());
}

void EndSessions(ControlContext& context) {
  const MonotonicTime now = context.clock.Monotonic();
  std::vector<std::pair<SessionUid, SessionClosing>> closings;
  for (auto& [uid, live] : context.live) {
    const Session& session = context.world.sessions().at(uid).typed;
    const auto closing = ClosingNow(context, live);
    if (closing) closings.emplace_back(uid, *closing);
    if (!closing && live.restarted &&
        JudgeAfterRestart(session, BoardsBack(live), *live.restarted, now) ==
            RestartVerdict::kKeep) {
      live.restarted.reset();
    }
  }
  for (const auto& [uid, closing] : closings) CloseSession(context, uid, closing);
}

}  // namespace octet
