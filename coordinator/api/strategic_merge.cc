#include "coordinator/api/strategic_merge.h"

#include <algorithm>

#include "coordinator/api/list_forms.h"

namespace octet {
namespace {

constexpr char kPatch[] = "$patch";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";

Result<Value> MergedAt(Value target, const Value& patch, const std::string& path);

bool Says(const Value& patch, const char* directive) {
  const Value* said = patch.Find(kPatch);
  return said != nullptr && *said == Value(directive);
}

Value WithoutDirectives(const Value& patch) {
  if (!patch.is_map()) return patch;
  Value plain = Value::MakeMap();
  for (const Value::Member& member : patch.AsMap()) {
    if (!member.key.starts_with('$') && !member.value.is_null()) {
      plain.Set(member.key, WithoutDirectives(member.value));
    }
  }
  return plain;
}

Result<Value> MergedList(Value target, const Value& patch, const std::string& path) {
  const ListForm form = ListFormOf(path);
  if (form.type == ListForm::Type::kWhole) return patch;
  if (!target.is_list()) target = Value::MakeList();
  Value::List& items = target.AsList();
  for (const Value& item : patch.AsList()) {
    const std::string key = ListItemKey(form, item);
    const auto mine = std::find_if(items.begin(), items.end(),
                                   [&](const Value& one) { return ListItemKey(form, one) == key; });
    if (Says(item, "delete")) {
      if (mine != items.end()) items.erase(mine);
    } else if (mine == items.end()) {
      items.push_back(WithoutDirectives(item));
    } else if (item.is_map()) {
      OCTET_ASSIGN_OR_RETURN(*mine, MergedAt(std::move(*mine), item, path + "[]"));
    }
  }
  return target;
}

void RemoveValues(Value& target, std::string_view name, const Value& values) {
  Value* list = target.Find(name);
  if (list == nullptr || !list->is_list() || !values.is_list()) return;
  const Value::List& gone = values.AsList();
  std::erase_if(list->AsList(), [&](const Value& item) {
    return std::find(gone.begin(), gone.end(), item) != gone.end();
  });
}

Status MergeMember(Value& target, const Value::Member& member, const std::string& path) {
  const std::string& key = member.key;
  if (key.starts_with(kDeleteFromList)) {
    RemoveValues(target, std::string_view(key).substr(kDeleteFromList.size()), member.value);
    return Ok();
  }
  if (key.starts_with("$setElementOrder/") || key == "$retainKeys" || key == kPatch) return Ok();
  if (key.starts_with('$')) return InvalidArgument("unknown directive " + key + " in the patch");
  if (member.value.is_null()) {
    target.Erase(key);
    return Ok();
  }
  Value* mine = target.Find(key);
  OCTET_ASSIGN_OR_RETURN(Value merged, MergedAt(mine == nullptr ? Value() : std::move(*mine),
                                                member.value, path + "." + key));
  target.Set(key, std::move(merged));
  return Ok();
}

Result<Value> MergedAt(Value target, const Value& patch, const std::string& path) {
  if (patch.is_list()) return MergedList(std::move(target), patch, path);
  if (!patch.is_map()) return patch;
  if (Says(patch, "replace")) return WithoutDirectives(patch);
  if (Says(patch, "delete")) return Value::MakeMap();
  if (!target.is_map()) target = Value::MakeMap();
  for (const Value::Member& member : patch.AsMap()) {
    OCTET_RETURN_IF_ERROR(MergeMember(target, member, path));
  }
  return target;
}

}  // namespace

Result<Value> StrategicMergePatch(Value target, const Value& patch) {
  return MergedAt(std::move(target), patch, "");
}

}  // namespace octet
