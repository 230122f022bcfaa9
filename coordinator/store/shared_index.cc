#include "coordinator/store/shared_index.h"

namespace octet {

Result<Object> SharedIndex::Get(const ObjectKey& key) const {
  std::lock_guard lock(mutex_);
  return index_.Get(key);
}

Snapshot SharedIndex::List(Kind kind, const std::string& ns) const {
  std::lock_guard lock(mutex_);
  return index_.List(kind, ns);
}

Snapshot SharedIndex::All() const {
  std::lock_guard lock(mutex_);
  return index_.All();
}

Result<std::vector<Change>> SharedIndex::ChangesSince(int64_t version) const {
  std::lock_guard lock(mutex_);
  return index_.ChangesSince(version);
}

int64_t SharedIndex::WaitForChange(int64_t version, Duration wait) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return index_.version() > version; });
  return index_.version();
}

void SharedIndex::Load(std::vector<Object> objects, int64_t version) {
  std::lock_guard lock(mutex_);
  index_.Load(std::move(objects), version);
}

Result<std::vector<Object>> SharedIndex::Commit(
    const std::vector<Write>& writes,
    const std::function<Status(const std::vector<Change>&, int64_t version)>& persist) {
  std::lock_guard transaction(commit_mutex_);
  std::unique_lock lock(mutex_);
  OCTET_ASSIGN_OR_RETURN(Prepared prepared, index_.Prepare(writes));
  const int64_t version = index_.version() + static_cast<int64_t>(prepared.changes.size());
  lock.unlock();
  if (!prepared.changes.empty()) {
    OCTET_RETURN_IF_ERROR(persist(prepared.changes, version));
    lock.lock();
    index_.Install(prepared);
    lock.unlock();
    changed_.notify_all();
  }
  return std::move(prepared.results);
}

}  // namespace octet
