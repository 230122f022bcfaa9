// SharedIndex: an ObjectIndex behind a mutex, with readers that wait for its next version. Any
// thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "coordinator/store/object_index.h"

namespace octet {

class SharedIndex {
 public:
  Result<Object> Get(const ObjectKey& key) const;
  Snapshot List(Kind kind, const std::string& ns) const;
  Snapshot All() const;
  Result<std::vector<Change>> ChangesSince(int64_t version) const;
  int64_t WaitForChange(int64_t version, Duration wait) const;
  void Load(std::vector<Object> objects, int64_t version);

  // Prepares `writes`, gives the changes and the version after them to `persist` unless there are
  // none, and installs them if it succeeds. Transactions run one after the other; readers see a
  // change only when it is durable, and are not held up while it is being made so.
  Result<std::vector<Object>> Commit(
      const std::vector<Write>& writes,
      const std::function<Status(const std::vector<Change>&, int64_t version)>& persist);

 private:
  std::mutex commit_mutex_;   // Held for a whole transaction.
  mutable std::mutex mutex_;  // Guards index_; held for moments.
  mutable std::condition_variable changed_;
  ObjectIndex index_;
};

}  // namespace octet
