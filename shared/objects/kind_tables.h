// The descriptions of the kinds, one file each (kinds_KIND.cc); kinds.cc collects them. Pure.
#pragma once

#include <string>

#include "shared/objects/kinds.h"

namespace octet {

KindInfo DescribeTrainingJob();
KindInfo DescribeUserQuota();
KindInfo DescribeSlicePool();
KindInfo DescribeBoard();
KindInfo DescribeSession();
// Those of Kubernetes, in the order of Kind.
std::vector<KindInfo> DescribeKubernetesKinds();

// The rules of a TrainingJob that need more than one field. `spec` may be wrong in any way: what is
// not of the right type is passed over, since the schema has its own fault for it.
void CheckTrainingJobRules(const Value& spec, Faults& faults);

}  // namespace octet
