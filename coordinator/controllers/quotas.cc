#include "coordinator/controllers/quotas.h"

#include <cstdlib>
#include <set>

#include "coordinator/quota/ledger.h"
#include "coordinator/quota/week.h"
#include "shared/base/log.h"

namespace octet {
namespace {

constexpr Duration kQuotaInterval = std::chrono::seconds(1);
constexpr Duration kRecountInterval = std::chrono::seconds(60);

std::vector<UserQuota> QuotasOf(const World& world) {
  std::vector<UserQuota> quotas;
  for (const auto& [name, entry] : world.quotas()) quotas.push_back(entry.typed);
  return quotas;
}

// The ledger of this week and the next: sessions that ended before it began weigh nothing.
Ledger LedgerOf(const World& world, TimePoint now) {
  std::vector<Session> sessions;
  for (const auto& [uid, entry] : world.sessions()) {
    if (!entry.typed.ended || entry.typed.end() > Week::Of(now).start())
      sessions.push_back(entry.typed);
  }
  return Ledger(sessions, QuotasOf(world));
}

// Who has a quota object, a job or a session of this week.
std::set<UserName> UsersOf(const World& world, TimePoint now) {
  std::set<UserName> users;
  for (const auto& [name, entry] : world.quotas()) users.insert(entry.typed.spec.user);
  for (const auto& [uid, entry] : world.jobs()) users.insert(entry.typed.spec.user);
  for (const auto& [uid, entry] : world.sessions()) {
    if (!entry.typed.ended || entry.typed.end() > Week::Of(now).start())
      users.insert(entry.typed.user);
  }
  return users;
}

BoardMillis Distance(BoardMillis a, BoardMillis b) { return a > b ? a - b : b - a; }

}  // namespace

BoardMillis RecountDifference(const World& world, TimePoint now) {
  const std::string week = Week::Of(now).Name();
  std::map<UserName, BoardMillis> used;
  std::map<JobUid, BoardMillis> charged;
  for (const auto& [uid, entry] : world.sessions()) {
    for (const auto& [name, amount] : ChargeByWeek(entry.typed)) {
      if (name == week) used[entry.typed.user] += amount;
      if (entry.typed.ended) charged[entry.typed.job_uid] += amount;
    }
  }
  BoardMillis difference;
  const Ledger ledger = LedgerOf(world, now);
  for (const UserName& user : UsersOf(world, now)) {
    difference += Distance(ledger.StatusOf(user, now).used, used[user]);
  }
  for (const auto& [uid, entry] : world.jobs()) {
    difference += Distance(entry.typed.status.charged, charged[uid]);
  }
  return difference;
}

void ShowQuotas(ControlContext& context) {
  const MonotonicTime monotonic = context.clock.Monotonic();
  const bool changed = context.world.version() != context.quota_version;
  if (!changed && monotonic < context.quota_due) return;
  context.quota_due = monotonic + kQuotaInterval;
  const TimePoint now = context.clock.Now();
  const Ledger ledger = LedgerOf(context.world, now);
  std::vector<Write> writes;
  for (const auto& [name, entry] : context.world.quotas()) {
    Value status = EncodeUserQuotaStatus(ledger.StatusOf(entry.typed.spec.user, now));
    if (status == entry.object.status) continue;
    writes.push_back(UpdateStatus(entry.object, std::move(status)));
  }
  const Status status = context.Commit(writes);
  context.quota_version = context.world.version();
  if (!status.ok() && !status.IsRetryable()) context.Warn("quotas: " + status.ToString());

  std::vector<UserUsage> usage;
  for (const UserName& user : UsersOf(context.world, now)) {
    const UserQuotaStatus figures = ledger.StatusOf(user, now);
    usage.push_back({.user = user.str(),
                     .used = figures.used,
                     .limit = BoardMillis(ledger.QuotaOf(user).weekly.count()),
                     .reserved = figures.reserved});
  }
  context.metrics.SetQuota(std::move(usage));
  if (monotonic >= context.recount_due) {
    context.recount_due = monotonic + kRecountInterval;
    const BoardMillis difference = RecountDifference(context.world, now);
    context.metrics.SetRecountDifference(difference);
    if (difference != BoardMillis(0)) {
      context.Warn("the recount of all sessions differs by " + std::to_string(difference.count()) +
                   " board-milliseconds from what is served");
    }
  }
}

}  // namespace octet
