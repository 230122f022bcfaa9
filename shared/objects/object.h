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

enum class Kind {
  // Octet's own.
  kTrainingJob,
  kUserQuota,
  kSlicePool,
  kBoard,
  kSession,
  // Kubernetes' own, kept as its clients write them.
  kNamespace,
  kConfigMap,
  kSecret,
  kServiceAccount,
  kEvent,
  kLease,
  kRole,
  kClusterRole,
  kRoleBinding,
  kClusterRoleBinding,
  // Views of Octet's objects as Kubernetes' kinds: never stored.
  kNode,
  kPod,
};

// Whose dependent an object is: it goes when its last owner has gone.
struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;  // A foreground deletion of the owner waits for this object.
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

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
  std::string generate_name{};       // What the server made the name from; empty: a given name.
  std::vector<OwnerReference> owners{};
  Value managed_fields{};  // metadata.managedFields as it is on the wire; null: none.
};

struct Object {
  Kind kind = Kind::kTrainingJob;
  ObjectMeta meta;
  Value spec;    // A map. Of a kind without a spec (a ConfigMap): its other members.
  Value status;  // A map, or null before the first status.
};

// The members of a document of a kind without a spec that are its own. `document` must be a map.
Value BodyOf(const Value& document);
// The whole object as users see it: apiVersion, kind, metadata, spec, status.
Value EncodeObject(const Object& object);
// The reverse, for stored or already checked documents: shape errors are kInvalidArgument.
Result<Object> DecodeObject(const Value& document);

}  // namespace octet
