// Conditions as Kubernetes has them. A transition time moves only when the status does. Values.
#pragma once

#include <string>
#include <vector>

#include "shared/base/time.h"
#include "shared/objects/value.h"

namespace octet {

struct Condition {
  std::string type;  // QuotaReserved, Admitted, BoardsReady, Running, Suspended, Preempted,
                     // Complete, Failed
  bool status = false;
  std::string reason{};  // CamelCase.
  std::string message{};
  int64_t observed_generation = 0;
  TimePoint last_transition{};
};

using Conditions = std::vector<Condition>;

const Condition* FindCondition(const Conditions& conditions, std::string_view type);
bool IsTrue(const Conditions& conditions, std::string_view type);
// Sets or adds; `now` becomes the transition time only if the status changes.
void SetCondition(Conditions& conditions, Condition condition, TimePoint now);

Value EncodeConditions(const Conditions& conditions);
Conditions DecodeConditions(const Value* list);

}  // namespace octet
