#include "coordinator/api/watch.h"

#include <map>
#include <utility>

#include "coordinator/api/object_view.h"
#include "coordinator/api/responses.h"
#include "coordinator/api/table.h"
#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

bool IsWatched(const WatchOptions& options, const StoredObject& object) {
  return object != nullptr && object->kind == options.info->view_of.value_or(options.info->kind) &&
         (options.ns.empty() || object->meta.ns == options.ns);
}

bool Matches(const WatchOptions& options, const StoredObject& object) {
  return IsWatched(options, object) && options.selector.Matches(*object);
}

// What is seen in `object`, by name.
std::map<std::string, Object> SeenIn(const WatchOptions& options, const StoredObject& object) {
  std::map<std::string, Object> seen;
  if (!IsWatched(options, object)) return seen;
  for (Object& one : ViewOf(options.info->kind, *object)) {
    std::string name = one.meta.name;
    if (options.selector.Matches(one)) seen.emplace(std::move(name), std::move(one));
  }
  return seen;
}

// Equal but for the version, which goes on with the object that the view is of.
bool LooksTheSame(const Object& a, const Object& b) {
  return a.meta.uid == b.meta.uid && a.meta.labels == b.meta.labels &&
         a.meta.annotations == b.meta.annotations && a.spec == b.spec && a.status == b.status;
}

std::string Line(const char* type, const std::string& object_json) {
  return std::string("{\"type\":\"") + type + "\",\"object\":" + object_json + "}\n";
}

}  // namespace

Watch::Watch(ChangeFeed& feed, const Clock& clock, WatchOptions options)
    : feed_(feed),
      clock_(clock),
      options_(std::move(options)),
      initial_end_due_(options_.marks_initial_end && options_.bookmarks),
      seen_(options_.after),
      started_(clock.Monotonic()),
      bookmarked_(started_) {
  for (const Object& object : options_.initial) {
    if (options_.selector.Matches(object)) initial_.push_back(object);
  }
}

StreamPart Watch::Pull() {
  StreamPart part;
  AddInitial(part);
  if (!initial_.empty()) return part;
  if (std::exchange(initial_end_due_, false)) part.bytes += Bookmark(/*initial_end=*/true);
  // A version that the store has not reached is waited for.
  if (seen_ <= feed_.version() && !feed_.Knows(seen_)) {
    std::string status = Expired(seen_).body;
    status.pop_back();  // The line ends by itself.
    part.bytes += Line("ERROR", status);
    part.end = true;
    return part;
  }
  AddChanges(part);
  const MonotonicTime now = clock_.Monotonic();
  const bool over = options_.timeout && now - started_ >= *options_.timeout;
  const bool caught_up = seen_ >= feed_.version();
  if (options_.bookmarks && caught_up && (over || now - bookmarked_ >= limits::kBookmarkInterval)) {
    part.bytes += Bookmark(/*initial_end=*/false);
    bookmarked_ = now;
  }
  part.end = over && caught_up;
  return part;
}

void Watch::AddInitial(StreamPart& part) {
  while (!initial_.empty() && part.bytes.size() < limits::kWatchPartBytesMax) {
    part.bytes += Event("ADDED", initial_.front());
    initial_.pop_front();
  }
}

void Watch::AddChanges(StreamPart& part) {
  while (part.bytes.size() < limits::kWatchPartBytesMax) {
    ChangeFeed::Entry* entry = feed_.Next(seen_);
    if (entry == nullptr) return;
    part.bytes += LineOf(*entry);
    seen_ = entry->change.version();
  }
}

std::string Watch::LineOf(ChangeFeed::Entry& entry) {
  const Change& change = entry.change;
  if (options_.info->view_of) return LinesOfView(change);
  const bool was = Matches(options_, change.previous);
  const bool is = change.type != ChangeType::kDeleted && Matches(options_, change.object);
  if (is) return Event(was ? "MODIFIED" : "ADDED", entry);
  if (!was) return "";
  if (change.type == ChangeType::kDeleted) return Event("DELETED", entry);
  // It is there, but matches no more: for this client it is gone, with the state it knew.
  Object gone = *change.previous;
  gone.meta.resource_version = change.version();
  return Event("DELETED", gone);
}

std::string Watch::LinesOfView(const Change& change) {
  std::map<std::string, Object> before = SeenIn(options_, change.previous);
  std::map<std::string, Object> after;
  if (change.type != ChangeType::kDeleted) after = SeenIn(options_, change.object);
  std::string lines;
  for (auto& [name, object] : before) {
    const auto still = after.find(name);
    if (still != after.end() && still->second.meta.uid == object.meta.uid) continue;
    object.meta.resource_version = change.version();
    lines += Event("DELETED", object);
  }
  for (const auto& [name, object] : after) {
    const auto old = before.find(name);
    const bool is_new = old == before.end() || old->second.meta.uid != object.meta.uid;
    if (!is_new && LooksTheSame(old->second, object)) continue;
    lines += Event(is_new ? "ADDED" : "MODIFIED", object);
  }
  return lines;
}

std::string Watch::Event(const char* type, ChangeFeed::Entry& entry) {
  if (options_.representation.form == Representation::Form::kTable) {
    return Event(type, *entry.change.object);
  }
  return Line(type, feed_.JsonOf(entry));
}

std::string Watch::Event(const char* type, const Object& object) {
  if (options_.representation.form != Representation::Form::kTable) {
    return Line(type, WriteJson(EncodeObject(object)));
  }
  const bool with_columns = !std::exchange(has_columns_, true);
  Value table = EncodeTable(*options_.info, {object}, options_.representation.row_object,
                            with_columns, clock_.Now());
  table.Find("metadata")->Set("resourceVersion", std::to_string(object.meta.resource_version));
  return Line(type, WriteJson(table));
}

std::string Watch::Bookmark(bool initial_end) const {
  Value metadata = Value::MakeMap();
  metadata.Set("resourceVersion", std::to_string(seen_));
  metadata.Set("creationTimestamp", Value());
  if (initial_end) {
    Value annotations = Value::MakeMap();
    annotations.Set("k8s.io/initial-events-end", "true");
    metadata.Set("annotations", std::move(annotations));
  }
  Value object = Value::MakeMap();
  object.Set("kind", options_.info->name);
  object.Set("apiVersion", options_.info->api_version());
  object.Set("metadata", std::move(metadata));
  return Line("BOOKMARK", WriteJson(object));
}

}  // namespace octet
