// ObjectIndex: the objects of a store in memory, with their version counter and recent changes.
// What both stores have in common; SQLite adds durability to it.
//
// Not thread-safe: its store holds a mutex. A transaction has two halves, so that a store can make
// it durable in between: Prepare says what it would do and changes nothing; Install does it and
// cannot fail.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "coordinator/store/store.h"

namespace octet {

// A transaction that was found to be right: what every write comes to.
struct Prepared {
  // In the order of the writes: the objects as they will be stored (of a deletion: the last state).
  std::vector<Object> results;
  // Only the writes with an effect, versions set.
  std::vector<Change> changes;
};

class ObjectIndex {
 public:
  int64_t version() const { return version_; }

  Result<Object> Get(const ObjectKey& key) const;
  Snapshot List(Kind kind, const std::string& ns) const;
  Snapshot All() const;
  Result<std::vector<Change>> ChangesSince(int64_t version) const;

  // The first write that cannot be done is the error of all. Writes of one transaction see the ones
  // before.
  Result<Prepared> Prepare(const std::vector<Write>& writes) const;
  void Install(const Prepared& prepared);

  // Fills an empty index with what a store kept: objects, and the version after them.
  void Load(std::vector<Object> objects, int64_t version);

 private:
  std::map<ObjectKey, Object> objects_;
  std::deque<Change> history_;  // The last kWatchHistoryMax changes.
  int64_t version_ = 0;
  int64_t history_begins_after_ = 0;  // Changes after this version are all in history_.
};

}  // namespace octet
