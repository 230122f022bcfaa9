#include "shared/base/limits.h"
#include "shared/objects/kind_tables.h"

namespace octet {

KindInfo DescribeSession() {
  KindInfo info{.kind = Kind::kSession,
                .name = "Session",
                .plural = "sessions",
                .singular = "session",
                .short_name = "ss",
                .namespaced = true,
                .verbs = {"get", "list", "watch"}};
  info.spec = {
      .type = FieldType::kMap,
      .doc = "One uninterrupted time for which a job held its boards. Made by the coordinator.",
      .fields = {
          {.name = "job", .type = FieldType::kString, .required = true, .bytes_min = 1},
          {.name = "jobUid", .type = FieldType::kString, .required = true},
          {.name = "user", .type = FieldType::kString, .required = true},
          {.name = "boards",
           .type = FieldType::kList,
           .doc = "In rank order.",
           .required = true,
           .items_max = limits::kSliceBoardsMax,
           .fields = {{.type = FieldType::kString, .bytes_min = 1}}},
          {.name = "chargeBy",
           .type = FieldType::kString,
           .default_value = Value("board"),
           .allowed = {"board", "session"}},
          {.name = "fence", .type = FieldType::kInt, .required = true, .minimum = 0},
          {.name = "attempt", .type = FieldType::kInt, .required = true, .minimum = 0},
          {.name = "start",
           .type = FieldType::kString,
           .doc = "Wall time; decides the week that is charged.",
           .required = true},
          {.name = "grant",
           .type = FieldType::kDuration,
           .doc = "The session ends by itself after it.",
           .required = true,
           .minimum = 0},
      }};
  info.selectable_fields = {"spec.user", "spec.job"};
  info.columns = {
      {.name = "NAME", .path = "metadata.name"},
      {.name = "JOB", .path = "spec.job"},
      {.name = "USER", .path = "spec.user"},
      {.name = "BOARDS", .path = "status.boardCount", .type = "integer"},
      {.name = "STARTED", .path = "spec.start"},
      {.name = "ELAPSED", .path = "status.elapsed"},
      {.name = "CHARGE", .path = "status.charge"},
      {.name = "REASON", .path = "status.endReason"},
      {.name = "HELD", .path = "spec.boards", .wide = true},
      {.name = "GRANT", .path = "spec.grant", .wide = true},
  };
  return info;
}

}  // namespace octet
