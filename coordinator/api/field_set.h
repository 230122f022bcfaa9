// FieldSet: a set of fields of a document, as Kubernetes' managedFields write it (FieldsV1). Pure.
//
// A field is a path of keys from the root: "f:NAME" of a member of a map, `k:{"uid":"…"}` of an
// item of a list that is keyed by one of its members, `v:"x"` of a value of a list that is a set.
// Other lists are one field, whole. A map can be a field by itself, beside its members: then its
// node has
// "." (and a node without children is always a field).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/objects/value.h"

namespace octet {

class FieldSet {
 public:
  // Every field that `document` sets, the parts that servers own (kind, name, uid, version, …) left
  // out.
  static FieldSet Of(const Value& document);
  // The fields that `after` has and that are missing or different in `before`; a map that is new is
  // itself one of them. `before` null: all.
  static FieldSet Changed(const Value& before, const Value& after);
  // kInvalidArgument: no FieldsV1.
  static Result<FieldSet> Decode(const Value& fields);
  Value Encode() const;

  bool empty() const { return !member_ && children_.empty(); }
  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  FieldSet Difference(const FieldSet& other) const;
  // ".spec.priority", `.metadata.finalizers[="x"]`: each field, in order.
  std::vector<std::string> Paths() const;
  // `document` without these fields, and without maps that become empty by that.
  Value RemovedFrom(Value document) const;

  friend bool operator==(const FieldSet& a, const FieldSet& b) = default;

 private:
  void AddPaths(const std::string& prefix, std::vector<std::string>& paths) const;
  void AddFields(const Value* before, const Value& after, const std::string& path, bool changes);
  // Adds `key` and what is under it, if that is any field.
  void Adopt(const std::string& key, FieldSet child);

  bool member_ = false;  // The path to this node is itself a field.
  std::map<std::string, FieldSet> children_;
};

// `live` with what `applied` sets: maps member by member, keyed lists item by item, sets by their
// values, other values and lists whole.
Value MergeFields(Value live, const Value& applied);

}  // namespace octet
