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

void CheckTopLevel(const KindInfo* info, const Value& document, Faults& faults) {
  std::vector<std::string> known = {"apiVersion", "kind", "metadata", "spec", "status"};
  if (info != nullptr && info->without_spec) {
    known = {"apiVersion", "kind", "metadata"};
    for (const Schema& field : info->spec.fields) known.push_back(field.name);
  }
  for (const Value::Member& member : document.AsMap()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::string meant = DidYouMean(member.key, known);
    faults.push_back(
        {.path = MemberPath("", member.key),
         .message = "unknown field" + (meant.empty() ? "; known here: " + OneOfWords(known)
                                                     : "; did you mean " + meant + "?"),
         .position = member.key_position,
         .reason = kUnknownField});
  }
}

Value CheckSpec(const KindInfo& info, const Value& document, const ObjectMeta& meta,
                Faults& faults) {
  if (info.without_spec) {
    Value body = BodyOf(document);
    // What is no member of the kind has been told by CheckTopLevel.
    std::erase_if(body.AsMap(), [&](const Value::Member& member) {
      return std::none_of(info.spec.fields.begin(), info.spec.fields.end(),
                          [&](const Schema& field) { return field.name == member.key; });
    });
    CheckValue(info.spec, "", body, faults);
    if (info.complete) info.complete(body, meta);
    if (info.rules) info.rules(body, faults);
    return body;
  }
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

bool KindInfo::Takes(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Subresource* KindInfo::FindSubresource(std::string_view subresource) const {
  const auto found = std::find_if(subresources.begin(), subresources.end(),
                                  [&](const Subresource& one) { return one.name == subresource; });
  return found == subresources.end() ? nullptr : &*found;
}

const std::vector<KindInfo>& AllKinds() {
  static const std::vector<KindInfo> kinds = {DescribeTrainingJob(), DescribeUserQuota(),
                                              DescribeSlicePool(), DescribeBoard(),
                                              DescribeSession()};
  return kinds;
}

const std::vector<KindInfo>& ServedKinds() {
  static const std::vector<KindInfo> kinds = [] {
    std::vector<KindInfo> all = AllKinds();
    for (KindInfo& info : DescribeKubernetesKinds()) all.push_back(std::move(info));
    return all;
  }();
  return kinds;
}

const KindInfo& InfoOf(Kind kind) {
  // In the order of the enumeration.
  const KindInfo& info = ServedKinds().at(static_cast<size_t>(kind));
  CHECK(info.kind == kind) << "a kind without a description: " << static_cast<int>(kind);
  return info;
}

const KindInfo* FindServedKind(std::string_view api_version, std::string_view name) {
  for (const KindInfo& info : ServedKinds()) {
    if (info.name == name && info.api_version() == api_version) return &info;
  }
  return nullptr;
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
  const auto word = [&](const char* key) {
    const Value* value = document.Find(key);
    return value != nullptr && value->is_string() ? value->AsString() : "";
  };
  const KindInfo* info = FindServedKind(word("apiVersion"), word("kind"));
  CheckTopLevel(info, document, faults);
  if (info == nullptr) {
    CheckApiVersion(document, faults);
    info = CheckKind(document, faults);
  }
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
