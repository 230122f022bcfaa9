// The reading half of ApiHandler: objects, collections at one version, in parts if asked, and
// watches.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/object_view.h"
#include "coordinator/api/selector.h"
#include "coordinator/api/table.h"
#include "coordinator/api/watch.h"

namespace octet {
namespace {

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// Where a list in parts goes on: "VERSION.NAMESPACE.NAME" of the last object that was sent. Opaque
// to clients. Neither a version nor a namespace has a dot.
struct ListPlace {
  int64_t version = 0;
  std::string ns{};
  std::string name{};
};

std::string FormatPlace(const ListPlace& place) {
  return std::to_string(place.version) + "." + place.ns + "." + place.name;
}

std::optional<ListPlace> ParsePlace(const std::string& token) {
  const size_t first = token.find('.');
  const size_t second = first == std::string::npos ? first : token.find('.', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto version = ParseNumber(std::string_view(token).substr(0, first));
  if (!version) return std::nullopt;
  return ListPlace{.version = *version,
                   .ns = token.substr(first + 1, second - first - 1),
                   .name = token.substr(second + 1)};
}

// What a list request says besides its selectors.
struct ListRequest {
  int64_t limit = 0;  // 0: all.
  std::optional<int64_t> version{};
  bool exact = false;
  std::optional<ListPlace> place{};
};

OrRefusal<ListRequest> ReadListRequest(const ApiRequest& request) {
  ListRequest list;
  if (const std::string& limit = request.Query("limit"); !limit.empty()) {
    const auto number = ParseNumber(limit);
    if (!number) return BadRequest("limit must be a number; got \"" + limit + "\"");
    list.limit = *number;
  }
  if (const std::string& version = request.Query("resourceVersion"); !version.empty()) {
    list.version = ParseNumber(version);
    if (!list.version) {
      return BadRequest("resourceVersion: Invalid value: \"" + version + "\": must be a number");
    }
  }
  const std::string& match = request.Query("resourceVersionMatch");
  list.exact = match == "Exact";
  if (!match.empty() && !list.exact && match != "NotOlderThan") {
    return BadRequest("resourceVersionMatch must be Exact or NotOlderThan; got \"" + match + "\"");
  }
  if (list.exact && list.version.value_or(0) == 0) {
    return BadRequest("resourceVersionMatch=Exact needs a resourceVersion above 0");
  }
  if (const std::string& token = request.Query("continue"); !token.empty()) {
    list.place = ParsePlace(token);
    if (!list.place) return BadRequest("continue is no token of this server");
    if (list.version.value_or(0) != 0) {
      return BadRequest("continue and resourceVersion exclude each other");
    }
  }
  return list;
}

// The objects of `snapshot` that are wanted from the place on, and how many more there are.
struct ListPart {
  std::vector<Object> objects{};
  int64_t remaining = 0;
};

ListPart TakePart(std::vector<Object> all, const Selector& selector, const ListRequest& list) {
  ListPart part;
  for (Object& object : all) {
    if (list.place && std::pair(object.meta.ns, object.meta.name) <=
                          std::pair(list.place->ns, list.place->name)) {
      continue;
    }
    if (!selector.Matches(object)) continue;
    if (list.limit > 0 && static_cast<int64_t>(part.objects.size()) == list.limit) {
      ++part.remaining;
    } else {
      part.objects.push_back(std::move(object));
    }
  }
  return part;
}

}  // namespace

Result<Snapshot> ApiHandler::TakeSnapshot(const ResourcePath& path,
                                          std::optional<int64_t> version) const {
  const KindInfo& info = *path.info;
  const Kind kind = info.view_of.value_or(info.kind);
  Result<Snapshot> taken =
      version ? store_.ListAt(kind, path.ns, *version) : store_.List(kind, path.ns);
  if (!taken.ok() || !info.view_of) return taken;
  Snapshot seen{.resource_version = taken->resource_version, .objects = {}};
  for (const Object& source : taken->objects) {
    for (Object& object : ViewOf(info.kind, source)) seen.objects.push_back(std::move(object));
  }
  // "digits-0" comes after "digits-extra-0".
  std::sort(seen.objects.begin(), seen.objects.end(), [](const Object& a, const Object& b) {
    return std::tie(a.meta.ns, a.meta.name) < std::tie(b.meta.ns, b.meta.name);
  });
  return seen;
}

Result<Object> ApiHandler::GetLive(const ResourcePath& path) const {
  const KindInfo& info = *path.info;
  if (!info.view_of) return store_.Get({.kind = info.kind, .ns = path.ns, .name = path.name});
  const std::optional<ViewSource> source = SourceOf(info.kind, path.name);
  if (!source) return NotFound("no " + info.singular + " has such a name");
  return store_.Get({.kind = *info.view_of, .ns = path.ns, .name = source->name});
}

Result<Object> ApiHandler::GetShown(const ResourcePath& path) const {
  OCTET_ASSIGN_OR_RETURN(Object live, GetLive(path));
  if (!path.info->view_of) return live;
  for (Object& object : ViewOf(path.info->kind, live)) {
    if (object.meta.name == path.name) return std::move(object);
  }
  return NotFound("there is no " + path.info->singular + " " + path.name);
}

ApiResponse ApiHandler::List(const Call& call) const {
  const auto& [request, path, caller] = call;
  const std::optional<Representation> chosen = Negotiate(request);
  if (!chosen) return NotAcceptable();
  const Result<Selector> selector =
      Selector::Parse(*path.info, request.Query("labelSelector"), request.Query("fieldSelector"));
  if (!selector.ok()) return BadRequest(selector.status().message());
  const auto read = ReadListRequest(request);
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  const auto& list = std::get<ListRequest>(read);
  std::optional<int64_t> then;
  if (list.place) then = list.place->version;
  if (list.exact) then = list.version;
  Result<Snapshot> snapshot = TakeSnapshot(path, then);
  if (snapshot.status().code() == StatusCode::kOutOfRange) return Expired(then.value_or(0));
  if (!snapshot.ok()) return StoreError(SubjectOf(path), snapshot.status());
  if (list.version.value_or(0) > snapshot->resource_version) {
    return VersionTooLarge(*list.version, snapshot->resource_version);
  }
  const ListPart part = TakePart(std::move(snapshot->objects), *selector, list);

  Value body;
  if (chosen->form == Representation::Form::kTable) {
    body = EncodeTable(*path.info, part.objects, chosen->row_object, /*with_columns=*/true,
                       clock_.Now());
  } else {
    Value::List items;
    for (const Object& object : part.objects) items.push_back(EncodeObject(object));
    body = Value::MakeMap();
    body.Set("kind", path.info->name + "List");
    body.Set("apiVersion", path.info->api_version());
    body.Set("metadata", Value::MakeMap());
    body.Set("items", Value::MakeList(std::move(items)));
  }
  Value& metadata = *body.Find("metadata");
  metadata.Set("resourceVersion", std::to_string(snapshot->resource_version));
  if (part.remaining > 0) {
    const ObjectMeta& last = part.objects.back().meta;
    metadata.Set(
        "continue",
        FormatPlace({.version = snapshot->resource_version, .ns = last.ns, .name = last.name}));
    metadata.Set("remainingItemCount", part.remaining);
  }
  return JsonResponse(200, body);
}

ApiResponse ApiHandler::StartWatch(const Call& call) {
  const auto& [request, path, caller] = call;
  const std::optional<Representation> chosen = Negotiate(request);
  if (!chosen) return NotAcceptable();
  Result<Selector> selector =
      Selector::Parse(*path.info, request.Query("labelSelector"), request.Query("fieldSelector"));
  if (!selector.ok()) return BadRequest(selector.status().message());
  const auto version = ParseNumber(
      request.Query("resourceVersion").empty() ? "0" : request.Query("resourceVersion"));
  if (!version) {
    return BadRequest("resourceVersion: Invalid value: \"" + request.Query("resourceVersion") +
                      "\": must be a number");
  }
  const bool wants_initial = IsTrueWord(request.Query("sendInitialEvents"));
  if (wants_initial && request.Query("resourceVersionMatch") != "NotOlderThan") {
    return Invalid({}, {{.path = "resourceVersionMatch",
                         .message = "sendInitialEvents needs resourceVersionMatch=NotOlderThan",
                         .reason = "FieldValueForbidden"}});
  }
  WatchOptions options{.info = path.info,
                       .ns = path.ns,
                       .selector = *std::move(selector),
                       .representation = *chosen,
                       .after = *version,
                       .bookmarks = IsTrueWord(request.Query("allowWatchBookmarks")),
                       .marks_initial_end = wants_initial};
  const std::string& timeout = request.Query("timeoutSeconds");
  if (const auto seconds = ParseNumber(timeout); seconds && *seconds > 0) {
    options.timeout = std::chrono::seconds(std::min<int64_t>(*seconds, 24 * 3600));
  }
  feed_.Refresh();
  if (*version == 0 || wants_initial) {
    Result<Snapshot> now = TakeSnapshot(path, std::nullopt);
    if (!now.ok()) return StoreError(SubjectOf(path), now.status());
    if (*version > now->resource_version) {
      return VersionTooLarge(*version, now->resource_version);
    }
    options.after = now->resource_version;
    options.initial = std::move(now->objects);
  } else if (!feed_.Knows(*version)) {
    return Expired(*version);
  }
  // Shared, since a function must be copyable; in truth the stream alone holds it.
  auto watch = std::make_shared<Watch>(feed_, clock_, std::move(options));
  ApiResponse response;
  response.headers = {{"Content-Type", "application/json"}};
  response.stream = [watch] { return watch->Pull(); };
  return response;
}

}  // namespace octet
