// ObjectTable: what both stores have in common: the objects, the version counter and the last
// changes, in memory, and the rules of a transaction. A value without locks, threads or files.
//
// A transaction has two halves, so that a database can write between them: Plan says what would
// happen and changes nothing; Apply makes it so and cannot fail.
//
// Versions: each write that has an effect takes the next one, so that every object of a transaction
// has its own and a watcher can stop between any two.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/store/store.h"

namespace octet {

// What a transaction will do.
struct TransactionPlan {
  int64_t version = 0;          // Of the table afterwards.
  std::vector<Change> changes;  // Of the writes that have an effect, in their order.
  std::vector<Object> results;  // One for each write.
};

class ObjectTable {
 public:
  ObjectTable() = default;
  // As loaded from a database, with the last changes, which end at `version` and have no gap.
  // Earlier changes are not known any more.
  ObjectTable(int64_t version, std::vector<Object> objects, std::deque<Change> changes);

  int64_t version() const { return version_; }
  // The version after which all changes are known.
  int64_t history_start() const { return history_start_; }
  Result<Object> Get(const ObjectKey& key) const;
  Snapshot List(Kind kind, const std::string& ns) const;
  // As it was at `version`: the present with the changes since then undone.
  Result<Snapshot> ListAt(Kind kind, const std::string& ns, int64_t version) const;
  Snapshot All() const;
  // Also kOutOfRange for a version that this table has not reached: it is of another database.
  Result<std::vector<Change>> ChangesSince(int64_t version) const;

  // Each write sees the effects of those before it in `writes`. Errors as of Store::Commit.
  Result<TransactionPlan> Plan(const std::vector<Write>& writes) const;
  // `plan` must have been made of this very table in its present state.
  void Apply(const TransactionPlan& plan);

 private:
  class Planner;
  Status CheckKnown(int64_t version) const;

  int64_t version_ = 0;
  int64_t history_start_ = 0;  // The version before the first change of the history.
  std::map<ObjectKey, StoredObject> objects_;
  std::deque<Change> history_;  // By version; at most limits::kWatchHistoryMax.
};

// "trainingjob default/digits", for messages.
std::string Describe(const ObjectKey& key);

}  // namespace octet
