#include "coordinator/api/field_set.h"

#include <algorithm>

#include "coordinator/api/list_forms.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// What the server alone sets is nobody's field.
bool IsServers(const std::string& path) {
  static const std::vector<std::string> kServers = {".apiVersion",
                                                    ".kind",
                                                    ".metadata",
                                                    ".metadata.name",
                                                    ".metadata.namespace",
                                                    ".metadata.creationTimestamp",
                                                    ".metadata.deletionTimestamp",
                                                    ".metadata.deletionGracePeriodSeconds",
                                                    ".metadata.uid",
                                                    ".metadata.generation",
                                                    ".metadata.resourceVersion",
                                                    ".metadata.selfLink",
                                                    ".metadata.managedFields"};
  return std::find(kServers.begin(), kServers.end(), path) != kServers.end();
}

const Value* FindItem(const Value* list, const ListForm& form, const std::string& key) {
  if (list == nullptr || !list->is_list()) return nullptr;
  for (const Value& item : list->AsList()) {
    if (ListItemKey(form, item) == key) return &item;
  }
  return nullptr;
}

std::string StepText(const std::string& key) {
  if (key.starts_with("f:")) return "." + key.substr(2);
  if (key.starts_with("v:")) return "[=" + key.substr(2) + "]";
  std::string text;
  if (const Result<Value> keys = ReadJson(key.substr(2)); keys.ok() && keys->is_map()) {
    for (const Value::Member& member : keys->AsMap()) {
      text += (text.empty() ? "" : ",") + member.key + "=" + WriteCanonicalJson(member.value);
    }
  }
  return "[" + text + "]";
}

Value Merged(Value live, const Value& applied, const std::string& path) {
  if (applied.is_map() && live.is_map()) {
    for (const Value::Member& member : applied.AsMap()) {
      Value* mine = live.Find(member.key);
      const std::string below = path + "." + member.key;
      live.Set(member.key,
               mine == nullptr ? member.value : Merged(std::move(*mine), member.value, below));
    }
    return live;
  }
  const ListForm form = ListFormOf(path);
  if (!applied.is_list() || !live.is_list() || form.type == ListForm::Type::kWhole) return applied;
  for (const Value& item : applied.AsList()) {
    const std::string key = ListItemKey(form, item);
    const auto mine = std::find_if(live.AsList().begin(), live.AsList().end(),
                                   [&](const Value& one) { return ListItemKey(form, one) == key; });
    if (mine == live.AsList().end()) {
      live.AsList().push_back(item);
    } else {
      *mine = Merged(std::move(*mine), item, path + "[]");
    }
  }
  return live;
}

}  // namespace

void FieldSet::Adopt(const std::string& key, FieldSet child) {
  if (!child.empty()) children_[key] = std::move(child);
}

// The fields of `after`; with `changes` only those that differ from `before`, which may be null.
void FieldSet::AddFields(const Value* before, const Value& after, const std::string& path,
                         bool changes) {
  const bool is_new = before == nullptr || before->type() != after.type();
  const bool owned = !path.empty() && !IsServers(path);
  if (after.is_map()) {
    member_ = owned && (changes ? is_new : after.AsMap().empty());
    for (const Value::Member& member : after.AsMap()) {
      const std::string below = path + "." + member.key;
      if (IsServers(below) && !member.value.is_map()) continue;
      FieldSet child;
      child.AddFields(is_new ? nullptr : before->Find(member.key), member.value, below, changes);
      Adopt("f:" + member.key, std::move(child));
    }
    return;
  }
  const ListForm form = ListFormOf(path);
  if (!after.is_list() || form.type == ListForm::Type::kWhole) {
    member_ = owned && (!changes || is_new || !(*before == after));
    return;
  }
  member_ = owned && (changes ? is_new : after.AsList().empty());
  for (const Value& item : after.AsList()) {
    const std::string key = ListItemKey(form, item);
    const Value* old = is_new ? nullptr : FindItem(before, form, key);
    FieldSet child;
    child.AddFields(old, item, path + "[]", changes);
    // An item is there by itself, whatever it sets.
    if (!changes || old == nullptr) child.member_ = true;
    Adopt(key, std::move(child));
  }
}

FieldSet FieldSet::Of(const Value& document) {
  FieldSet set;
  set.AddFields(nullptr, document, "", /*changes=*/false);
  return set;
}

FieldSet FieldSet::Changed(const Value& before, const Value& after) {
  FieldSet set;
  set.AddFields(before.is_null() ? nullptr : &before, after, "", /*changes=*/true);
  return set;
}

Result<FieldSet> FieldSet::Decode(const Value& fields) {
  if (!fields.is_map()) return InvalidArgument("FieldsV1 must be a map");
  FieldSet set;
  for (const Value::Member& member : fields.AsMap()) {
    if (member.key == ".") {
      set.member_ = true;
      continue;
    }
    const bool known = member.key.starts_with("f:") || member.key.starts_with("k:") ||
                       member.key.starts_with("v:") || member.key.starts_with("i:");
    if (!known) return InvalidArgument("FieldsV1 has no key \"" + member.key + "\"");
    OCTET_ASSIGN_OR_RETURN(FieldSet child, Decode(member.value));
    if (child.children_.empty()) child.member_ = true;
    set.children_[member.key] = std::move(child);
  }
  return set;
}

Value FieldSet::Encode() const {
  Value value = Value::MakeMap();
  if (member_ && !children_.empty()) value.Set(".", Value::MakeMap());
  for (const auto& [key, child] : children_) value.Set(key, child.Encode());
  return value;
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet set = *this;
  set.member_ = member_ || other.member_;
  for (const auto& [key, child] : other.children_)
    set.children_[key] = set.children_[key].Union(child);
  return set;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet set;
  set.member_ = member_ && other.member_;
  for (const auto& [key, child] : children_) {
    const auto found = other.children_.find(key);
    if (found != other.children_.end()) set.Adopt(key, child.Intersection(found->second));
  }
  return set;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet set;
  set.member_ = member_ && !other.member_;
  for (const auto& [key, child] : children_) {
    const auto found = other.children_.find(key);
    set.Adopt(key, found == other.children_.end() ? child : child.Difference(found->second));
  }
  return set;
}

void FieldSet::AddPaths(const std::string& prefix, std::vector<std::string>& paths) const {
  if (member_) paths.push_back(prefix);
  for (const auto& [key, child] : children_) child.AddPaths(prefix + StepText(key), paths);
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  AddPaths("", paths);
  return paths;
}

Value FieldSet::RemovedFrom(Value document) const {
  if (document.is_map()) {
    for (const auto& [key, child] : children_) {
      Value* member = key.starts_with("f:") ? document.Find(key.substr(2)) : nullptr;
      if (member == nullptr) continue;
      if (child.children_.empty()) {
        document.Erase(key.substr(2));
        continue;
      }
      Value rest = child.RemovedFrom(std::move(*member));
      const bool emptied =
          (rest.is_map() && rest.AsMap().empty()) || (rest.is_list() && rest.AsList().empty());
      if (emptied) {
        document.Erase(key.substr(2));
      } else {
        document.Set(key.substr(2), std::move(rest));
      }
    }
  } else if (document.is_list()) {
    std::erase_if(document.AsList(), [&](const Value& item) {
      return std::any_of(children_.begin(), children_.end(), [&](const auto& child) {
        if (!child.second.member_) return false;
        if (child.first.starts_with("v:")) return child.first == "v:" + WriteCanonicalJson(item);
        const Result<Value> keys = ReadJson(child.first.substr(2));
        return keys.ok() && keys->is_map() &&
               std::all_of(keys->AsMap().begin(), keys->AsMap().end(), [&](const auto& part) {
                 const Value* value = item.Find(part.key);
                 return value != nullptr && *value == part.value;
               });
      });
    });
  }
  return document;
}

Value MergeFields(Value live, const Value& applied) { return Merged(std::move(live), applied, ""); }

}  // namespace octet
