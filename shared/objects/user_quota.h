// UserQuota, typed: a user's limits, and what the ledger says of them. Values; pure.
#pragma once

#include <optional>

#include "shared/base/ids.h"
#include "shared/base/units.h"
#include "shared/objects/conditions.h"
#include "shared/objects/object.h"

namespace octet {

enum class ChargeBy { kBoard, kSession };
std::string_view ChargeByName(ChargeBy charge_by);  // "board", "session"

struct UserQuotaSpec {
  UserName user;
  Duration weekly{};   // Board-time (or session-time with ChargeBy::kSession) a week.
  Duration session{};  // Longest session.
  ChargeBy charge_by = ChargeBy::kBoard;
  bool blocked = false;
};

// The quota of a user without a UserQuota object: 30 h a week, 3 h a session.
UserQuotaSpec StandardQuota(const UserName& user);

struct UserQuotaStatus {
  BoardMillis used, reserved, remaining;
  TimePoint week_start{};
  TimePoint next_reset{};
};

struct UserQuota {
  ObjectMeta meta;
  UserQuotaSpec spec;
  UserQuotaStatus status;
};

Result<UserQuota> DecodeUserQuota(const Object& object);
// Each amount twice: `used: 1h 2m` for people and `usedMillis` exactly, of which only the second is
// read.
Value EncodeUserQuotaStatus(const UserQuotaStatus& status);

}  // namespace octet
