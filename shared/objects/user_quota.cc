#include "shared/objects/user_quota.h"

#include "shared/base/limits.h"
#include "shared/objects/checked_spec.h"
#include "shared/objects/field_reader.h"

namespace octet {

std::string_view ChargeByName(ChargeBy charge_by) {
  return charge_by == ChargeBy::kBoard ? "board" : "session";
}

UserQuotaSpec StandardQuota(const UserName& user) {
  return {
      .user = user, .weekly = limits::kWeeklyQuotaDefault, .session = limits::kSessionQuotaDefault};
}

Result<UserQuota> DecodeUserQuota(const Object& object) {
  OCTET_ASSIGN_OR_RETURN(const Value checked, CheckedSpec(Kind::kUserQuota, object.spec));
  UserQuota quota{.meta = object.meta, .spec = {}, .status = {}};
  FieldReader spec(&checked, "spec");
  const std::string user = spec.String("user");
  quota.spec = {.user = UserName(user.empty() ? object.meta.name : user),
                .weekly = spec.DurationOf("weekly"),
                .session = spec.DurationOf("session"),
                .charge_by = spec.String("chargeBy") == ChargeByName(ChargeBy::kSession)
                                 ? ChargeBy::kSession
                                 : ChargeBy::kBoard,
                .blocked = spec.Bool("blocked")};
  OCTET_RETURN_IF_ERROR(spec.status());
  FieldReader status(&object.status, "status");
  quota.status = {.used = BoardMillis(status.Int("usedMillis")),
                  .reserved = BoardMillis(status.Int("reservedMillis")),
                  .remaining = BoardMillis(status.Int("remainingMillis")),
                  .week_start = status.Time("weekStart").value_or(TimePoint()),
                  .next_reset = status.Time("nextReset").value_or(TimePoint())};
  OCTET_RETURN_IF_ERROR(status.status());
  return quota;
}

Value EncodeUserQuotaStatus(const UserQuotaStatus& status) {
  Value value = Value::MakeMap();
  value.Set("used", FormatBoardTime(status.used));
  value.Set("usedMillis", status.used.count());
  value.Set("reserved", FormatBoardTime(status.reserved));
  value.Set("reservedMillis", status.reserved.count());
  value.Set("remaining", FormatBoardTime(status.remaining));
  value.Set("remainingMillis", status.remaining.count());
  value.Set("weekStart", FormatTime(status.week_start));
  value.Set("nextReset", FormatTime(status.next_reset));
  return value;
}

}  // namespace octet
