// The quota ledger: who has used and reserved how many board-milliseconds, and what is left.
//
// A Ledger is a value built from the Session objects of one snapshot. It is never persisted, so it
// cannot disagree with them. Pure: no clock, no I/O, no logging. Copy it to simulate.
//
// An ended session has used [start, start + elapsed). An open one has used the same and reserves
// the rest of [start, start + grant); so what it holds against the quota does not depend on when
// one looks. Both are cut exactly at the weeks' ends. An elapsed time never counts past the grant.
//
// No overdraft: Offer() never offers what would take a week past its limit, whatever open sessions
// do. Sessions of the snapshot are always counted, even above a limit that was lowered since:
// running work is never forgotten, only new work is refused.
//
// With ChargeBy::kSession a session costs one board-millisecond each millisecond, whatever its
// size. Amounts saturate, and what is left is never negative. No session is longer than
// limits::kSessionLengthMax.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coordinator/quota/week.h"
#include "shared/base/ids.h"
#include "shared/base/reason.h"
#include "shared/base/status.h"
#include "shared/base/units.h"
#include "shared/objects/session.h"
#include "shared/objects/user_quota.h"

namespace octet {

// Codes of the reasons of Offer(), the weightiest first.
inline constexpr char kReasonUserBlocked[] = "UserBlocked";
// The job's minimum is longer than the user's session limit: it can never start.
inline constexpr char kReasonSessionLimit[] = "SessionLimitTooShort";
inline constexpr char kReasonWeeklyQuota[] = "WeeklyQuotaUsed";

struct Grant {
  Duration length{};  // The session ends by itself after it.
  ChargeBy charge_by = ChargeBy::kBoard;
  Boards charged_boards{};   // What one millisecond costs: the boards, or 1 by session.
  BoardMillis charge_max{};  // Reserved now; what is not used is given back at the end.
  bool operator==(const Grant&) const = default;
};

class Ledger {
 public:
  Ledger() = default;
  // A session that is listed twice counts once. Of two quotas for one user the first holds; a user
  // without one has the standard quota.
  Ledger(const std::vector<Session>& sessions, const std::vector<UserQuota>& quotas);

  // The longest session up to `asked` that `user` may start at `now` on `boards`: the least of
  // `asked`, the session limit, and what the week leaves after all other sessions divided by the
  // boards, counting each next week's fresh budget if the session would reach past the reset. If
  // that is shorter than `min_duration` (or `asked`, if that is less), all reasons. The Session
  // must then be written with start = `now` and this grant. `boards` > 0.
  Decision<Grant> Offer(const UserName& user, Boards boards, Duration asked, Duration min_duration,
                        TimePoint now) const;

  // Records the reservation of a session that starts at `now`. Reserving again for a session
  // replaces its record, so that a retried reconcile cannot count it twice. More than Offer()
  // allows, or a session that has ended, is kFailedPrecondition and changes nothing.
  Status Reserve(const SessionUid& session, const UserName& user, const Grant& grant,
                 TimePoint now);

  // Gives back what the session reserved and did not use: it lasted `elapsed` by the monotonic
  // clock, of which at most the grant counts. An unknown or ended session is kNotFound.
  Status End(const SessionUid& session, Duration elapsed);

  // Of one week. Used: ended sessions, and open ones until their last sign of life. Reserved: the
  // rest of the open ones' grants. Remaining: the limit less both, at least 0.
  BoardMillis Used(const UserName& user, Week week) const;
  BoardMillis Reserved(const UserName& user, Week week) const;
  BoardMillis Remaining(const UserName& user, Week week) const;

  UserQuotaSpec QuotaOf(const UserName& user) const;
  // What a user sees: the week of `now`.
  UserQuotaStatus StatusOf(const UserName& user, TimePoint now) const;
  // Everyone who has a quota or a session, in order.
  std::vector<UserName> Users() const;

 private:
  struct OpenSession {
    UserName user{};
    TimePoint start{};
    Duration grant{};
    Duration elapsed{};
    Boards charged_boards{};
  };
  struct Account {
    UserQuotaSpec quota{};
    std::map<Week, BoardMillis> used{};
    std::map<Week, BoardMillis> reserved{};
    int64_t open_sessions = 0;
  };

  // What the week still has: the limit less everything committed, at least 0.
  static BoardMillis Left(const Account& account, Week week);
  // The longest session from `start` on, up to `wanted`, that every week it touches can pay for.
  static Duration Longest(const Account& account, Boards charged_boards, TimePoint start,
                          Duration wanted);
  // The first start from `now` on at which a session of `needed` fits, if nothing else changes.
  static std::optional<TimePoint> NextChance(const Account& account, Boards charged_boards,
                                             Duration needed, TimePoint now);
  static std::string WeeklyQuotaMessage(const Account& account, Boards boards,
                                        Boards charged_boards, Duration needed,
                                        std::optional<TimePoint> next_chance, TimePoint now);
  // All reasons against a session of `needed` now.
  static std::vector<Reason> Against(const Account& account, Boards boards, Boards charged_boards,
                                     Duration needed, TimePoint now);

  const Account* FindAccount(const UserName& user) const;
  // With the standard quota if there is none yet.
  Account& AccountOf(const UserName& user);
  void Open(const SessionUid& uid, const OpenSession& session);
  void Forget(const SessionUid& uid);

  std::map<UserName, Account> accounts_;  // Ordered: iteration order is part of the result.
  std::map<SessionUid, OpenSession> open_;
  std::set<SessionUid> ended_;
};

// What a session has cost so far, by the name of the week ("2026-11-28"); sums to what the ledger
// counts as used. For EncodeSession.
std::map<std::string, BoardMillis> ChargeByWeek(const Session& session);
// The sum of it.
BoardMillis ChargeOf(const Session& session);
// Of all ended sessions of one job.
BoardMillis ChargedTo(const JobUid& job, const std::vector<Session>& sessions);

}  // namespace octet
