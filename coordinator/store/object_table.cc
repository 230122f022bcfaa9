#include "coordinator/store/object_table.h"

#include <algorithm>
#include <utility>

#include "shared/base/limits.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

// Equal but for what the store itself sets.
bool SameContent(const Object& a, const Object& b) {
  return a.meta.labels == b.meta.labels && a.meta.annotations == b.meta.annotations &&
         a.meta.finalizers == b.meta.finalizers && a.meta.deleted == b.meta.deleted &&
         a.meta.owners == b.meta.owners && a.meta.managed_fields == b.meta.managed_fields &&
         a.spec == b.spec && a.status == b.status;
}

Status Changed(const ObjectKey& key, int64_t expected, int64_t now) {
  return Aborted(Describe(key) + " has been changed since it was read (version " +
                 std::to_string(expected) + ", now " + std::to_string(now) + "): read it again");
}

Status Replaced(const ObjectKey& key) {
  return Aborted(Describe(key) + " was deleted and made anew since it was read: read it again");
}

}  // namespace

ObjectKey KeyOf(const Object& object) {
  return {.kind = object.kind, .ns = object.meta.ns, .name = object.meta.name};
}

std::string Describe(const ObjectKey& key) {
  const std::string prefix = key.ns.empty() ? "" : key.ns + "/";
  return InfoOf(key.kind).singular + " " + prefix + key.name;
}

// The state of one Plan call: the table under what the writes have done so far.
class ObjectTable::Planner {
 public:
  explicit Planner(const ObjectTable& table) : table_(table) { plan_.version = table.version_; }

  Status Add(const CreateObject& write) {
    const ObjectKey key = KeyOf(write.object);
    CHECK(!key.name.empty() && !write.object.meta.uid.empty())
        << "an object to create needs a name and a uid: " << Describe(key);
    if (Current(key) != nullptr) return AlreadyExists(Describe(key) + " already exists");
    Object object = write.object;
    object.meta.generation = 1;
    Record(ChangeType::kAdded, key, std::move(object));
    return Ok();
  }

  Status Add(const UpdateObject& write) {
    const ObjectKey key = KeyOf(write.object);
    const StoredObject current = Current(key);
    if (current == nullptr) return NotFound(Describe(key) + " does not exist");
    if (write.object.meta.uid != current->meta.uid) return Replaced(key);
    OCTET_RETURN_IF_ERROR(CheckVersion(key, *current, write.expected_version));
    if (SameContent(write.object, *current)) {
      plan_.results.push_back(*current);
      return Ok();
    }
    Object object = write.object;
    object.meta.created = current->meta.created;
    object.meta.generation = current->meta.generation + (object.spec == current->spec ? 0 : 1);
    Record(ChangeType::kModified, key, std::move(object));
    return Ok();
  }

  Status Add(const DeleteObject& write) {
    const StoredObject current = Current(write.key);
    if (current == nullptr) return NotFound(Describe(write.key) + " does not exist");
    if (!write.uid.empty() && write.uid != current->meta.uid) return Replaced(write.key);
    OCTET_RETURN_IF_ERROR(CheckVersion(write.key, *current, write.expected_version));
    Record(ChangeType::kDeleted, write.key, *current);
    return Ok();
  }

  TransactionPlan Take() { return std::move(plan_); }

 private:
  StoredObject Current(const ObjectKey& key) const {
    if (const auto written = overlay_.find(key); written != overlay_.end()) return written->second;
    const auto stored = table_.objects_.find(key);
    return stored == table_.objects_.end() ? nullptr : stored->second;
  }

  Status CheckVersion(const ObjectKey& key, const Object& current, int64_t expected) const {
    if (expected == 0 || expected == current.meta.resource_version) return Ok();
    return Changed(key, expected, current.meta.resource_version);
  }

  void Record(ChangeType type, const ObjectKey& key, Object object) {
    // As the row will be read back: a missing spec is an empty one.
    if (object.spec.is_null()) object.spec = Value::MakeMap();
    object.meta.resource_version = ++plan_.version;
    plan_.results.push_back(object);
    StoredObject previous = type == ChangeType::kAdded ? nullptr : Current(key);
    StoredObject stored = std::make_shared<const Object>(std::move(object));
    overlay_[key] = type == ChangeType::kDeleted ? nullptr : stored;
    plan_.changes.push_back(
        {.type = type, .object = std::move(stored), .previous = std::move(previous)});
  }

  const ObjectTable& table_;
  std::map<ObjectKey, StoredObject> overlay_;  // nullptr: deleted.
  TransactionPlan plan_;
};

ObjectTable::ObjectTable(int64_t version, std::vector<Object> objects, std::deque<Change> changes)
    : version_(version),
      history_start_(version - static_cast<int64_t>(changes.size())),
      history_(std::move(changes)) {
  for (Object& object : objects) {
    ObjectKey key = KeyOf(object);
    objects_[std::move(key)] = std::make_shared<const Object>(std::move(object));
  }
}

Result<Object> ObjectTable::Get(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return NotFound(Describe(key) + " does not exist");
  return *found->second;
}

Snapshot ObjectTable::List(Kind kind, const std::string& ns) const {
  Snapshot snapshot{.resource_version = version_, .objects = {}};
  for (auto at = objects_.lower_bound({.kind = kind, .ns = ns, .name = ""}); at != objects_.end();
       ++at) {
    if (at->first.kind != kind || (!ns.empty() && at->first.ns != ns)) break;
    snapshot.objects.push_back(*at->second);
  }
  return snapshot;
}

Result<Snapshot> ObjectTable::ListAt(Kind kind, const std::string& ns, int64_t version) const {
  OCTET_RETURN_IF_ERROR(CheckKnown(version));
  const auto wanted = [&](const ObjectKey& key) {
    return key.kind == kind && (ns.empty() || key.ns == ns);
  };
  std::map<ObjectKey, StoredObject> then;
  for (auto at = objects_.lower_bound({.kind = kind, .ns = ns, .name = ""});
       at != objects_.end() && wanted(at->first); ++at) {
    then.insert(*at);
  }
  for (auto change = history_.rbegin(); change != history_.rend(); ++change) {
    if (change->version() <= version) break;
    const ObjectKey key = KeyOf(*change->object);
    if (!wanted(key)) continue;
    then.erase(key);
    if (change->previous != nullptr) then[key] = change->previous;
  }
  Snapshot snapshot{.resource_version = version, .objects = {}};
  for (const auto& [key, object] : then) snapshot.objects.push_back(*object);
  return snapshot;
}

Snapshot ObjectTable::All() const {
  Snapshot snapshot{.resource_version = version_, .objects = {}};
  snapshot.objects.reserve(objects_.size());
  for (const auto& [key, object] : objects_) snapshot.objects.push_back(*object);
  return snapshot;
}

Status ObjectTable::CheckKnown(int64_t version) const {
  if (version >= history_start_ && version <= version_) return Ok();
  return OutOfRange("changes after version " + std::to_string(version) +
                    " are not known any more (known: " + std::to_string(history_start_) + " to " +
                    std::to_string(version_) + "): list again");
}

Result<std::vector<Change>> ObjectTable::ChangesSince(int64_t version) const {
  OCTET_RETURN_IF_ERROR(CheckKnown(version));
  const auto first = std::upper_bound(
      history_.begin(), history_.end(), version,
      [](int64_t wanted, const Change& change) { return wanted < change.version(); });
  return std::vector<Change>(first, history_.end());
}

Result<TransactionPlan> ObjectTable::Plan(const std::vector<Write>& writes) const {
  Planner planner(*this);
  for (const Write& write : writes) {
    OCTET_RETURN_IF_ERROR(std::visit([&](const auto& one) { return planner.Add(one); }, write));
  }
  return planner.Take();
}

void ObjectTable::Apply(const TransactionPlan& plan) {
  CHECK(plan.version == version_ + static_cast<int64_t>(plan.changes.size()))
      << "a plan of another state of the table";
  for (const Change& change : plan.changes) {
    const ObjectKey key = KeyOf(*change.object);
    if (change.type == ChangeType::kDeleted) {
      objects_.erase(key);
    } else {
      objects_[key] = change.object;
    }
    history_.push_back(change);
  }
  version_ = plan.version;
  while (history_.size() > limits::kWatchHistoryMax) {
    history_start_ = history_.front().version();
    history_.pop_front();
  }
}

}  // namespace octet
