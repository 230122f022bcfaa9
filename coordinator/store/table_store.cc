#include "coordinator/store/table_store.h"

#include <utility>

namespace octet {

Result<Object> TableStore::Get(const ObjectKey& key) const {
  std::lock_guard lock(mutex_);
  return table_.Get(key);
}

Result<Snapshot> TableStore::List(Kind kind, const std::string& ns) const {
  std::lock_guard lock(mutex_);
  return table_.List(kind, ns);
}

Result<Snapshot> TableStore::ListAt(Kind kind, const std::string& ns, int64_t version) const {
  std::lock_guard lock(mutex_);
  return table_.ListAt(kind, ns, version);
}

Result<Snapshot> TableStore::All() const {
  std::lock_guard lock(mutex_);
  return table_.All();
}

Result<std::vector<Change>> TableStore::ChangesSince(int64_t version) const {
  std::lock_guard lock(mutex_);
  return table_.ChangesSince(version);
}

int64_t TableStore::OldestVersion() const {
  std::lock_guard lock(mutex_);
  return table_.history_start();
}

int64_t TableStore::WaitForChange(int64_t version, Duration wait) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return table_.version() > version; });
  return table_.version();
}

void TableStore::Load(ObjectTable table) {
  std::lock_guard lock(mutex_);
  table_ = std::move(table);
}

Result<TransactionPlan> TableStore::Plan(const std::vector<Write>& writes) const {
  std::lock_guard lock(mutex_);
  return table_.Plan(writes);
}

void TableStore::Apply(const TransactionPlan& plan) {
  {
    std::lock_guard lock(mutex_);
    table_.Apply(plan);
  }
  changed_.notify_all();
}

}  // namespace octet
