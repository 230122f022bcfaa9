#include "coordinator/api/watch.h"

#include <utility>

#include "coordinator/api/responses.h"
#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

bool Matches(const WatchOptions& options, const StoredObject& object) {
  return object != nullptr && object->kind == options.info->kind &&
         (options.ns.empty() || object->meta.ns == options.ns) && options.selector.Matches(*object);
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
  object.Set("apiVersion", kApiVersion);
  object.Set("metadata", std::move(metadata));
  return Line("BOOKMARK", WriteJson(object));
}

}  // namespace octet
