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
  std::string name;   // "PHASE"
  std::string path;   // Dotted path in the whole object: "status.phase".
  std::string type = "string";  // string | integer | number | boolean | date (shown as an age)
  bool wide = false;  // Only with -o wide.
};

struct KindInfo {
  Kind kind;
  std::string name;        // "TrainingJob"
  std::string plural;      // "trainingjobs"
  std::string singular;    // "trainingjob"
  std::string short_name;  // "tj"
  bool namespaced = false;
  bool user_writable = true;  // False: made by the coordinator only (Board, Session).
  Schema spec;             // Of the spec alone.
  std::vector<Column> columns;
  // Rules across fields, run after each field is right by itself and defaults are in.
  std::function<void(const Value& spec, Faults& faults)> rules;
};

const std::vector<KindInfo>& AllKinds();
const KindInfo& InfoOf(Kind kind);
// By kind, plural, singular or short name, in any case; nullptr if there is none.
const KindInfo* FindKind(std::string_view word);

// A user's document to an Object with defaults filled in. Every fault is added to `faults` (apiVersion,
// kind, metadata, unknown fields, types, bounds, cross-field rules); the Object is meaningful only if
// none was. A missing namespace becomes "default". A status in the document is dropped.
Object CheckDocument(const Value& document, Faults& faults);

}  // namespace octet
