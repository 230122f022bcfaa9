#include "coordinator/api/change_feed.h"

#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {

ChangeFeed::ChangeFeed(const Store& store) : store_(store) {
  start_ = version_ = store_.OldestVersion();
}

void ChangeFeed::Refresh() {
  const Result<std::vector<Change>> changes = store_.ChangesSince(version_);
  if (!changes.ok()) {
    entries_.clear();
    start_ = version_ = store_.OldestVersion();
    return Refresh();
  }
  for (const Change& change : *changes) {
    entries_.push_back({.change = change, .json = {}});
    version_ = change.version();
  }
  while (entries_.size() > limits::kWatchHistoryMax) {
    start_ = entries_.front().change.version();
    entries_.pop_front();
  }
}

ChangeFeed::Entry* ChangeFeed::Next(int64_t after) {
  if (after >= version_ || after < start_) return nullptr;
  // Versions are given one by one.
  return &entries_[static_cast<size_t>(after - start_)];
}

const std::string& ChangeFeed::JsonOf(Entry& entry) const {
  if (entry.json.empty()) entry.json = WriteJson(EncodeObject(*entry.change.object));
  return entry.json;
}

}  // namespace octet
