// ObjectGraph: whose dependents the stored objects are and in which namespace they lie: what the
// garbage collector reads. It keeps of each object only that, and which objects may have something
// to be done since they were last taken. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "coordinator/store/store.h"

namespace octet {

// What the garbage collector needs of an object.
struct GraphNode {
  ObjectKey key{};
  int64_t version = 0;
  bool deleted = false;  // Its deletion was asked for.
  std::vector<std::string> finalizers{};
  std::vector<OwnerReference> owners{};

  bool HasFinalizer(const std::string& name) const;
};

class ObjectGraph {
 public:
  // Reads what has changed since the last time. On an error the graph is as before.
  Status Refresh(const Store& store);

  // nullptr: there is no such object.
  const GraphNode* Find(const std::string& uid) const;
  // The uids of the objects that name `owner` as their owner.
  const std::set<std::string>& DependentsOf(const std::string& owner) const;
  // The uids of what lies in a namespace; of the namespace's own object ("" : there is none).
  const std::set<std::string>& InNamespace(const std::string& ns) const;
  std::string UidOfNamespace(const std::string& ns) const;
  // Namespaces that objects lie in.
  std::vector<std::string> Namespaces() const;

  // The uids of objects for which something may have changed: it, an owner, a dependent, its
  // namespace. Each is given once; Touch gives one again.
  std::set<std::string> TakeTouched();
  void Touch(const std::string& uid) { touched_.insert(uid); }

 private:
  void Put(const Object& object);
  void Drop(const Object& object);
  void TouchAround(const std::string& uid, const GraphNode& node);

  int64_t version_ = -1;  // Nothing read yet.
  std::map<std::string, GraphNode> nodes_;
  std::map<std::string, std::set<std::string>> dependents_;
  std::map<std::string, std::set<std::string>> by_namespace_;
  std::map<std::string, std::string> namespaces_;  // Uids by name.
  std::set<std::string> touched_;
};

}  // namespace octet
