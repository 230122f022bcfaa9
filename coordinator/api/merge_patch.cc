#include "coordinator/api/merge_patch.h"

namespace octet {

Value MergePatch(Value target, const Value& patch) {
  if (!patch.is_map()) return patch;
  if (!target.is_map()) target = Value::MakeMap();
  for (const Value::Member& member : patch.AsMap()) {
    if (member.value.is_null()) {
      target.Erase(member.key);
      continue;
    }
    const Value* before = target.Find(member.key);
    target.Set(member.key, MergePatch(before == nullptr ? Value() : *before, member.value));
  }
  return target;
}

}  // namespace octet
