#include "coordinator/api/object_view.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "shared/objects/board.h"
#include "shared/objects/kinds.h"
#include "shared/objects/metadata.h"
#include "shared/objects/training_job.h"

namespace octet {
namespace {

// The HBM of a v3-8 board, which is what fills up: 16 GiB for each of 8 cores.
constexpr char kBoardMemory[] = "128Gi";
constexpr char kBoardCores[] = "8";
constexpr char kCordonTaint[] = "node.kubernetes.io/unschedulable";
constexpr char kHostLabel[] = "kubernetes.io/hostname";
constexpr char kPoolLabel[] = "octet.dev/pool";

Value MapOf(std::vector<std::pair<const char*, Value>> members) {
  Value map = Value::MakeMap();
  for (auto& [key, value] : members) map.Set(key, std::move(value));
  return map;
}

Value ConditionOf(const char* type, bool is, const std::string& reason, const std::string& message,
                  const Value& since) {
  return MapOf({{"type", type},
                {"status", is ? "True" : "False"},
                {"lastTransitionTime", since},
                {"reason", reason},
                {"message", message}});
}

Value CreationOf(const ObjectMeta& meta) { return Value(FormatTime(meta.created)); }

// What both views take over from their source.
ObjectMeta MetaOf(const Object& source) {
  ObjectMeta meta;
  meta.name = source.meta.name;
  meta.ns = source.meta.ns;
  meta.uid = source.meta.uid;
  meta.resource_version = source.meta.resource_version;
  meta.labels = source.meta.labels;
  meta.annotations = source.meta.annotations;
  meta.created = source.meta.created;
  return meta;
}

std::vector<Object> NodesOf(const Object& source) {
  const Result<Board> board = DecodeBoard(source);
  if (!board.ok()) return {};
  Object node{.kind = Kind::kNode, .meta = MetaOf(source), .spec = Value::MakeMap(), .status = {}};
  node.meta.labels[kHostLabel] = source.meta.name;
  node.meta.labels[kPoolLabel] = board->pool.str();
  if (board->unschedulable) {
    node.spec.Set("unschedulable", true);
    node.spec.Set("taints",
                  Value::MakeList({MapOf({{"key", kCordonTaint}, {"effect", "NoSchedule"}})}));
  }
  const bool ready = board->state == BoardState::kReady || board->state == BoardState::kBusy;
  const std::string state(BoardStateName(board->state));
  const std::string message = board->message.empty() ? "the board is " + state : board->message;
  Value amounts = MapOf({{"cpu", kBoardCores}, {"memory", kBoardMemory}, {"pods", "1"}});
  node.status = MapOf(
      {{"capacity", amounts},
       {"allocatable", amounts},
       {"conditions",
        Value::MakeList({ConditionOf("Ready", ready, state, message, CreationOf(source.meta))})},
       {"addresses", Value::MakeList({MapOf(
                         {{"type", "Hostname"},
                          {"address", board->host.empty() ? source.meta.name : board->host}})})},
       {"nodeInfo", MapOf({{"machineID", source.meta.uid},
                           {"systemUUID", source.meta.uid},
                           {"bootID", ""},
                           {"kernelVersion", ""},
                           {"osImage", "Octet worker"},
                           {"containerRuntimeVersion", "octet://1"},
                           {"kubeletVersion", "octet"},
                           {"kubeProxyVersion", ""},
                           {"operatingSystem", "linux"},
                           {"architecture", "amd64"}})}});
  return {node};
}

const char* PodPhase(JobPhase phase) {
  switch (phase) {
    case JobPhase::kQueued:
    case JobPhase::kSuspended:
    case JobPhase::kStarting:
      return "Pending";
    case JobPhase::kRunning:
      return "Running";
    case JobPhase::kSucceeded:
      return "Succeeded";
    case JobPhase::kFailed:
    case JobPhase::kCancelled:
      return "Failed";
  }
  return "Unknown";
}

// The state of the one container, as Kubernetes says it.
Value ContainerState(const TrainingJob& job) {
  const std::string phase(JobPhaseName(job.status.phase));
  if (IsTerminal(job.status.phase)) {
    const bool good = job.status.phase == JobPhase::kSucceeded;
    Value end = MapOf({{"exitCode", good ? 0 : 1},
                       {"reason", good ? "Completed" : "Error"},
                       {"message", job.status.message}});
    if (job.status.started) end.Set("startedAt", FormatTime(*job.status.started));
    if (job.status.finished) end.Set("finishedAt", FormatTime(*job.status.finished));
    return MapOf({{"terminated", std::move(end)}});
  }
  if (job.status.phase == JobPhase::kRunning && job.status.session) {
    return MapOf({{"running", MapOf({{"startedAt", FormatTime(job.status.session->started)}})}});
  }
  return MapOf({{"waiting", MapOf({{"reason", phase}, {"message", job.status.message}})}});
}

Value PodStatus(const TrainingJob& job) {
  const bool placed = job.status.session.has_value() || IsTerminal(job.status.phase);
  const bool running = job.status.phase == JobPhase::kRunning;
  const Value since = CreationOf(job.meta);
  Value status = MapOf(
      {{"phase", PodPhase(job.status.phase)},
       {"conditions",
        Value::MakeList({ConditionOf("PodScheduled", placed, placed ? "Scheduled" : "Unschedulable",
                                     job.status.message, since),
                         ConditionOf("Ready", running, running ? "Running" : "NotRunning",
                                     job.status.message, since)})}});
  if (!job.status.message.empty()) status.Set("message", job.status.message);
  if (job.status.started) status.Set("startTime", FormatTime(*job.status.started));
  status.Set(
      "containerStatuses",
      Value::MakeList({MapOf({{"name", kContainerName},
                              {"image", "octet-worker"},
                              {"imageID", ""},
                              {"ready", running},
                              {"restartCount", std::max<int64_t>(job.status.attempts - 1, 0)},
                              {"state", ContainerState(job)}})}));
  return status;
}

Object PodOf(const TrainingJob& job, const Object& source, int64_t rank) {
  Object pod{.kind = Kind::kPod, .meta = MetaOf(source), .spec = Value::MakeMap(), .status = {}};
  const std::string number = std::to_string(rank);
  pod.meta.name += "-" + number;
  pod.meta.uid = (job.status.session ? job.status.session->uid.str()
                                     : job.meta.uid + "-" + std::to_string(job.status.attempts)) +
                 "-" + number;
  pod.meta.labels[kJobLabel] = source.meta.name;
  pod.meta.labels["octet.dev/rank"] = number;
  pod.meta.owners = {{.api_version = kApiVersion,
                      .kind = "TrainingJob",
                      .name = source.meta.name,
                      .uid = source.meta.uid,
                      .controller = true,
                      .block_owner_deletion = true}};
  const size_t index = static_cast<size_t>(rank);
  if (job.status.session && index < job.status.session->boards.size()) {
    pod.spec.Set("nodeName", job.status.session->boards[index].str());
  }
  pod.spec.Set("containers", Value::MakeList({MapOf({{"name", kContainerName},
                                                     {"image", "octet-worker"},
                                                     {"resources", Value::MakeMap()}})}));
  pod.spec.Set("restartPolicy", "OnFailure");
  pod.spec.Set("terminationGracePeriodSeconds",
               std::chrono::duration_cast<std::chrono::seconds>(job.spec.grace_period).count());
  pod.status = PodStatus(job);
  return pod;
}

std::vector<Object> PodsOf(const Object& source) {
  const Result<TrainingJob> job = DecodeTrainingJob(source);
  if (!job.ok()) return {};
  std::vector<Object> pods;
  for (int64_t rank = 0; rank < job->spec.boards().count(); ++rank) {
    pods.push_back(PodOf(*job, source, rank));
  }
  return pods;
}

}  // namespace

std::vector<Object> ViewOf(Kind view, const Object& source) {
  return view == Kind::kNode ? NodesOf(source) : PodsOf(source);
}

Object BoardOfNode(const Object& board, const Value& node, Faults& faults) {
  Object next = board;
  const Value* cordoned = node.FindPath("spec.unschedulable");
  next.spec.Set("unschedulable", cordoned != nullptr && *cordoned == Value(true));
  if (const Value* taints = node.FindPath("spec.taints"); taints != nullptr && taints->is_list()) {
    for (const Value& taint : taints->AsList()) {
      const Value* key = taint.Find("key");
      if (key != nullptr && *key == Value(kCordonTaint)) continue;
      faults.push_back({.path = "spec.taints",
                        .message = "boards have no taints of their own: cordon the node, or choose "
                                   "boards by their pool"});
      break;
    }
  }
  const Value* metadata = node.Find("metadata");
  const ObjectMeta meta = CheckMetadata(&InfoOf(Kind::kNode), node, faults);
  if (metadata == nullptr) return next;
  next.meta.labels = meta.labels;
  next.meta.annotations = meta.annotations;
  // What the view adds is not the board's.
  for (const char* label : {kHostLabel, kPoolLabel}) {
    if (!board.meta.labels.contains(label)) next.meta.labels.erase(label);
  }
  return next;
}

std::optional<ViewSource> SourceOf(Kind view, const std::string& name) {
  if (view == Kind::kNode) return ViewSource{.name = name};
  const size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash == 0) return std::nullopt;
  ViewSource source{.name = name.substr(0, dash)};
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + dash + 1, end, source.rank);
  if (error != std::errc() || stop != end) return std::nullopt;
  return source;
}

}  // namespace octet
