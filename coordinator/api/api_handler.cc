#include "coordinator/api/api_handler.h"

#include "coordinator/api/discovery.h"
#include "coordinator/api/object_view.h"
#include "coordinator/api/representation.h"
#include "coordinator/api/table.h"
#include "shared/base/random.h"

namespace octet {
namespace {

bool IsHealthPath(const std::vector<std::string>& path) {
  return path.size() == 1 && (path[0] == "healthz" || path[0] == "livez" || path[0] == "readyz");
}

// One object in the form that the client asked for.
ApiResponse ShowObject(const ApiRequest& request, const KindInfo& info, const Object& object,
                       TimePoint now) {
  const std::optional<Representation> chosen = Negotiate(request);
  if (!chosen) return NotAcceptable();
  if (chosen->form != Representation::Form::kTable) return JsonResponse(200, EncodeObject(object));
  Value table = EncodeTable(info, {object}, chosen->row_object, /*with_columns=*/true, now);
  table.Find("metadata")->Set("resourceVersion", std::to_string(object.meta.resource_version));
  return JsonResponse(200, table);
}

constexpr char kReadMethods[] = "GET, HEAD";

// What `path` takes, for the Allow header (RFC 9110, section 10.2.1).
std::string MethodsOf(const ResourcePath& path) {
  std::vector<std::string> verbs = path.info->verbs;
  if (!path.subresource.empty()) verbs = path.info->FindSubresource(path.subresource)->verbs;
  const bool collection = path.name.empty();
  const bool has_place = !path.info->namespaced || !path.ns.empty();
  std::string methods;
  const auto add = [&](const char* verb, const char* method, bool there) {
    if (there && std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) {
      methods += (methods.empty() ? "" : ", ") + std::string(method);
    }
  };
  add("get", kReadMethods, true);
  add("create", "POST", has_place && (collection || !path.subresource.empty()));
  add("update", "PUT", !collection);
  add("patch", "PATCH", !collection);
  add("delete", "DELETE", !collection);
  add("deletecollection", "DELETE", collection && has_place);
  return methods;
}

ApiResponse WithAllow(ApiResponse response, const std::string& methods) {
  if (response.code == 405) response.headers["Allow"] = methods;
  return response;
}

}  // namespace

ApiHandler::ApiHandler(Store& store, const Clock& clock, ApiOptions options)
    : store_(store),
      clock_(clock),
      options_(std::move(options)),
      openapi_(options_.version),
      feed_(store) {
  if (!options_.new_uid) {
    options_.new_uid = [] { return FormatUuid(SystemRandom64(), SystemRandom64()); };
  }
}

std::optional<ApiResponse> ApiHandler::AnswerAboutItself(const ApiRequest& request) const {
  const bool reads = request.method == "GET";
  const auto only_get = [] { return WithAllow(MethodNotAllowed({}, "only GET"), kReadMethods); };
  if (IsHealthPath(request.path)) {
    if (!reads) return only_get();
    const bool asks_ready = request.path[0] == "readyz" && options_.ready;
    const Status ready = asks_ready ? options_.ready() : Ok();
    return ready.ok() ? TextResponse(200, "ok") : TextResponse(503, ready.message() + "\n");
  }
  const std::optional<Representation> chosen = Negotiate(request);
  if (reads && chosen && chosen->form == Representation::Form::kGroupDiscovery) {
    if (const auto found = FindGroupDiscovery(request.path)) {
      ApiResponse response = JsonResponse(200, *found);
      // Clients take it for the old form unless the type says what it is.
      response.headers["Content-Type"] = kGroupDiscoveryMediaType;
      response.headers["Vary"] = "Accept";
      return response;
    }
  }
  if (auto found = openapi_.Find(request.path)) return reads ? *std::move(found) : only_get();
  if (const auto found = FindDiscovery(request.path, options_.version)) {
    return reads ? JsonResponse(200, *found) : only_get();
  }
  return std::nullopt;
}

ApiResponse ApiHandler::Handle(const ApiRequest& request) {
  if (auto answer = AnswerAboutItself(request)) return *std::move(answer);
  const std::optional<ResourcePath> path = ParseResourcePath(request.path);
  if (!path) return NoSuchPath();
  const bool reads = request.method == "GET";
  if (!reads && !request.peer_is_loopback) {
    return Forbidden(SubjectOf(*path),
                     "until there is authentication, only this machine may write; from elsewhere "
                     "the API is read-only");
  }
  if (path->info->kind == Kind::kSecret && !request.peer_is_loopback) {
    return Forbidden(SubjectOf(*path), "secrets are shown on this machine only");
  }
  if (!reads && !request.Header("origin").empty()) {
    return Forbidden(SubjectOf(*path), "a web page may not write");
  }
  const std::string& name = request.Header("impersonate-user");
  return WithAllow(HandleResource({.request = request,
                                   .path = *path,
                                   .caller = {.name = name, .may_name_others = name.empty()}}),
                   MethodsOf(*path));
}

ApiResponse ApiHandler::HandleResource(const Call& call) {
  if (!call.path.subresource.empty()) return HandleSubresource(call);
  return call.path.name.empty() ? HandleCollection(call) : HandleObject(call);
}

ApiResponse ApiHandler::HandleSubresource(const Call& call) {
  const std::string& part = call.path.subresource;
  const bool reads = call.request.method == "GET";
  if (part == "scale") return HandleScale(call);
  if (part == "log") {
    if (!reads) return MethodNotAllowed(SubjectOf(call.path), "a log can only be read");
    return call.path.info->kind == Kind::kPod ? ReadPodLog(call) : ReadLog(call);
  }
  if (part == "eviction") {
    return call.request.method == "POST"
               ? Evict(call)
               : MethodNotAllowed(SubjectOf(call.path), "an eviction can only be created");
  }
  if (part != "status") return NoSuchPath();
  return reads ? HandleObject(call)
               : MethodNotAllowed(SubjectOf(call.path),
                                  "the status is written by the coordinator only");
}

ApiResponse ApiHandler::HandleCollection(const Call& call) {
  const std::string& method = call.request.method;
  if (method == "GET") {
    return IsTrueWord(call.request.Query("watch")) ? StartWatch(call) : List(call);
  }
  if (method == "POST") return Create(call);
  if (method == "DELETE" && call.path.info->Takes("deletecollection")) {
    return DeleteCollection(call);
  }
  return MethodNotAllowed(SubjectOf(call.path), "a collection takes GET and POST, not " + method);
}

ApiResponse ApiHandler::HandleObject(const Call& call) const {
  const std::string& method = call.request.method;
  if (method == "GET") {
    const Result<Object> object = GetShown(call.path);
    if (!object.ok()) return StoreError(SubjectOf(call.path), object.status());
    return ShowObject(call.request, *call.path.info, *object, clock_.Now());
  }
  if (method == "PUT" && call.path.info->Takes("update")) return Replace(call);
  if (method == "PATCH" && call.path.info->Takes("patch")) return Patch(call);
  if (method == "DELETE" && call.path.info->Takes("delete")) return Delete(call);
  return MethodNotAllowed(SubjectOf(call.path),
                          "its kind takes " + MethodsOf(call.path) + ", not " + method);
}

}  // namespace octet
