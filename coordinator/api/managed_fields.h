// Who owns which field of an object: Kubernetes' metadata.managedFields and server-side apply.
// Pure.
//
// A manager (a program, by name) owns the fields that it has set. An update takes what it changes
// from whoever had it. An apply says all that its manager wants: what the manager wanted before and
// wants no more is removed unless somebody else owns it too, and what another owns with another
// value is a conflict unless it is forced.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
#pragma once

#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/time.h"
#include "shared/objects/value.h"

namespace octet {

// Who writes, by which way.
struct FieldWriter {
  std::string manager;        // "kubectl-edit"
  std::string api_version;    // Of the document that is written: "octet.dev/v1".
  std::string subresource{};  // Through which it is written; empty: the object itself.
  TimePoint now{};
};

// The managedFields after `writer` has made `after` of `before` (null: it is new). `managed`: those
// of `before`; null: nobody's fields are known, and an update does not change that.
Value NoteUpdate(const Value& managed, const Value& before, const Value& after,
                 const FieldWriter& writer);

struct FieldConflict {
  std::string manager;  // `"kubectl-edit" using octet.dev/v1`
  std::string path;     // ".spec.priority"
};

struct AppliedFields {
  Value document;                          // `live` with what is applied.
  Value managed;                           // Its managedFields.
  std::vector<FieldConflict> conflicts{};  // If any, nothing of the above counts.
};

// What `applied` makes of `live` (null: it is new), whose managedFields are `managed`.
AppliedFields ApplyFields(const Value& live, const Value& managed, const Value& applied,
                          const FieldWriter& writer, bool force);

// "Apply failed with 1 conflict: conflict with "kubectl-edit" using octet.dev/v1: .spec.priority".
std::string ConflictMessage(const std::vector<FieldConflict>& conflicts);

// kInvalidArgument: longer than Kubernetes lets a name be, or not printable.
Status CheckManagerName(const std::string& manager);
// The name of a writer who does not give one: the program in its User-Agent header.
std::string ManagerOfUserAgent(const std::string& user_agent);

}  // namespace octet
