// The one description of each kind: names, scope, fields, defaults, bounds, columns. Validation and
// defaulting walk it; discovery and Table columns are read from it. Pure.
//
// Beside Octet's own kinds the API serves some of Kubernetes', which its clients count on; they are
// described here in the same way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/object.h"
#include "shared/objects/schema.h"

namespace octet {

inline constexpr char kApiGroup[] = "octet.dev";
inline constexpr char kApiVersion[] = "octet.dev/v1";
// Of objects that do not name one; it is always there.
inline constexpr char kDefaultNamespace[] = "default";

struct Column {
  std::string name;  // "PHASE"
  // Dotted path in the whole object: "status.phase"; empty: the object itself.
  std::string path;
  std::string type = "string";  // string | integer | number | boolean | date (shown as an age)
  bool wide = false;            // Only with -o wide.
  // Makes the cell of the value at `path` (null where there is none); empty: the value is the cell.
  std::function<Value(const Value&)> cell{};
};

// A part of an object, or an act on it, with a path of its own.
struct Subresource {
  std::string name{};                // "scale"
  std::vector<std::string> verbs{};  // Sorted.
  // Of its document where that is another kind than the object; empty: the object itself.
  std::string group{};
  std::string version{};
  std::string kind{};
};

struct KindInfo {
  Kind kind;
  std::string name{};             // "TrainingJob"
  std::string plural{};           // "trainingjobs"
  std::string singular{};         // "trainingjob"
  std::string short_name{};       // "tj"; empty: none.
  std::string group = kApiGroup;  // Empty: the core group.
  std::string version = "v1";
  bool namespaced = false;
  // What clients may do, sorted, as discovery says it. Without "create": made by the coordinator.
  std::vector<std::string> verbs = {"create", "delete", "deletecollection", "get",
                                    "list",   "patch",  "update",           "watch"};
  std::vector<Subresource> subresources = {{.name = "status", .verbs = {"get"}}};
  // The kind has no spec: its members stand at the top of the document (a ConfigMap's data), and
  // `spec` below describes these.
  bool without_spec = false;
  bool has_status = true;
  // A view of the objects of another kind: it is never stored.
  std::optional<Kind> view_of{};
  // Beside metadata.name and metadata.namespace, which any kind may be selected by.
  std::vector<std::string> selectable_fields{};
  Schema spec{};  // Of the spec alone.
  std::vector<Column> columns{};
  // Defaults that need more than the spec; empty where there are none.
  std::function<void(Value& spec, const ObjectMeta& meta)> complete{};
  // Rules across fields, run once defaults are in, also where single fields have faults of their
  // own; empty where there are none.
  std::function<void(const Value& spec, Faults& faults)> rules{};
  Value initial_status{};  // Of a new object; null: none.

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  bool Takes(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view subresource) const;  // nullptr: none.
};

// Octet's own.
const std::vector<KindInfo>& AllKinds();
// All that the API serves: Octet's own, then Kubernetes'.
const std::vector<KindInfo>& ServedKinds();
const KindInfo& InfoOf(Kind kind);
// Of ServedKinds, by the words of a document; nullptr if there is none.
const KindInfo* FindServedKind(std::string_view api_version, std::string_view name);
// Of AllKinds, by kind, plural, singular or short name, in any case; nullptr if there is none.
const KindInfo* FindKind(std::string_view word);

// The longest name that an object of this kind may have: shorter than the 63 of a DNS label where
// longer names are made from it.
size_t NameBytesMax(Kind kind);

// A user's document to an Object with defaults filled in. Every fault is added to `faults`
// (apiVersion, kind, metadata, unknown fields, types, bounds, cross-field rules); the Object is
// meaningful only if none was. A missing namespace becomes "default"; one of a cluster-scoped kind
// is dropped, and so is a status. uid, resourceVersion, generation, creationTimestamp and
// finalizers are decoded, other metadata of the server's (managedFields, ownerReferences, …) is
// accepted and dropped. Faults are in the order of the text.
Object CheckDocument(const Value& document, Faults& faults);

}  // namespace octet
