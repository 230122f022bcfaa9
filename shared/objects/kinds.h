// The one description of each kind: names, scope, fields, defaults, bounds, columns. Validation and
// defaulting walk it; discovery and Table columns are read from it. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/object.h"
#include "shared/objects/schema.h"

namespace octet {

inline constexpr char kApiGroup[] = "octet.dev";
inline constexpr char kApiVersion[] = "octet.dev/v1";

struct Column {
  std::string name;             // "PHASE"
  std::string path;             // Dotted path in the whole object: "status.phase".
  std::string type = "string";  // string | integer | number | boolean | date (shown as an age)
  bool wide = false;            // Only with -o wide.
};

struct KindInfo {
  Kind kind;
  std::string name{};        // "TrainingJob"
  std::string plural{};      // "trainingjobs"
  std::string singular{};    // "trainingjob"
  std::string short_name{};  // "tj"
  bool namespaced = false;
  bool user_writable = true;  // False: made by the coordinator only (Board, Session).
  Schema spec{};              // Of the spec alone.
  std::vector<Column> columns{};
  // Defaults that need more than the spec; empty where there are none.
  std::function<void(Value& spec, const ObjectMeta& meta)> complete{};
  // Rules across fields, run once defaults are in, also where single fields have faults of their
  // own; empty where there are none.
  std::function<void(const Value& spec, Faults& faults)> rules{};
};

const std::vector<KindInfo>& AllKinds();
const KindInfo& InfoOf(Kind kind);
// By kind, plural, singular or short name, in any case; nullptr if there is none.
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
