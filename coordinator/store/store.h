// The Store seam: the coordinator's objects, one resource version for everything, all-or-none
// transactions with optimistic concurrency.
//
// Methods may be called from any thread. What Commit has acknowledged survives kill -9 and a power
// cut (SQLite, synchronous=FULL). Errors of the methods: kNotFound, kAlreadyExists (Create of an
// existing name), kAborted (somebody changed an object since it was read: read again and decide
// again), kResourceExhausted (disk full; nothing was changed), kDataLoss (the database is damaged),
// kUnavailable.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/time.h"
#include "shared/objects/object.h"

namespace octet {

struct ObjectKey {
  Kind kind = Kind::kTrainingJob;
  std::string ns{};
  std::string name{};
  auto operator<=>(const ObjectKey&) const = default;
};
ObjectKey KeyOf(const Object& object);

// Adds an object. Its uid must be set; resource_version is set by the store, generation becomes 1.
struct CreateObject {
  Object object;
};
// Replaces spec, status and metadata of the object that has this uid and `expected_version`.
// The store sets the new resource_version, and raises generation if the spec has changed. An update
// that changes nothing gives no new version and no change event.
struct UpdateObject {
  Object object;
  int64_t expected_version =
      0;  // 0: whatever it is now (last writer wins; the uid must still match).
};
struct DeleteObject {
  ObjectKey key;
  std::string uid{};             // Empty: whichever.
  int64_t expected_version = 0;  // 0: whatever it is now.
};
using Write = std::variant<CreateObject, UpdateObject, DeleteObject>;

struct Snapshot {
  int64_t resource_version = 0;
  std::vector<Object> objects;  // By kind, namespace, name.
};

// An object as it is stored. Shared: it never changes again, and the store, its history and every
// watcher hold it.
using StoredObject = std::shared_ptr<const Object>;

enum class ChangeType { kAdded, kModified, kDeleted };
struct Change {
  ChangeType type = ChangeType::kAdded;
  StoredObject object;    // For kDeleted: the last state, with the version of the deletion.
  StoredObject previous;  // Before the change; null for kAdded.
  int64_t version() const { return object->meta.resource_version; }
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<Object> Get(const ObjectKey& key) const = 0;
  // Objects of one kind, in one namespace or (empty) in all; one consistent version.
  virtual Result<Snapshot> List(Kind kind, const std::string& ns) const = 0;
  // The same as it was at `version`. kOutOfRange: too far back, or never yet.
  virtual Result<Snapshot> ListAt(Kind kind, const std::string& ns, int64_t version) const = 0;
  // Every object of every kind at one version.
  virtual Result<Snapshot> All() const = 0;
  // All of `writes` or none, durable when it returns Ok. Gives the objects as stored (of a
  // deletion: the last state), in the order of the writes. A `writes` with no effect is Ok and
  // makes no version.
  virtual Result<std::vector<Object>> Commit(const std::vector<Write>& writes) = 0;
  // Changes after `version`, oldest first. kOutOfRange: too far back; list again.
  virtual Result<std::vector<Change>> ChangesSince(int64_t version) const = 0;
  // The oldest version for which ChangesSince and ListAt know an answer.
  virtual int64_t OldestVersion() const = 0;
  // Waits until the store's version is above `version`, at most `wait`; gives the version now.
  virtual int64_t WaitForChange(int64_t version, Duration wait) const = 0;
};

// Objects in memory: tests, the simulator.
std::unique_ptr<Store> MakeMemoryStore();

// Opens or creates a SQLite database. kFailedPrecondition: another process holds it, or it was
// written by a newer version. kPermissionDenied, kDataLoss, kUnavailable as the file says.
Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path);

}  // namespace octet
