// ChangeFeed: the store's last changes as every watch reads them: fetched once, encoded once.
//
// A feed lives on the API's thread. It keeps limits::kWatchHistoryMax changes; a watch that is
// further behind must list again.
#pragma once

#include <deque>
#include <string>

#include "coordinator/store/store.h"

namespace octet {

class ChangeFeed {
 public:
  // One change, with the JSON of its object.
  struct Entry {
    Change change;
    std::string json;  // Of `change.object`; "" until it is asked for.
  };

  // Begins at the oldest version that the store still knows. `store` outlives the feed.
  explicit ChangeFeed(const Store& store);

  // Fetches what has changed since. A store that cannot tell any more makes the feed begin anew.
  void Refresh();

  // The version up to which changes are here.
  int64_t version() const { return version_; }
  // Whether all changes after `version` are here.
  bool Knows(int64_t version) const { return version >= start_; }
  // The first change after `after`, or nullptr. Every version has one change.
  Entry* Next(int64_t after);
  const std::string& JsonOf(Entry& entry) const;

 private:
  const Store& store_;
  int64_t start_ = 0;    // The version before the first entry.
  int64_t version_ = 0;  // Of the last entry.
  std::deque<Entry> entries_;
};

}  // namespace octet
