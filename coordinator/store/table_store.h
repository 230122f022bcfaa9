// TableStore: the reading half of a Store over an ObjectTable in memory, with its lock and its
// waiters. A concrete store decides how a transaction becomes durable (Commit).
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "coordinator/store/object_table.h"

namespace octet {

class TableStore : public Store {
 public:
  Result<Object> Get(const ObjectKey& key) const final;
  Result<Snapshot> List(Kind kind, const std::string& ns) const final;
  Result<Snapshot> ListAt(Kind kind, const std::string& ns, int64_t version) const final;
  Result<Snapshot> All() const final;
  Result<std::vector<Change>> ChangesSince(int64_t version) const final;
  int64_t OldestVersion() const final;
  int64_t WaitForChange(int64_t version, Duration wait) const final;

 protected:
  // Before the first reader.
  void Load(ObjectTable table);
  // The two halves of a transaction. Between them nobody but the caller may apply another: one
  // thread does all transactions, or one lock is held over both.
  Result<TransactionPlan> Plan(const std::vector<Write>& writes) const;
  void Apply(const TransactionPlan& plan);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  ObjectTable table_;
};

}  // namespace octet
