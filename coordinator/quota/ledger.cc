#include "coordinator/quota/ledger.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

// How long a session counts at most.
Duration CountedGrant(Duration grant) {
  return std::clamp(grant, Duration(0), limits::kSessionLengthMax);
}

Duration CountedElapsed(const Session& session) {
  return std::clamp(session.elapsed, Duration(0), CountedGrant(session.grant));
}

void Add(std::map<Week, BoardMillis>& amounts, TimePoint start, Duration length, Boards boards) {
  for (const WeekPart& part : SplitByWeek(start, length)) {
    amounts[part.week] += Charge(boards, part.length);
  }
}

// Undoes Add. Exact: a session of at most kSessionLengthMax on boards that exist is far from the
// ends of the range, so that no sum of recorded sessions has saturated.
void Remove(std::map<Week, BoardMillis>& amounts, TimePoint start, Duration length, Boards boards) {
  for (const WeekPart& part : SplitByWeek(start, length)) {
    amounts[part.week] -= Charge(boards, part.length);
  }
}

BoardMillis In(const std::map<Week, BoardMillis>& amounts, Week week) {
  const auto found = amounts.find(week);
  return found == amounts.end() ? BoardMillis() : found->second;
}

std::string Count(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Ledger::Ledger(const std::vector<Session>& sessions, const std::vector<UserQuota>& quotas) {
  for (const UserQuota& quota : quotas) {
    accounts_.try_emplace(quota.spec.user, Account{.quota = quota.spec});
  }
  for (const Session& session : sessions) {
    if (open_.contains(session.uid()) || ended_.contains(session.uid())) continue;
    Open(session.uid(), {.user = session.user,
                         .start = session.start,
                         .grant = CountedGrant(session.grant),
                         .elapsed = CountedElapsed(session),
                         .charged_boards = session.charged_boards()});
    if (session.ended) CHECK(End(session.uid(), session.elapsed).ok());
  }
}

const Ledger::Account* Ledger::FindAccount(const UserName& user) const {
  const auto found = accounts_.find(user);
  return found == accounts_.end() ? nullptr : &found->second;
}

Ledger::Account& Ledger::AccountOf(const UserName& user) {
  return accounts_.try_emplace(user, Account{.quota = StandardQuota(user)}).first->second;
}

void Ledger::Open(const SessionUid& uid, const OpenSession& session) {
  Account& account = AccountOf(session.user);
  Add(account.used, session.start, session.elapsed, session.charged_boards);
  Add(account.reserved, session.start + session.elapsed, session.grant - session.elapsed,
      session.charged_boards);
  ++account.open_sessions;
  open_[uid] = session;
}

void Ledger::Forget(const SessionUid& uid) {
  const OpenSession& session = open_.at(uid);
  Account& account = AccountOf(session.user);
  Remove(account.used, session.start, session.elapsed, session.charged_boards);
  Remove(account.reserved, session.start + session.elapsed, session.grant - session.elapsed,
         session.charged_boards);
  --account.open_sessions;
  open_.erase(uid);
}

BoardMillis Ledger::Left(const Account& account, Week week) {
  const BoardMillis left = BoardMillis(account.quota.weekly.count()) - In(account.used, week) -
                           In(account.reserved, week);
  return std::max(left, BoardMillis());
}

Duration Ledger::Longest(const Account& account, Boards charged_boards, TimePoint start,
                         Duration wanted) {
  Duration length{};
  for (const WeekPart& part : SplitByWeek(start, wanted)) {
    const Duration affordable(Left(account, part.week).count() / charged_boards.count());
    length += std::min(part.length, affordable);
    if (affordable < part.length) break;
  }
  return length;
}

std::optional<TimePoint> Ledger::NextChance(const Account& account, Boards charged_boards,
                                            Duration needed, TimePoint now) {
  // Within a week, starting later leaves less of it to be paid from it and more from the next one.
  // So if any start in a week will do, then so will either its first instant or the first one from
  // which the week pays for the rest of itself.
  const Week first = Week::Of(now);
  const Week last = Week::Of(now + limits::kSessionLengthMax + 2 * kWeekLength);
  for (Week week = first; week <= last; week = week.Next()) {
    const Duration affordable(Left(account, week).count() / charged_boards.count());
    const TimePoint opening = std::max(now, week.start());
    const TimePoint tail = week.end() - std::min(affordable, Duration(week.end() - opening));
    for (const TimePoint start : {opening, tail}) {
      if (start == week.end()) continue;  // The opening of the next one.
      if (Longest(account, charged_boards, start, needed) >= needed) return start;
    }
  }
  return std::nullopt;
}

std::string Ledger::WeeklyQuotaMessage(const Account& account, Boards boards, Boards charged_boards,
                                       Duration needed, std::optional<TimePoint> next_chance,
                                       TimePoint now) {
  const Week week = Week::Of(now);
  const BoardMillis limit(account.quota.weekly.count());
  std::string text = "weekly quota leaves " + FormatBoardTime(Left(account, week)) + " of " +
                     FormatBoardTime(limit);
  const BoardMillis reserved = In(account.reserved, week);
  if (reserved > BoardMillis()) {
    text += " (" + FormatBoardTime(reserved) + " reserved by " +
            Count(account.open_sessions, "open session") + ")";
  }
  text += "; the job needs at least " + FormatDuration(needed) + " on " +
          Count(boards.count(), "board");
  if (charged_boards > Boards(1)) {
    text += ", which is " + FormatBoardTime(Charge(charged_boards, needed));
  }
  text += "; resets " + FormatMoment(week.end());
  if (!next_chance) {
    text += "; no week will be enough for that";
  } else if (*next_chance != week.end()) {
    text += "; enough from " + FormatMoment(*next_chance);
  }
  return text;
}

std::vector<Reason> Ledger::Against(const Account& account, Boards boards, Boards charged_boards,
                                    Duration needed, TimePoint now) {
  std::vector<Reason> reasons;
  const UserQuotaSpec& quota = account.quota;
  if (quota.blocked) {
    reasons.push_back(
        {.scope = ReasonScope::kQuota,
         .code = kReasonUserBlocked,
         .message = "user " + quota.user.str() + " is blocked (spec.blocked of their UserQuota)"});
  }
  if (quota.session < needed) {
    reasons.push_back({.scope = ReasonScope::kQuota,
                       .code = kReasonSessionLimit,
                       .message = "sessions of " + quota.user.str() + " last at most " +
                                  FormatDuration(quota.session) + "; the job needs at least " +
                                  FormatDuration(needed) + " (spec.session.minDuration)"});
  }
  if (Longest(account, charged_boards, now, needed) < needed) {
    const auto next_chance = NextChance(account, charged_boards, needed, now);
    reasons.push_back(
        {.scope = ReasonScope::kQuota,
         .code = kReasonWeeklyQuota,
         .message = WeeklyQuotaMessage(account, boards, charged_boards, needed, next_chance, now),
         .next_chance = next_chance});
  }
  return reasons;
}

Decision<Grant> Ledger::Offer(const UserName& user, Boards boards, Duration asked,
                              Duration min_duration, TimePoint now) const {
  CHECK(boards > Boards()) << "a session on " << boards.count() << " boards";
  const Account* known = FindAccount(user);
  const Account fresh = known == nullptr ? Account{.quota = StandardQuota(user)} : Account{};
  const Account& account = known == nullptr ? fresh : *known;
  const Boards charged_boards = account.quota.charge_by == ChargeBy::kBoard ? boards : Boards(1);
  asked = std::clamp(asked, Duration(1), limits::kSessionLengthMax);
  const Duration needed = std::clamp(min_duration, Duration(1), asked);
  std::vector<Reason> reasons = Against(account, boards, charged_boards, needed, now);
  if (!reasons.empty()) return reasons;
  const Duration length =
      Longest(account, charged_boards, now, std::min(asked, account.quota.session));
  return Grant{.length = length,
               .charge_by = account.quota.charge_by,
               .charged_boards = charged_boards,
               .charge_max = Charge(charged_boards, length)};
}

Status Ledger::Reserve(const SessionUid& session, const UserName& user, const Grant& grant,
                       TimePoint now) {
  if (ended_.contains(session)) {
    return FailedPrecondition("session " + session.str() + " has ended");
  }
  CHECK(grant.charged_boards > Boards()) << "a grant without boards";
  const auto found = open_.find(session);
  const std::optional<OpenSession> before =
      found == open_.end() ? std::nullopt : std::optional(found->second);
  if (before) Forget(session);
  const Account& account = AccountOf(user);
  const Duration longest = std::min(account.quota.session, limits::kSessionLengthMax);
  if (account.quota.blocked || grant.length <= Duration(0) || grant.length > longest ||
      Longest(account, grant.charged_boards, now, grant.length) < grant.length) {
    if (before) Open(session, *before);
    return FailedPrecondition("the quota of " + user.str() + " does not allow " +
                              FormatDuration(grant.length) + " at " +
                              Count(grant.charged_boards.count(), "board"));
  }
  Open(session,
       {.user = user, .start = now, .grant = grant.length, .charged_boards = grant.charged_boards});
  return Ok();
}

Status Ledger::End(const SessionUid& session, Duration elapsed) {
  const auto found = open_.find(session);
  if (found == open_.end()) return NotFound("no open session " + session.str());
  const OpenSession ended = found->second;
  Forget(session);
  Add(AccountOf(ended.user).used, ended.start, std::clamp(elapsed, Duration(0), ended.grant),
      ended.charged_boards);
  ended_.insert(session);
  return Ok();
}

BoardMillis Ledger::Used(const UserName& user, Week week) const {
  const Account* account = FindAccount(user);
  return account == nullptr ? BoardMillis() : In(account->used, week);
}

BoardMillis Ledger::Reserved(const UserName& user, Week week) const {
  const Account* account = FindAccount(user);
  return account == nullptr ? BoardMillis() : In(account->reserved, week);
}

BoardMillis Ledger::Remaining(const UserName& user, Week week) const {
  const Account* account = FindAccount(user);
  return Left(account == nullptr ? Account{.quota = StandardQuota(user)} : *account, week);
}

UserQuotaSpec Ledger::QuotaOf(const UserName& user) const {
  const Account* account = FindAccount(user);
  return account == nullptr ? StandardQuota(user) : account->quota;
}

UserQuotaStatus Ledger::StatusOf(const UserName& user, TimePoint now) const {
  const Week week = Week::Of(now);
  return {.used = Used(user, week),
          .reserved = Reserved(user, week),
          .remaining = Remaining(user, week),
          .week_start = week.start(),
          .next_reset = week.end()};
}

std::vector<UserName> Ledger::Users() const {
  std::vector<UserName> users;
  for (const auto& [user, account] : accounts_) users.push_back(user);
  return users;
}

std::map<std::string, BoardMillis> ChargeByWeek(const Session& session) {
  std::map<std::string, BoardMillis> charge;
  for (const WeekPart& part : SplitByWeek(session.start, CountedElapsed(session))) {
    charge[part.week.Name()] = Charge(session.charged_boards(), part.length);
  }
  return charge;
}

BoardMillis ChargeOf(const Session& session) {
  return Charge(session.charged_boards(), CountedElapsed(session));
}

BoardMillis ChargedTo(const JobUid& job, const std::vector<Session>& sessions) {
  BoardMillis sum;
  for (const Session& session : sessions) {
    if (session.ended && session.job_uid == job) sum += ChargeOf(session);
  }
  return sum;
}

}  // namespace octet
