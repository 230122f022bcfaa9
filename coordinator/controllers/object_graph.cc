#include "coordinator/controllers/object_graph.h"

#include <algorithm>
#include <utility>

namespace octet {
namespace {

const std::set<std::string>& SetAt(const std::map<std::string, std::set<std::string>>& sets,
                                   const std::string& key) {
  static const std::set<std::string> kNone;
  const auto found = sets.find(key);
  return found == sets.end() ? kNone : found->second;
}

void EraseFrom(std::map<std::string, std::set<std::string>>& sets, const std::string& key,
               const std::string& member) {
  const auto found = sets.find(key);
  if (found == sets.end()) return;
  found->second.erase(member);
  if (found->second.empty()) sets.erase(found);
}

}  // namespace

bool GraphNode::HasFinalizer(const std::string& name) const {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

Status ObjectGraph::Refresh(const Store& store) {
  if (version_ >= 0) {
    const Result<std::vector<Change>> changes = store.ChangesSince(version_);
    if (changes.ok()) {
      for (const Change& change : *changes) {
        change.type == ChangeType::kDeleted ? Drop(*change.object) : Put(*change.object);
        version_ = change.version();
      }
      return Ok();
    }
    if (changes.status().code() != StatusCode::kOutOfRange) return changes.status();
  }
  OCTET_ASSIGN_OR_RETURN(const Snapshot all, store.All());
  *this = ObjectGraph();
  for (const Object& object : all.objects) Put(object);
  version_ = all.resource_version;
  return Ok();
}

const GraphNode* ObjectGraph::Find(const std::string& uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second;
}

const std::set<std::string>& ObjectGraph::DependentsOf(const std::string& owner) const {
  return SetAt(dependents_, owner);
}

const std::set<std::string>& ObjectGraph::InNamespace(const std::string& ns) const {
  return SetAt(by_namespace_, ns);
}

std::string ObjectGraph::UidOfNamespace(const std::string& ns) const {
  const auto found = namespaces_.find(ns);
  return found == namespaces_.end() ? "" : found->second;
}

std::vector<std::string> ObjectGraph::Namespaces() const {
  std::vector<std::string> names;
  for (const auto& [name, members] : by_namespace_) names.push_back(name);
  return names;
}

std::set<std::string> ObjectGraph::TakeTouched() { return std::exchange(touched_, {}); }

void ObjectGraph::Put(const Object& object) {
  const std::string& uid = object.meta.uid;
  const auto known = nodes_.find(uid);
  if (known != nodes_.end()) {
    // Owners that it has left may have waited for it.
    for (const OwnerReference& owner : known->second.owners) {
      EraseFrom(dependents_, owner.uid, uid);
      Touch(owner.uid);
    }
  }
  GraphNode& node = nodes_[uid];
  node = {.key = KeyOf(object),
          .version = object.meta.resource_version,
          .deleted = object.meta.deleted.has_value(),
          .finalizers = object.meta.finalizers,
          .owners = object.meta.owners};
  for (const OwnerReference& owner : node.owners) dependents_[owner.uid].insert(uid);
  if (!node.key.ns.empty()) by_namespace_[node.key.ns].insert(uid);
  if (object.kind == Kind::kNamespace) namespaces_[node.key.name] = uid;
  TouchAround(uid, node);
}

void ObjectGraph::Drop(const Object& object) {
  const auto known = nodes_.find(object.meta.uid);
  if (known == nodes_.end()) return;
  const GraphNode node = std::move(known->second);
  nodes_.erase(known);
  for (const OwnerReference& owner : node.owners) {
    EraseFrom(dependents_, owner.uid, object.meta.uid);
  }
  EraseFrom(by_namespace_, node.key.ns, object.meta.uid);
  if (object.kind == Kind::kNamespace) namespaces_.erase(node.key.name);
  TouchAround(object.meta.uid, node);
}

void ObjectGraph::TouchAround(const std::string& uid, const GraphNode& node) {
  Touch(uid);
  for (const OwnerReference& owner : node.owners) Touch(owner.uid);
  const std::set<std::string>& dependents = DependentsOf(uid);
  touched_.insert(dependents.begin(), dependents.end());
  if (node.key.kind == Kind::kNamespace) {
    const std::set<std::string>& members = InNamespace(node.key.name);
    touched_.insert(members.begin(), members.end());
  } else if (!node.key.ns.empty()) {
    Touch(UidOfNamespace(node.key.ns));
  }
}

}  // namespace octet
