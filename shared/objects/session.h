// Session, typed: the ledger's entry. One uninterrupted time for which a job held its boards.
// Written when the boards are taken, signed while they are held, closed once; never edited after
// its end.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/units.h"
#include "shared/objects/object.h"
#include "shared/objects/user_quota.h"

namespace octet {

struct Session {
  ObjectMeta meta;
  // Spec: fixed at the start.
  std::string job_name;
  JobUid job_uid;
  UserName user;
  std::vector<BoardId> boards;  // In rank order.
  ChargeBy charge_by = ChargeBy::kBoard;
  Fence fence;
  int64_t attempt = 0;
  TimePoint start{};  // Wall time: decides the week.
  Duration grant{};   // The session ends by itself after it.
  // Status.
  Duration elapsed{};  // By the monotonic clock, at the last sign of life or at the end.
  bool ended = false;
  std::string
      end_reason;  // Completed, GrantReached, Stopped, Failed, BoardLost, CoordinatorRestarted, …

  SessionUid uid() const { return SessionUid(meta.uid); }
  // What one millisecond of it costs: the boards, or 1 with ChargeBy::kSession.
  Boards charged_boards() const {
    return charge_by == ChargeBy::kBoard ? Boards(static_cast<int64_t>(boards.size())) : Boards(1);
  }
  // The wall time at which it ended (start + elapsed), by definition of elapsed.
  TimePoint end() const { return start + elapsed; }
};

Result<Session> DecodeSession(const Object& object);
// With meta.name, meta.ns and meta.uid set by the caller. `charge` is per week ("2026-11-28" is the
// day on which the week began), derived from start and elapsed. The status has `elapsed` and
// `charge` (the sum) as text for people, and `elapsedMillis`, `chargeMillis` and the map
// `chargeMillisByWeek` exactly; a charge is never read back. `end` and `endReason` are there once
// it has ended.
Object EncodeSession(const Session& session, const std::map<std::string, BoardMillis>& charge);

}  // namespace octet
