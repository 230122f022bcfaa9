#include "shared/objects/accelerator_type.h"
#include "shared/objects/kind_tables.h"

namespace octet {
namespace {

// The largest published slice has 256 boards; a pool of more than a thousand slices is a slip.
constexpr double kReplicasMax = 1024;

void CheckRules(const Value& spec, Faults& faults) {
  const Value* type = spec.Find("acceleratorType");
  if (type == nullptr || !type->is_string() || FindAcceleratorType(type->AsString()) != nullptr) {
    return;
  }
  faults.push_back({.path = "spec.acceleratorType",
                    .message = UnknownAcceleratorMessage(type->AsString()),
                    .position = type->position,
                    .reason = "FieldValueNotSupported"});
}

}  // namespace

KindInfo DescribeSlicePool() {
  KindInfo info{.kind = Kind::kSlicePool,
                .name = "SlicePool",
                .plural = "slicepools",
                .singular = "slicepool",
                .short_name = "sp"};
  info.spec = {.type = FieldType::kMap,
               .doc = "A set of equal slices that can be scaled.",
               .fields =
                   {
                       {.name = "acceleratorType",
                        .type = FieldType::kString,
                        .doc = "The type of one slice: v3-8 is one board, v3-32 is four.",
                        .default_value = Value("v3-8")},
                       {.name = "replicas",
                        .type = FieldType::kInt,
                        .doc = "Slices wanted.",
                        .required = true,
                        .minimum = 0,
                        .maximum = kReplicasMax},
                   },
               .not_yet = {"minReplicas", "maxReplicas", "min", "max", "autoscaling", "provider"}};
  info.columns = {
      {.name = "NAME", .path = "metadata.name"},
      {.name = "TYPE", .path = "spec.acceleratorType"},
      {.name = "REPLICAS", .path = "spec.replicas", .type = "integer"},
      {.name = "READY", .path = "status.ready"},
      {.name = "AGE", .path = "metadata.creationTimestamp", .type = "date"},
  };
  info.rules = CheckRules;
  info.subresources.push_back({.name = "scale",
                               .verbs = {"get", "patch", "update"},
                               .group = "autoscaling",
                               .version = "v1",
                               .kind = "Scale"});
  return info;
}

}  // namespace octet
