#include "coordinator/store/object_index.h"

#include <optional>
#include <utility>

#include "shared/base/limits.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

std::string Describe(const ObjectKey& key) {
  const std::string place = key.ns.empty() ? "" : " in namespace " + key.ns;
  return InfoOf(key.kind).singular + " \"" + key.name + "\"" + place;
}

// Equal but for the version that the store itself sets.
bool SameContent(const Object& a, const Object& b) {
  Object left = a;
  left.meta.resource_version = b.meta.resource_version;
  left.meta.generation = b.meta.generation;
  return EncodeObject(left) == EncodeObject(b);
}

// The objects as a transaction sees them while it is prepared: its own writes over the index.
class Overlay {
 public:
  explicit Overlay(const std::map<ObjectKey, Object>& base) : base_(base) {}

  const Object* Find(const ObjectKey& key) const {
    if (const auto own = own_.find(key); own != own_.end()) {
      return own->second ? &*own->second : nullptr;
    }
    const auto found = base_.find(key);
    return found == base_.end() ? nullptr : &found->second;
  }
  void Put(const Object& object) { own_[KeyOf(object)] = object; }
  void Erase(const ObjectKey& key) { own_[key] = std::nullopt; }

 private:
  const std::map<ObjectKey, Object>& base_;
  std::map<ObjectKey, std::optional<Object>> own_;
};

// One transaction being prepared; each call takes the next version if it has an effect.
class Preparation {
 public:
  Preparation(const std::map<ObjectKey, Object>& base, int64_t version)
      : overlay_(base), version_(version) {}

  Status Apply(const CreateObject& write) {
    const ObjectKey key = KeyOf(write.object);
    CHECK(!write.object.meta.uid.empty()) << "an object without a uid: " << Describe(key);
    if (overlay_.Find(key) != nullptr) return AlreadyExists(Describe(key) + " already exists");
    Object object = write.object;
    object.meta.generation = 1;
    Record(ChangeType::kAdded, std::move(object));
    return Ok();
  }

  Status Apply(const UpdateObject& write) {
    const ObjectKey key = KeyOf(write.object);
    const Object* live = overlay_.Find(key);
    OCTET_RETURN_IF_ERROR(Matches(live, key, write.object.meta.uid, write.expected_version));
    if (SameContent(write.object, *live)) {
      prepared_.results.push_back(*live);
      return Ok();
    }
    Object object = write.object;
    object.meta.generation = live->meta.generation + (object.spec == live->spec ? 0 : 1);
    Record(ChangeType::kModified, std::move(object));
    return Ok();
  }

  Status Apply(const DeleteObject& write) {
    const Object* live = overlay_.Find(write.key);
    OCTET_RETURN_IF_ERROR(Matches(live, write.key, write.uid, write.expected_version));
    Record(ChangeType::kDeleted, *live);
    return Ok();
  }

  Prepared Take() && { return std::move(prepared_); }

 private:
  static Status Matches(const Object* live, const ObjectKey& key, const std::string& uid,
                        int64_t expected_version) {
    if (live == nullptr) return NotFound(Describe(key) + " not found");
    if (!uid.empty() && live->meta.uid != uid) {
      return Aborted(Describe(key) + " is another object of the same name now; read it again");
    }
    if (expected_version != 0 && live->meta.resource_version != expected_version) {
      return Aborted(Describe(key) + " has been changed since it was read; read it again");
    }
    return Ok();
  }

  void Record(ChangeType type, Object object) {
    object.meta.resource_version = ++version_;
    if (type == ChangeType::kDeleted) {
      overlay_.Erase(KeyOf(object));
    } else {
      overlay_.Put(object);
    }
    prepared_.results.push_back(object);
    prepared_.changes.push_back({type, std::move(object)});
  }

  Overlay overlay_;
  int64_t version_;
  Prepared prepared_;
};

}  // namespace

ObjectKey KeyOf(const Object& object) { return {object.kind, object.meta.ns, object.meta.name}; }

Result<Object> ObjectIndex::Get(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return NotFound(Describe(key) + " not found");
  return found->second;
}

Snapshot ObjectIndex::List(Kind kind, const std::string& ns) const {
  Snapshot snapshot{.resource_version = version_, .objects = {}};
  for (auto it = objects_.lower_bound({kind, ns, ""});
       it != objects_.end() && it->first.kind == kind && (ns.empty() || it->first.ns == ns); ++it) {
    snapshot.objects.push_back(it->second);
  }
  return snapshot;
}

Snapshot ObjectIndex::All() const {
  Snapshot snapshot{.resource_version = version_, .objects = {}};
  for (const auto& [key, object] : objects_) snapshot.objects.push_back(object);
  return snapshot;
}

Result<std::vector<Change>> ObjectIndex::ChangesSince(int64_t version) const {
  if (version < history_begins_after_) {
    return OutOfRange("changes after version " + std::to_string(version) +
                      " are no longer kept; list again");
  }
  std::vector<Change> changes;
  for (const Change& change : history_) {
    if (change.object.meta.resource_version > version) changes.push_back(change);
  }
  return changes;
}

Result<Prepared> ObjectIndex::Prepare(const std::vector<Write>& writes) const {
  Preparation preparation(objects_, version_);
  for (const Write& write : writes) {
    OCTET_RETURN_IF_ERROR(
        std::visit([&](const auto& one) { return preparation.Apply(one); }, write));
  }
  return std::move(preparation).Take();
}

void ObjectIndex::Install(const Prepared& prepared) {
  for (const Change& change : prepared.changes) {
    CHECK(change.object.meta.resource_version == version_ + 1)
        << "a transaction was prepared on another version";
    ++version_;
    if (change.type == ChangeType::kDeleted) {
      objects_.erase(KeyOf(change.object));
    } else {
      objects_[KeyOf(change.object)] = change.object;
    }
    history_.push_back(change);
    if (history_.size() > limits::kWatchHistoryMax) {
      history_begins_after_ = history_.front().object.meta.resource_version;
      history_.pop_front();
    }
  }
}

void ObjectIndex::Load(std::vector<Object> objects, int64_t version) {
  CHECK(version_ == 0 && objects_.empty()) << "only an empty index is loaded";
  for (Object& object : objects) {
    ObjectKey key = KeyOf(object);
    objects_.emplace(std::move(key), std::move(object));
  }
  version_ = version;
  history_begins_after_ = version;
}

}  // namespace octet
