// Builders of quota objects for tests. Values.
#pragma once

#include <string>

#include "coordinator/quota/ledger.h"

namespace octet {

// "2026-12-05T00:00:00Z" or shorter; a bad one is the test's mistake.
inline TimePoint At(const std::string& text) { return ParseTime(text).value(); }

inline Session MakeSession(const std::string& uid, const std::string& user, int boards,
                           TimePoint start, Duration grant) {
  Session session;
  session.meta.uid = uid;
  session.meta.name = uid;
  session.meta.ns = "default";
  session.job_name = "job-" + uid;
  session.job_uid = JobUid("job-" + uid);
  session.user = UserName(user);
  for (int i = 0; i < boards; ++i) session.boards.emplace_back("local-" + std::to_string(i));
  session.start = start;
  session.grant = grant;
  return session;
}

inline Session Ended(Session session, Duration elapsed) {
  session.ended = true;
  session.elapsed = elapsed;
  session.end_reason = "Completed";
  return session;
}

inline Session Lasting(Session session, Duration elapsed) {
  session.elapsed = elapsed;
  return session;
}

inline UserQuota MakeQuota(const std::string& user, Duration weekly, Duration session) {
  UserQuota quota;
  quota.meta.name = user;
  quota.spec.user = UserName(user);
  quota.spec.weekly = weekly;
  quota.spec.session = session;
  return quota;
}

}  // namespace octet
