// Watch: the answer to `?watch=true`: one JSON event a line, from a version on, for as long as the
// client listens. Semantics of Kubernetes' watch cache.
//
// A watch lives on the API's thread. It holds a place in the ChangeFeed and no events, so that a
// slow client costs no memory: one that falls behind the feed gets an ERROR event 410 and the end.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "coordinator/api/change_feed.h"
#include "coordinator/api/representation.h"
#include "coordinator/api/selector.h"
#include "shared/base/clock.h"

namespace octet {

struct WatchOptions {
  const KindInfo* info = nullptr;
  std::string ns{};  // Empty: all.
  Selector selector{};
  Representation representation{};
  int64_t after = 0;               // Events of the changes after this version.
  std::vector<Object> initial{};   // First sent as ADDED: what was there at `after`.
  bool bookmarks = false;          // allowWatchBookmarks
  bool marks_initial_end = false;  // sendInitialEvents: a bookmark after the initial ones.
  std::optional<Duration> timeout{};
};

class Watch {
 public:
  // `feed` and `clock` outlive the watch.
  Watch(ChangeFeed& feed, const Clock& clock, WatchOptions options);

  // The events that are there now, up to a bound; none: ask again when the feed has grown or a
  // second has passed.
  StreamPart Pull();

 private:
  std::string Event(const char* type, const Object& object);
  std::string Event(const char* type, ChangeFeed::Entry& entry);
  std::string Bookmark(bool initial_end) const;
  // The line of one change; "" if it does not concern this watch.
  std::string LineOf(ChangeFeed::Entry& entry);
  // The same of a view; it may be several, or none.
  std::string LinesOfView(const Change& change);
  void AddInitial(StreamPart& part);
  void AddChanges(StreamPart& part);

  ChangeFeed& feed_;
  const Clock& clock_;
  const WatchOptions options_;
  std::deque<Object> initial_;  // Not yet sent.
  bool initial_end_due_;
  int64_t seen_;
  bool has_columns_ = false;  // A Table with its columns has been sent.
  const MonotonicTime started_;
  MonotonicTime bookmarked_;
};

}  // namespace octet
