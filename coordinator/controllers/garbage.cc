#include "coordinator/controllers/garbage.h"

#include <algorithm>
#include <optional>

#include "shared/objects/holds.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

// In one transaction: enough to be fast, few enough to let others write in between.
constexpr size_t kWritesMax = 200;

// What one object's owners mean for it.
struct Owners {
  std::vector<OwnerReference> kept{};  // Those that are there and do not let it go.
  bool lost = false;                   // Some have gone, or wait for it to go before they do.
  bool awaited = false;                // Some wait for it.
};

Owners OwnersOf(const ObjectGraph& graph, const GraphNode& node) {
  Owners owners;
  for (const OwnerReference& reference : node.owners) {
    const GraphNode* owner = graph.Find(reference.uid);
    const bool elsewhere =
        owner != nullptr && !owner->key.ns.empty() && owner->key.ns != node.key.ns;
    if (owner == nullptr || elsewhere) {
      owners.lost = true;
    } else if (owner->deleted && owner->HasFinalizer(kForegroundFinalizer)) {
      owners.lost = true;
      owners.awaited = true;
    } else if (!owner->deleted || !owner->HasFinalizer(kOrphanFinalizer)) {
      owners.kept.push_back(reference);
    }
  }
  return owners;
}

// The write that removes the object, or asks those who hold it to let go.
Write Removal(const GraphNode& node, Object object, const char* finalizer, TimePoint now) {
  if (node.finalizers.empty() && finalizer == nullptr) {
    return DeleteObject{.key = node.key, .uid = object.meta.uid, .expected_version = node.version};
  }
  object.meta.deleted = std::chrono::floor<std::chrono::seconds>(now);
  if (finalizer != nullptr) object.meta.finalizers.push_back(finalizer);
  if (object.kind == Kind::kNamespace) object.status.Set("phase", "Terminating");
  return UpdateObject{.object = std::move(object), .expected_version = node.version};
}

// What users cannot delete goes by the hands of the controller that has made it.
bool IsCollected(const GraphNode& node) { return InfoOf(node.key.kind).Takes("delete"); }

bool IsEmpty(const ObjectGraph& graph, const std::string& ns) {
  const std::set<std::string>& members = graph.InNamespace(ns);
  return std::none_of(members.begin(), members.end(), [&](const std::string& uid) {
    const GraphNode* member = graph.Find(uid);
    return member != nullptr && IsCollected(*member);
  });
}

// Finalizers of an object that is being deleted, without those whose work is done.
std::vector<std::string> FinalizersLeft(const ObjectGraph& graph, const std::string& uid,
                                        const GraphNode& node) {
  const std::set<std::string>& dependents = graph.DependentsOf(uid);
  const auto blocks = [&](const std::string& dependent) {
    const GraphNode* found = graph.Find(dependent);
    return found != nullptr &&
           std::any_of(found->owners.begin(), found->owners.end(), [&](const OwnerReference& one) {
             return one.uid == uid && one.block_owner_deletion;
           });
  };
  std::vector<std::string> left;
  for (const std::string& finalizer : node.finalizers) {
    const bool waits = finalizer == kForegroundFinalizer
                           ? std::any_of(dependents.begin(), dependents.end(), blocks)
                           : finalizer != kOrphanFinalizer || !dependents.empty();
    if (waits) left.push_back(finalizer);
  }
  return left;
}

// What is to be done with one object, if anything. It writes that object only, so that the writes
// of many can be one transaction.
std::optional<Write> NextWrite(const ControlContext& context, const std::string& uid,
                               const GraphNode& node) {
  const ObjectGraph& graph = context.graph;
  const auto live = [&]() -> std::optional<Object> {
    const Result<Object> found = context.store.Get(node.key);
    const bool same =
        found.ok() && found->meta.uid == uid && found->meta.resource_version == node.version;
    return same ? std::optional(*found) : std::nullopt;
  };
  if (node.deleted) {
    const std::vector<std::string> left = FinalizersLeft(graph, uid, node);
    const bool is_namespace = node.key.kind == Kind::kNamespace;
    if (is_namespace && !IsEmpty(graph, node.key.name)) return std::nullopt;
    if (left.empty() && (is_namespace || !node.finalizers.empty())) {
      return DeleteObject{.key = node.key, .uid = uid, .expected_version = node.version};
    }
    std::optional<Object> object;
    if (left.size() == node.finalizers.size() || !(object = live())) return std::nullopt;
    object->meta.finalizers = left;
    return UpdateObject{.object = *std::move(object), .expected_version = node.version};
  }
  const Owners owners = OwnersOf(graph, node);
  const GraphNode* space = graph.Find(graph.UidOfNamespace(node.key.ns));
  const bool evicted = space != nullptr && space->deleted;
  const bool ownerless = owners.lost && owners.kept.empty();
  if (!evicted && owners.kept.size() == node.owners.size()) return std::nullopt;
  std::optional<Object> object = live();
  if (!object) return std::nullopt;
  if ((evicted || ownerless) && IsCollected(node)) {
    const bool foreground = owners.awaited && !graph.DependentsOf(uid).empty();
    return Removal(node, *std::move(object), foreground ? kForegroundFinalizer : nullptr,
                   context.clock.Now());
  }
  if (ownerless || owners.kept.size() == node.owners.size()) return std::nullopt;
  object->meta.owners = owners.kept;
  return UpdateObject{.object = *std::move(object), .expected_version = node.version};
}

}  // namespace

Status MakeNamespaces(ControlContext& context) {
  OCTET_RETURN_IF_ERROR(context.graph.Refresh(context.store));
  std::set<std::string> names = {kDefaultNamespace};
  for (const std::string& name : context.graph.Namespaces()) {
    // Sessions outlive their namespace.
    if (!IsEmpty(context.graph, name)) names.insert(name);
  }
  std::vector<Write> writes;
  const KindInfo& info = InfoOf(Kind::kNamespace);
  for (const std::string& name : names) {
    if (!context.graph.UidOfNamespace(name).empty()) continue;
    Object space{.kind = Kind::kNamespace, .meta = {}, .spec = Value::MakeMap(), .status = {}};
    space.meta.name = name;
    space.meta.uid = context.NewUid();
    space.meta.created = std::chrono::floor<std::chrono::seconds>(context.clock.Now());
    info.complete(space.spec, space.meta);
    space.status = info.initial_status;
    writes.push_back(CreateObject{.object = std::move(space)});
  }
  return context.Commit(writes);
}

void CollectGarbage(ControlContext& context) {
  const Status read = context.graph.Refresh(context.store);
  if (!read.ok()) return context.Warn("garbage: " + read.ToString());
  std::vector<Write> writes;
  std::vector<std::string> written;
  const std::set<std::string> touched = context.graph.TakeTouched();
  for (const std::string& uid : touched) {
    const GraphNode* node = context.graph.Find(uid);
    if (node == nullptr) continue;
    if (writes.size() >= kWritesMax) {
      context.graph.Touch(uid);
      continue;
    }
    if (std::optional<Write> write = NextWrite(context, uid, *node)) {
      writes.push_back(*std::move(write));
      written.push_back(uid);
    }
  }
  const Status status = context.Commit(writes);
  if (status.ok()) return;
  // Somebody was faster, or the disk is full: they are looked at again.
  for (const std::string& uid : written) context.graph.Touch(uid);
  if (!status.IsRetryable()) context.Warn("garbage: " + status.ToString());
}

}  // namespace octet
