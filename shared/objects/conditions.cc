#include "shared/objects/conditions.h"

#include <utility>

namespace octet {
namespace {

std::string TextOf(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

}  // namespace

const Condition* FindCondition(const Conditions& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const Conditions& conditions, std::string_view type) {
  const Condition* condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status;
}

void SetCondition(Conditions& conditions, Condition condition, TimePoint now) {
  for (Condition& old : conditions) {
    if (old.type != condition.type) continue;
    condition.last_transition = old.status == condition.status ? old.last_transition : now;
    old = std::move(condition);
    return;
  }
  condition.last_transition = now;
  conditions.push_back(std::move(condition));
}

Value EncodeConditions(const Conditions& conditions) {
  Value::List list;
  for (const Condition& condition : conditions) {
    Value item = Value::MakeMap();
    item.Set("type", condition.type);
    item.Set("status", condition.status ? "True" : "False");
    item.Set("reason", condition.reason);
    item.Set("message", condition.message);
    item.Set("observedGeneration", condition.observed_generation);
    item.Set("lastTransitionTime", FormatTime(condition.last_transition));
    list.push_back(std::move(item));
  }
  return Value::MakeList(std::move(list));
}

Conditions DecodeConditions(const Value* list) {
  Conditions conditions;
  if (list == nullptr || !list->is_list()) return conditions;
  for (const Value& item : list->AsList()) {
    Condition condition{.type = TextOf(item, "type"),
                        .status = TextOf(item, "status") == "True",
                        .reason = TextOf(item, "reason"),
                        .message = TextOf(item, "message")};
    if (condition.type.empty()) continue;
    const Value* generation = item.Find("observedGeneration");
    if (generation != nullptr && generation->is_int()) {
      condition.observed_generation = generation->AsInt();
    }
    const Result<TimePoint> time = ParseTime(TextOf(item, "lastTransitionTime"));
    if (time.ok()) condition.last_transition = *time;
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace octet
