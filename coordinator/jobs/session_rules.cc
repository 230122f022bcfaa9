#include "coordinator/jobs/session_rules.h"

#include <algorithm>

#include "shared/base/limits.h"

namespace octet {
namespace {

// What counts of a grant; nothing offers more.
Duration GrantOf(const Session& session) {
  return std::clamp(session.grant, Duration(0), limits::kSessionLengthMax);
}

// Not less than the last sign of life, not more than the grant.
Duration Believable(const Session& session, Duration elapsed) {
  const Duration grant = GrantOf(session);
  return std::clamp(elapsed, std::clamp(session.elapsed, Duration(0), grant), grant);
}

}  // namespace

SessionTimer ArmNew(MonotonicTime now) { return {.armed = now}; }

SessionTimer ArmAgain(const Session& session, TimePoint wall_now, MonotonicTime now) {
  return {.armed = now, .elapsed = Believable(session, wall_now - session.start)};
}

SessionTimer ArmFromWorker(const Session& session, Duration worker_elapsed, MonotonicTime now) {
  return {.armed = now, .elapsed = Believable(session, worker_elapsed)};
}

Duration ElapsedAt(const Session& session, const SessionTimer& timer, MonotonicTime now) {
  const auto since_armed = std::chrono::floor<Duration>(now - timer.armed);
  return std::clamp(timer.elapsed + since_armed, Duration(0), GrantOf(session));
}

bool GrantUsedUp(const Session& session, const SessionTimer& timer, MonotonicTime now) {
  return ElapsedAt(session, timer, now) >= GrantOf(session);
}

MonotonicTime GrantEnd(const Session& session, const SessionTimer& timer) {
  return timer.armed + std::max(GrantOf(session) - timer.elapsed, Duration(0));
}

bool SignOfLifeDue(const Session& session, const SessionTimer& timer, MonotonicTime now) {
  return !session.ended &&
         ElapsedAt(session, timer, now) - session.elapsed >= limits::kSignOfLifeInterval;
}

Session WithSignOfLife(const Session& session, const SessionTimer& timer, MonotonicTime now) {
  Session signed_session = session;
  if (!session.ended) {
    signed_session.elapsed = std::max(session.elapsed, ElapsedAt(session, timer, now));
  }
  return signed_session;
}

Session EndedSession(const Session& session, SessionEndCause cause, Duration elapsed) {
  Session ended = session;
  if (session.ended) return ended;
  ended.ended = true;
  ended.end_reason = SessionEndCauseName(cause);
  ended.elapsed = std::clamp(elapsed, Duration(0), GrantOf(session));
  return ended;
}

Duration ElapsedAtLoss(const Session& session, const SessionTimer& timer, MonotonicTime heard) {
  return ElapsedAt(session, timer, heard);
}

RestartVerdict JudgeAfterRestart(const Session& session, const std::set<BoardId>& back,
                                 MonotonicTime restarted, MonotonicTime now) {
  const bool all_back = std::all_of(session.boards.begin(), session.boards.end(),
                                    [&back](const BoardId& board) { return back.contains(board); });
  if (all_back) return RestartVerdict::kKeep;
  return now - restarted < limits::kReconnectWindow ? RestartVerdict::kWait : RestartVerdict::kEnd;
}

Session EndAfterRestart(const Session& session) {
  return EndedSession(session, SessionEndCause::kCoordinatorRestarted, session.elapsed);
}

}  // namespace octet
