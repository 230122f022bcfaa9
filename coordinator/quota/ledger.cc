#include "coordinator/quota/ledger.h"

#include <algorithm>
#include <utility>

namespace octet {
namespace {

Boards ChargedBoards(const UserQuotaSpec& quota, Boards boards) {
  return quota.charge_by == ChargeBy::kBoard ? boards : Boards(1);
}

BoardMillis Limit(const UserQuotaSpec& quota) { return BoardMillis(quota.weekly.count()); }

// "4 boards", "1 board".
std::string Count(Boards boards) {
  return std::to_string(boards.count()) + (boards == Boards(1) ? " board" : " boards");
}

}  // namespace

Ledger::Ledger(const std::vector<Session>& sessions, const std::vector<UserQuota>& quotas) {
  for (const UserQuota& quota : quotas) quotas_[quota.spec.user] = quota.spec;
  for (const Session& session : sessions) entries_[session.uid()] = EntryOf(session);
}

Ledger::Entry Ledger::EntryOf(const Session& session) {
  return {.user = session.user,
          .boards = session.charged_boards(),
          .start = session.start,
          .grant = session.grant,
          .elapsed = session.elapsed,
          .ended = session.ended};
}

UserQuotaSpec Ledger::QuotaOf(const UserName& user) const {
  const auto found = quotas_.find(user);
  return found == quotas_.end() ? StandardQuota(user) : found->second;
}

BoardMillis Ledger::Committed(const UserName& user, TimePoint week,
                              const SessionUid& except) const {
  BoardMillis sum;
  for (const auto& [uid, entry] : entries_) {
    if (entry.user != user || uid == except) continue;
    for (const WeekPart& part : SplitByWeek(entry.start, entry.committed())) {
      if (part.week == week) sum += Charge(entry.boards, part.length);
    }
  }
  return sum;
}

BoardMillis Ledger::Used(const UserName& user, TimePoint week) const {
  BoardMillis sum;
  for (const auto& [uid, entry] : entries_) {
    if (entry.user != user) continue;
    for (const WeekPart& part : SplitByWeek(entry.start, entry.elapsed)) {
      if (part.week == week) sum += Charge(entry.boards, part.length);
    }
  }
  return sum;
}

Duration Ledger::LongestWithin(const UserQuotaSpec& quota, Boards boards, Duration wanted,
                               TimePoint now, const SessionUid& except) const {
  Duration length{};
  // A session that uses a week up ends there; one that reaches the reset goes on in the next.
  for (const WeekPart& part : SplitByWeek(now, wanted)) {
    const BoardMillis left = Limit(quota) - Committed(quota.user, part.week, except);
    const int64_t affordable = std::max<int64_t>(left.count(), 0) / boards.count();
    const Duration in_week = std::min(part.length, Duration(affordable));
    length += in_week;
    if (in_week < part.length) break;
  }
  return length;
}

Decision<Grant> Ledger::Offer(const QuotaRequest& request, TimePoint now) const {
  CHECK(request.boards > Boards(0)) << "a session without boards";
  UserQuotaSpec quota = QuotaOf(request.user);
  quota.user = request.user;
  if (quota.blocked) {
    return Reason{"UserBlocked", "user " + request.user.str() + " is blocked by an administrator",
                  std::nullopt};
  }
  const Duration least = std::min(request.least, request.asked);
  if (quota.session < least) {
    return Reason{"SessionLimitTooShort",
                  "a session of at least " + FormatDuration(least) + " is wanted, and " +
                      request.user.str() + " may have sessions of " +
                      FormatDuration(quota.session) + " at most; lower session.minDuration",
                  std::nullopt};
  }
  const Boards boards = ChargedBoards(quota, request.boards);
  if (Charge(boards, least) > Limit(quota)) {
    return Reason{"LargerThanWeeklyQuota",
                  "at least " + FormatDuration(least) + " on " + Count(request.boards) + " cost " +
                      FormatBoardTime(Charge(boards, least)) + ", more than the " +
                      FormatBoardTime(Limit(quota)) + " that " + request.user.str() +
                      " has in a whole week",
                  std::nullopt};
  }
  const Duration wanted = std::min(request.asked, quota.session);
  const Duration length = LongestWithin(quota, boards, wanted, now, SessionUid());
  if (length < least || length <= Duration(0)) {
    const UserQuotaStatus status = StatusOf(request.user, now);
    return Reason{
        "WeeklyQuotaUsedUp",
        "the weekly quota of " + request.user.str() + " leaves " +
            FormatBoardTime(status.remaining) + " of " + FormatBoardTime(Limit(quota)) + " (used " +
            FormatBoardTime(status.used) + ", reserved " + FormatBoardTime(status.reserved) +
            "); at least " + FormatDuration(least) + " on " + Count(request.boards) + " cost " +
            FormatBoardTime(Charge(boards, least)) + "; it resets " + FormatTime(status.next_reset),
        status.next_reset};
  }
  return Grant{.length = length, .charge_max = Charge(boards, length)};
}

Status Ledger::Reserve(const Session& session) {
  CHECK(!session.ended) << "an ended session reserves nothing";
  UserQuotaSpec quota = QuotaOf(session.user);
  quota.user = session.user;
  const Duration allowed =
      LongestWithin(quota, session.charged_boards(), std::min(session.grant, quota.session),
                    session.start, session.uid());
  if (quota.blocked || allowed < session.grant) {
    return FailedPrecondition("session " + session.meta.name + " wants " +
                              FormatDuration(session.grant) + " and may have " +
                              FormatDuration(quota.blocked ? Duration(0) : allowed));
  }
  entries_[session.uid()] = EntryOf(session);
  return Ok();
}

Status Ledger::End(const SessionUid& session, Duration elapsed) {
  const auto found = entries_.find(session);
  if (found == entries_.end() || found->second.ended) {
    return NotFound("no open session " + session.str());
  }
  found->second.ended = true;
  found->second.elapsed = elapsed;
  return Ok();
}

UserQuotaStatus Ledger::StatusOf(const UserName& user, TimePoint now) const {
  const TimePoint week = WeekStart(now);
  UserQuotaStatus status{.used = Used(user, week),
                         .reserved = {},
                         .remaining = {},
                         .week_start = week,
                         .next_reset = week + kWeek};
  const BoardMillis committed = Committed(user, week, SessionUid());
  status.reserved = committed - status.used;
  status.remaining = std::max(Limit(QuotaOf(user)) - committed, BoardMillis(0));
  return status;
}

std::map<std::string, BoardMillis> ChargeByWeek(const Session& session) {
  std::map<std::string, BoardMillis> charge;
  for (const WeekPart& part : SplitByWeek(session.start, session.elapsed)) {
    charge[WeekName(part.week)] += Charge(session.charged_boards(), part.length);
  }
  return charge;
}

}  // namespace octet
