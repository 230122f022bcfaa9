#include "shared/base/limits.h"
#include "shared/objects/kind_tables.h"

namespace octet {
namespace {

constexpr double kSecond = 1000;
constexpr double kWeek = 7 * 24 * 3600 * kSecond;

// "30h", where the shortest text of the same would be "1d6h".
Value Hours(Duration duration) {
  return Value(std::to_string(std::chrono::floor<std::chrono::hours>(duration).count()) + "h");
}

// The week is fixed for now; stating it is allowed, another is not.
Schema WeekStartSchema() {
  return {.name = "weekStart",
          .type = FieldType::kMap,
          .doc = "When the quota's week begins. Only Saturday 00:00 UTC in this version.",
          .fields = {
              {.name = "weekday", .type = FieldType::kString, .allowed = {"Saturday"}},
              {.name = "hour", .type = FieldType::kInt, .minimum = 0, .maximum = 0},
              {.name = "offset", .type = FieldType::kString, .allowed = {"+00:00"}},
          }};
}

}  // namespace

KindInfo DescribeUserQuota() {
  KindInfo info{.kind = Kind::kUserQuota,
                .name = "UserQuota",
                .plural = "userquotas",
                .singular = "userquota",
                .short_name = "uq"};
  info.spec = {
      .type = FieldType::kMap,
      .doc = "What one user may use in a week and in one session.",
      .fields =
          {
              {.name = "user",
               .type = FieldType::kString,
               .doc = "The exact name of the user. Default: the object's name.",
               .bytes_min = 1,
               .bytes_max = 253},
              {.name = "weekly",
               .type = FieldType::kDuration,
               .doc = "Board-time a week: four boards for one hour use four hours.",
               .default_value = Hours(limits::kWeeklyQuotaDefault),
               .minimum = 0},
              {.name = "session",
               .type = FieldType::kDuration,
               .doc = "The longest session.",
               .default_value = Hours(limits::kSessionQuotaDefault),
               .minimum = kSecond,
               .maximum = kWeek},
              {.name = "chargeBy",
               .type = FieldType::kString,
               .doc =
                   "board: a session costs its length for each board; session: its length alone.",
               .default_value = Value("board"),
               .allowed = {"board", "session"}},
              {.name = "blocked",
               .type = FieldType::kBool,
               .doc = "No job of the user starts while this is true.",
               .default_value = Value(false)},
              WeekStartSchema(),
          },
      .not_yet = {"grants", "bonus", "concurrency", "maxConcurrent", "priorityMax", "quotaClass"}};
  info.columns = {
      {.name = "NAME", .path = "metadata.name"},
      {.name = "USER", .path = "spec.user"},
      {.name = "WEEKLY", .path = "spec.weekly"},
      {.name = "SESSION", .path = "spec.session"},
      {.name = "USED", .path = "status.used"},
      {.name = "RESERVED", .path = "status.reserved"},
      {.name = "REMAINING", .path = "status.remaining"},
      {.name = "RESETS", .path = "status.nextReset"},
  };
  info.complete = [](Value& spec, const ObjectMeta& meta) {
    if (spec.Find("user") == nullptr) spec.Set("user", meta.name);
  };
  return info;
}

}  // namespace octet
