#include "shared/objects/kinds.h"

#include <algorithm>

#include "shared/base/check.h"
#include "shared/objects/checked_spec.h"
#include "shared/objects/kind_tables.h"
#include "shared/objects/metadata.h"

namespace octet {
namespace {

std::string Lower(std::string_view word) {
  std::string lower(word);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const KindInfo& info : AllKinds()) names.push_back(info.name);
  return names;
}

void CheckApiVersion(const Value& document, Faults& faults) {
  const Value* version = document.Find("apiVersion");
  if (version == nullptr || version->is_null()) {
    faults.push_back({.path = "apiVersion",
                      .message = std::string("is required: write apiVersion: ") + kApiVersion,
                      .position = document.position,
                      .reason = "FieldValueRequired"});
  } else if (!version->is_string() || version->AsString() != kApiVersion) {
    faults.push_back(
        {.path = "apiVersion",
         .message = std::string("must be ") + kApiVersion + "; got " + Describe(*version),
         .position = version->position,
         .reason = "FieldValueNotSupported"});
  }
}

const KindInfo* CheckKind(const Value& document, Faults& faults) {
  const Value* kind = document.Find("kind");
  const std::vector<std::string> names = KindNames();
  if (kind == nullptr || kind->is_null()) {
    faults.push_back({.path = "kind",
                      .message = "is required: one of " + OneOfWords(names),
                      .position = document.position,
                      .reason = "FieldValueRequired"});
    return nullptr;
  }
  if (kind->is_string()) {
    for (const KindInfo& info : AllKinds()) {
      if (info.name == kind->AsString()) return &info;
    }
  }
  const std::string meant = kind->is_string() ? DidYouMean(kind->AsString(), names) : "";
  faults.push_back({.path = "kind",
                    .message = "must be " + OneOfWords(names) + "; got " + Describe(*kind) +
                               (meant.empty() ? "" : "; did you mean " + meant + "?"),
                    .position = kind->position,
                    .reason = "FieldValueNotSupported"});
  return nullptr;
}

void CheckTopLevel(const Value& document, Faults& faults) {
  static const std::vector<std::string> known = {"apiVersion", "kind", "metadata", "spec",
                                                 "status"};
  for (const Value::Member& member : document.AsMap()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::string meant = DidYouMean(member.key, known);
    faults.push_back(
        {.path = MemberPath("", member.key),
         .message = "unknown field" + (meant.empty() ? "; known here: " + OneOfWords(known)
                                                     : "; did you mean " + meant + "?"),
         .position = member.key_position});
  }
}

Value CheckSpec(const KindInfo& info, const Value& document, const ObjectMeta& meta,
                Faults& faults) {
  const Value* given = document.Find("spec");
  Value spec = given == nullptr || given->is_null() ? Value::MakeMap() : *given;
  if (given == nullptr || given->is_null()) spec.position = document.position;
  CheckValue(info.spec, "spec", spec, faults);
  if (!spec.is_map()) return spec;
  if (info.complete) info.complete(spec, meta);
  if (info.rules) info.rules(spec, faults);
  return spec;
}

}  // namespace

const std::vector<KindInfo>& AllKinds() {
  static const std::vector<KindInfo> kinds = {DescribeTrainingJob(), DescribeUserQuota(),
                                              DescribeSlicePool(), DescribeBoard(),
                                              DescribeSession()};
  return kinds;
}

const KindInfo& InfoOf(Kind kind) {
  for (const KindInfo& info : AllKinds()) {
    if (info.kind == kind) return info;
  }
  CHECK(false) << "a kind without a description: " << static_cast<int>(kind);
  return AllKinds().front();
}

const KindInfo* FindKind(std::string_view word) {
  const std::string lower = Lower(word);
  for (const KindInfo& info : AllKinds()) {
    if (lower == Lower(info.name) || lower == info.plural || lower == info.short_name) return &info;
  }
  return nullptr;
}

Object CheckDocument(const Value& document, Faults& faults) {
  Object object;
  object.spec = Value::MakeMap();
  if (!document.is_map()) {
    faults.push_back({.path = "",
                      .message = "must be a map with apiVersion, kind, metadata and spec; got " +
                                 Describe(document),
                      .position = document.position});
    return object;
  }
  CheckTopLevel(document, faults);
  CheckApiVersion(document, faults);
  const KindInfo* info = CheckKind(document, faults);
  if (info != nullptr) object.kind = info->kind;
  object.meta = CheckMetadata(info, document, faults);
  if (info != nullptr) object.spec = CheckSpec(*info, document, object.meta, faults);
  SortByPlace(faults);
  return object;
}

Result<Value> CheckedSpec(Kind kind, const Value& spec) {
  Value checked = spec.is_null() ? Value::MakeMap() : spec;
  Faults faults;
  CheckValue(InfoOf(kind).spec, "spec", checked, faults);
  if (faults.empty()) return checked;
  return InvalidArgument(faults.front().path + ": " + faults.front().message);
}

}  // namespace octet
