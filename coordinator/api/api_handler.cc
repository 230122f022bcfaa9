#include "coordinator/api/api_handler.h"

#include <charconv>

#include "coordinator/api/discovery.h"
#include "coordinator/api/openapi.h"
#include "coordinator/api/scale.h"
#include "shared/base/limits.h"
#include "shared/base/random.h"
#include "shared/objects/json.h"
#include "shared/objects/training_job.h"

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
  const std::string reads = kReadMethods;
  if (path.subresource == "scale") return reads + ", PUT, PATCH";
  if (!path.subresource.empty()) return reads;
  const bool writable = path.info->user_writable;
  if (path.name.empty()) {
    const bool has_place = !path.info->namespaced || !path.ns.empty();
    return reads + (writable && has_place ? ", POST" : "");
  }
  if (writable) return reads + ", PUT, PATCH, DELETE";
  return reads + (path.info->kind == Kind::kBoard ? ", PUT, PATCH" : "");
}

ApiResponse WithAllow(ApiResponse response, const std::string& methods) {
  if (response.code == 405) response.headers["Allow"] = methods;
  return response;
}

}  // namespace

ApiHandler::ApiHandler(Store& store, const Clock& clock, ApiOptions options)
    : store_(store), clock_(clock), options_(std::move(options)), feed_(store) {
  if (!options_.new_uid) {
    options_.new_uid = [] { return FormatUuid(SystemRandom64(), SystemRandom64()); };
  }
}

ApiResponse ApiHandler::Handle(const ApiRequest& request) {
  const bool reads = request.method == "GET";
  if (IsHealthPath(request.path)) {
    if (!reads) return WithAllow(MethodNotAllowed({}, "only GET"), kReadMethods);
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
  if (const auto found = FindOpenApi(request.path, options_.version)) {
    return reads ? *found : MethodNotAllowed({}, "only GET");
  }
  if (const auto found = FindDiscovery(request.path, options_.version)) {
    return reads ? JsonResponse(200, *found)
                 : WithAllow(MethodNotAllowed({}, "only GET"), kReadMethods);
  }
  const std::optional<ResourcePath> path = ParseResourcePath(request.path);
  if (!path) return NoSuchPath();
  if (!reads && !request.peer_is_loopback) {
    return Forbidden(SubjectOf(*path),
                     "until there is authentication, only this machine may write; from elsewhere "
                     "the API is read-only");
  }
  if (!reads && !request.Header("origin").empty()) {
    return Forbidden(SubjectOf(*path), "a web page may not write");
  }
  return WithAllow(HandleResource(request, *path), MethodsOf(*path));
}

ApiResponse ApiHandler::HandleResource(const ApiRequest& request, const ResourcePath& path) {
  if (path.subresource == "scale") return HandleScale(request, path);
  if (path.subresource == "log") {
    return request.method == "GET" ? ReadLog(request, path)
                                   : MethodNotAllowed(SubjectOf(path), "a log can only be read");
  }
  if (path.subresource == "status" && request.method != "GET") {
    return MethodNotAllowed(SubjectOf(path), "the status is written by the coordinator only");
  }
  return path.name.empty() ? HandleCollection(request, path) : HandleObject(request, path);
}

ApiResponse ApiHandler::HandleCollection(const ApiRequest& request, const ResourcePath& path) {
  if (request.method == "GET") {
    return IsTrueWord(request.Query("watch")) ? StartWatch(request, path) : List(request, path);
  }
  if (request.method != "POST") {
    return MethodNotAllowed(SubjectOf(path),
                            "a collection takes GET and POST, not " + request.method);
  }
  return Create(request, path);
}

ApiResponse ApiHandler::HandleObject(const ApiRequest& request, const ResourcePath& path) const {
  if (request.method == "GET") {
    const Result<Object> live = GetLive(path);
    if (!live.ok()) return StoreError(SubjectOf(path), live.status());
    return ShowObject(request, *path.info, *live, clock_.Now());
  }
  if (path.info->kind == Kind::kSession) {
    return MethodNotAllowed(SubjectOf(path), "written by the coordinator only");
  }
  if (request.method == "PUT") return Replace(request, path);
  if (request.method == "PATCH") return Patch(request, path);
  if (request.method == "DELETE") return Delete(request, path);
  return MethodNotAllowed(SubjectOf(path),
                          "an object takes GET, PUT, PATCH and DELETE, not " + request.method);
}

ApiResponse ApiHandler::HandleScale(const ApiRequest& request, const ResourcePath& path) const {
  const Subject subject = SubjectOf(path);
  if (request.method == "GET") {
    const Result<Object> live = GetLive(path);
    if (!live.ok()) return StoreError(subject, live.status());
    return JsonResponse(200, EncodeScale(*live));
  }
  if (request.method != "PUT" && request.method != "PATCH") {
    return MethodNotAllowed(subject, "a scale takes GET, PUT and PATCH, not " + request.method);
  }
  auto read = ReadWrite(request, {request.method == "PUT" ? kJsonMediaType : kMergeMediaType});
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  auto& write = std::get<WriteRequest>(read);
  const Result<Value> patch = PatchOfScale(write.body);
  if (!patch.ok()) {
    return Invalid(subject, {{.path = "spec.replicas", .message = patch.status().message()}});
  }
  write.media_type = kMergeMediaType;
  write.body = *patch;
  const auto patched = PatchLive(request, path, write);
  if (const auto* refusal = std::get_if<ApiResponse>(&patched)) return *refusal;
  return JsonResponse(200, EncodeScale(std::get<Object>(patched)));
}

ApiResponse ApiHandler::ReadLog(const ApiRequest& request, const ResourcePath& path) const {
  const Subject subject = SubjectOf(path);
  const std::string& asked = request.Query("offset");
  int64_t offset = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), offset);
  if (!asked.empty() &&
      (error != std::errc() || end != asked.data() + asked.size() || offset < 0)) {
    return BadRequest("offset must be a number of bytes; got \"" + asked + "\"");
  }
  // The job first: what was written before it ended is then in the log.
  const Result<Object> live = GetLive(path);
  if (!live.ok()) return StoreError(subject, live.status());
  const Result<TrainingJob> job = DecodeTrainingJob(*live);
  if (!job.ok()) return StoreError(subject, Internal(job.status().message()));
  JobLogPart part{.offset = offset, .text = {}, .at_end = true};
  if (options_.read_log) {
    Result<JobLogPart> read = options_.read_log(JobUid(live->meta.uid), offset);
    if (!read.ok()) return StoreError(subject, read.status());
    part = *std::move(read);
  }
  ApiResponse response = TextResponse(200, std::move(part.text));
  response.headers["Octet-Log-Offset"] = std::to_string(part.offset);
  response.headers["Octet-Log-End"] =
      part.at_end && IsTerminal(job->status.phase) ? "true" : "false";
  return response;
}

Result<Object> ApiHandler::GetLive(const ResourcePath& path) const {
  return store_.Get({.kind = path.info->kind, .ns = path.ns, .name = path.name});
}

}  // namespace octet
