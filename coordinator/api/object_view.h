// Objects that are not stored but seen: a Board as a Node, a TrainingJob's boards as Pods, so that
// Kubernetes' tools (drain, logs, top) find what they know. Pure.
//
// A pod stands for one board of a job, by its rank: digits-0, digits-1, …, from the job's creation
// to its deletion. Its uid changes with each session: who waits for a pod to leave a board sees it
// replaced. Rank 0 has the job's log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/object.h"

namespace octet {

// The label of pods and, where Octet sets it, other objects that belong to a job.
inline constexpr char kJobLabel[] = "octet.dev/job";
// The one container of every pod.
inline constexpr char kContainerName[] = "worker";

// What `source` looks like as objects of `view` (InfoOf(view).view_of is its kind), by name. One
// that cannot be decoded looks like nothing.
std::vector<Object> ViewOf(Kind view, const Object& source);

// Which object the one of this name is seen in: of "digits-0" "digits". Nothing: no such name can
// be.
struct ViewSource {
  std::string name{};
  int64_t rank = 0;  // Of a pod.
};
std::optional<ViewSource> SourceOf(Kind view, const std::string& name);

// `board` as a client wants it who has changed its node to `node`: cordoned or not, labels,
// annotations. A fault for what a board cannot take: taints of one's own.
Object BoardOfNode(const Object& board, const Value& node, Faults& faults);

}  // namespace octet
