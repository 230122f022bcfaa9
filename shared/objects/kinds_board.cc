#include "shared/objects/kind_tables.h"

namespace octet {

KindInfo DescribeBoard() {
  KindInfo info{.kind = Kind::kBoard,
                .name = "Board",
                .plural = "boards",
                .singular = "board",
                .short_name = "bd",
                .verbs = {"get", "list", "patch", "update", "watch"}};
  info.spec = {.type = FieldType::kMap,
               .doc = "One worker as the cluster sees it. Made by the coordinator.",
               .fields = {
                   {.name = "pool",
                    .type = FieldType::kString,
                    .doc = "The SlicePool that it belongs to.",
                    .required = true,
                    .bytes_min = 1},
                   {.name = "ordinal",
                    .type = FieldType::kInt,
                    .doc = "Its number in the pool, from 0.",
                    .required = true,
                    .minimum = 0},
                   {.name = "unschedulable",
                    .type = FieldType::kBool,
                    .doc = "No new session takes it while this is true.",
                    .default_value = Value(false)},
               }};
  info.columns = {
      {.name = "NAME", .path = "metadata.name"},
      {.name = "POOL", .path = "spec.pool"},
      {.name = "STATE", .path = "status.state"},
      {.name = "JOB", .path = "status.job"},
      {.name = "MXU%", .path = "status.mxuPercent", .type = "number"},
      {.name = "IDLE%", .path = "status.idlePercent", .type = "number"},
      {.name = "AGE", .path = "metadata.creationTimestamp", .type = "date"},
      {.name = "HOST", .path = "status.host", .wide = true},
      {.name = "PID", .path = "status.pid", .type = "integer", .wide = true},
      {.name = "METRICS", .path = "status.metricsAddress", .wide = true},
      {.name = "MESSAGE", .path = "status.message", .wide = true},
  };
  return info;
}

}  // namespace octet
