// Object: what the store keeps and the API serves: a kind, metadata, spec and status. The typed
// forms (TrainingJob, UserQuota, …) are decoded from it; see their headers. Values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "shared/base/status.h"
#include "shared/base/time.h"
#include "shared/objects/value.h"

namespace octet {

enum class Kind { kTrainingJob, kUserQuota, kSlicePool, kBoard, kSession };

struct ObjectMeta {
  std::string name;
  std::string ns;  // Empty for cluster-scoped kinds.
  std::string uid;
  int64_t resource_version = 0;  // Of the store, grows with every change of anything.
  int64_t generation = 0;        // Grows with every change of the spec.
  TimePoint created{};
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  // Names of other kinds' holders that must let go before the object disappears.
  std::vector<std::string> finalizers;
  std::optional<TimePoint> deleted;  // Deletion was asked for; finalizers still hold it.
};

struct Object {
  Kind kind = Kind::kTrainingJob;
  ObjectMeta meta;
  Value spec;    // A map.
  Value status;  // A map, or null before the first status.
};

// The whole object as users see it: apiVersion, kind, metadata, spec, status.
Value EncodeObject(const Object& object);
// The reverse, for stored or already checked documents: shape errors are kInvalidArgument.
Result<Object> DecodeObject(const Value& document);

}  // namespace octet
