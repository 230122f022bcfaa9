// The writing half of ApiHandler: how a request becomes a checked object and a transaction.
#include <algorithm>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/change_rules.h"
#include "coordinator/api/json_patch.h"
#include "coordinator/api/merge_patch.h"
#include "shared/base/limits.h"
#include "shared/objects/field_reader.h"
#include "shared/objects/json.h"
#include "shared/objects/schema.h"
#include "shared/objects/yaml.h"

namespace octet {
namespace {

constexpr char kModified[] =
    "the object has been modified; please apply your changes to the latest version and try again";

// "application/json" of "Application/JSON; charset=utf-8".
std::string MediaTypeOf(std::string_view header) {
  std::string type(header.substr(0, header.find(';')));
  while (type.ends_with(' ')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return type;
}

std::string TextAt(const Value& document, std::string_view path) {
  const Value* value = document.FindPath(path);
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

// The parts of Kubernetes' DeleteOptions that change what a deletion does.
struct DeleteOptions {
  bool dry_run = false;
  std::string uid{};      // Of the object that is meant; empty: whichever is there.
  std::string version{};  // In which it was read; empty: whichever it is in.
};

// `body` may be null. kInvalidArgument: a part is of the wrong type.
Result<DeleteOptions> ReadDeleteOptions(const Value& body) {
  FieldReader options(&body, "options");
  FieldReader preconditions(options.Find("preconditions"), "preconditions");
  DeleteOptions read{.uid = preconditions.String("uid"),
                     .version = preconditions.String("resourceVersion")};
  for (const std::string& stage : options.Strings("dryRun")) {
    if (stage != "All") return InvalidArgument("dryRun must be All; got \"" + stage + "\"");
    read.dry_run = true;
  }
  OCTET_RETURN_IF_ERROR(options.status());
  OCTET_RETURN_IF_ERROR(preconditions.status());
  return read;
}

// Why a document cannot be the object of `path`, or nothing.
std::optional<ApiResponse> CheckIdentity(const ResourcePath& path, const Value& document) {
  const std::string kind = TextAt(document, "kind");
  if (!kind.empty() && kind != path.info->name) {
    return BadRequest("the object is a " + kind + "; this path takes a " + path.info->name);
  }
  const std::string ns = TextAt(document, "metadata.namespace");
  if (path.info->namespaced && !ns.empty() && ns != path.ns) {
    return BadRequest("the namespace of the object (" + ns +
                      ") does not match the namespace of the request (" + path.ns + ")");
  }
  const std::string name = TextAt(document, "metadata.name");
  if (!path.name.empty() && !name.empty() && name != path.name) {
    return BadRequest("the name of the object (" + name +
                      ") does not match the name of the request (" + path.name + ")");
  }
  return std::nullopt;
}

// Fills in what the path says and the document leaves out.
void CompleteIdentity(const ResourcePath& path, Value& document) {
  Value* metadata = document.Find("metadata");
  if (metadata == nullptr || !metadata->is_map()) return;
  if (path.info->namespaced && metadata->Find("namespace") == nullptr) {
    metadata->Set("namespace", path.ns);
  }
}

// The user of a job is who asks; who asks as nobody must name one.
std::optional<ApiResponse> CompleteUser(const ApiRequest& request, const Subject& subject,
                                        Value& document) {
  Value* spec = document.Find("spec");
  if (spec == nullptr || !spec->is_map()) return std::nullopt;
  const std::string& caller = request.Header("impersonate-user");
  const Value* user = spec->Find("user");
  const bool stated = user != nullptr && !user->is_null();
  if (!stated && caller.empty()) {
    return Invalid(subject, {{.path = "spec.user",
                              .message = "is required where no Impersonate-User header says who "
                                         "asks",
                              .reason = "FieldValueRequired"}});
  }
  if (!stated) {
    spec->Set("user", caller);
  } else if (!caller.empty() && user->is_string() && user->AsString() != caller) {
    return Forbidden(subject, "spec.user is " + user->AsString() + " but the caller is " + caller +
                                  ": a job is paid by who asks for it");
  }
  return std::nullopt;
}

OrRefusal<Value> ReadJsonBody(const std::string& text) {
  Result<Value> body = ReadJson(text);
  if (!body.ok()) return BadRequest("the body is no JSON: " + body.status().message());
  return *std::move(body);
}

OrRefusal<Value> ReadYamlBody(const std::string& text) {
  YamlDocuments read = ReadYaml(text);
  if (!read.faults.empty()) {
    return BadRequest("the body is no YAML: " + FormatFaults("body", read.faults));
  }
  if (read.documents.size() != 1) return BadRequest("the body must be one YAML document");
  return std::move(read.documents.front());
}

// `document` as the patch of `media_type` makes it.
OrRefusal<Value> Patched(const Subject& subject, const std::string& media_type, Value document,
                         const Value& patch) {
  if (media_type != kJsonPatchMediaType) return MergePatch(std::move(document), patch);
  Result<Value> patched = JsonPatch(std::move(document), patch);
  if (patched.status().code() == StatusCode::kFailedPrecondition) {
    return Invalid(subject, {{.path = "patch", .message = patched.status().message()}});
  }
  if (!patched.ok()) return BadRequest(patched.status().message());
  return *std::move(patched);
}

}  // namespace

OrRefusal<ApiHandler::WriteRequest> ApiHandler::ReadWrite(
    const ApiRequest& request, const std::vector<std::string>& accepted) const {
  const std::string& dry_run = request.Query("dryRun");
  if (!dry_run.empty() && dry_run != "All") {
    return BadRequest("dryRun must be All; got \"" + dry_run + "\"");
  }
  WriteRequest write{.dry_run = !dry_run.empty(), .media_type = accepted.front(), .body = {}};
  if (request.body.empty()) {
    if (request.method == "DELETE") return write;
    return BadRequest("the request has no body");
  }
  // A missing type is JSON: a client in the field sends a scale like that.
  const std::string& given = request.Header("content-type");
  if (!given.empty() && request.method != "DELETE") {
    write.media_type = MediaTypeOf(given);
    if (std::find(accepted.begin(), accepted.end(), write.media_type) == accepted.end()) {
      return UnsupportedMediaType(given, OneOfWords(accepted));
    }
  }
  auto body =
      write.media_type == kYamlMediaType ? ReadYamlBody(request.body) : ReadJsonBody(request.body);
  if (auto* refusal = std::get_if<ApiResponse>(&body)) return *std::move(refusal);
  write.body = std::get<Value>(std::move(body));
  if (write.media_type == kJsonPatchMediaType) return write;
  if (!write.body.is_map()) return BadRequest("the body must be an object");
  return write;
}

OrRefusal<Object> ApiHandler::CheckWanted(const ApiRequest& request, const ResourcePath& path,
                                          Value document) const {
  if (auto refusal = CheckIdentity(path, document)) return *std::move(refusal);
  CompleteIdentity(path, document);
  Subject subject = SubjectOf(path);
  if (subject.name.empty()) subject.name = TextAt(document, "metadata.name");
  // A user who only changes a job is not its payer: that is settled at its creation.
  if (path.info->kind == Kind::kTrainingJob && path.name.empty()) {
    if (auto refusal = CompleteUser(request, subject, document)) return *std::move(refusal);
  }
  Faults faults;
  Object object = CheckDocument(document, faults);
  if (!faults.empty()) return Invalid(subject, faults);
  return object;
}

OrRefusal<Object> ApiHandler::CheckAlone(Object object) const {
  if (object.kind != Kind::kUserQuota) return object;
  const Subject subject{.info = &InfoOf(object.kind), .name = object.meta.name};
  const Result<Snapshot> quotas = store_.List(Kind::kUserQuota, "");
  if (!quotas.ok()) return StoreError(subject, quotas.status());
  for (const Object& other : quotas->objects) {
    if (other.meta.name == object.meta.name) continue;
    if (TextAt(other.spec, "user") != TextAt(object.spec, "user")) continue;
    return Invalid(subject, {{.path = "spec.user",
                              .message = "has a quota already: " + other.meta.name,
                              .reason = "FieldValueDuplicate"}});
  }
  return object;
}

ApiResponse ApiHandler::Create(const ApiRequest& request, const ResourcePath& path) const {
  const Subject collection = SubjectOf(path);
  if (!path.info->user_writable) {
    return MethodNotAllowed(collection, "made by the coordinator, not by users");
  }
  if (path.info->namespaced && path.ns.empty()) {
    return MethodNotAllowed(collection, "create an object under its namespace");
  }
  auto read = ReadWrite(request, {kJsonMediaType, kYamlMediaType});
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  auto& write = std::get<WriteRequest>(read);
  auto checked = CheckWanted(request, path, std::move(write.body));
  if (auto* object = std::get_if<Object>(&checked)) checked = CheckAlone(std::move(*object));
  if (auto* refusal = std::get_if<ApiResponse>(&checked)) return *refusal;

  Object object = std::get<Object>(std::move(checked));
  const Subject subject{.info = path.info, .name = object.meta.name};
  object.status = Value();
  object.meta.uid = options_.new_uid();
  object.meta.created = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  object.meta.deleted.reset();
  object.meta.finalizers.clear();
  object.meta.resource_version = 0;
  object.meta.generation = 1;
  const Result<Object> live = store_.Get(KeyOf(object));
  if (live.ok()) return AlreadyExistsResponse(subject);
  if (live.status().code() != StatusCode::kNotFound) return StoreError(subject, live.status());
  if (write.dry_run) return JsonResponse(201, EncodeObject(object));
  const auto stored = store_.Commit({CreateObject{.object = std::move(object)}});
  if (!stored.ok()) return StoreError(subject, stored.status());
  return JsonResponse(201, EncodeObject(stored->front()));
}

ApiResponse ApiHandler::Replace(const ApiRequest& request, const ResourcePath& path) const {
  auto read = ReadWrite(request, {kJsonMediaType, kYamlMediaType});
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  auto& write = std::get<WriteRequest>(read);
  const Result<Object> live = GetLive(path);
  if (!live.ok()) return StoreError(SubjectOf(path), live.status());
  if (TextAt(write.body, "metadata.resourceVersion").empty()) {
    return Invalid(SubjectOf(path),
                   {{.path = "metadata.resourceVersion",
                     .message = "must be specified for an update: that of the object you read",
                     .reason = "FieldValueRequired"}});
  }
  const auto updated = Update(request, path, *live, std::move(write.body), write.dry_run);
  if (const auto* refusal = std::get_if<ApiResponse>(&updated)) return *refusal;
  return JsonResponse(200, EncodeObject(std::get<Object>(updated)));
}

ApiResponse ApiHandler::Patch(const ApiRequest& request, const ResourcePath& path) const {
  const auto read = ReadWrite(request, {kMergeMediaType, kJsonPatchMediaType});
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  const auto& write = std::get<WriteRequest>(read);
  const auto patched = PatchLive(request, path, write);
  if (const auto* refusal = std::get_if<ApiResponse>(&patched)) return *refusal;
  return JsonResponse(200, EncodeObject(std::get<Object>(patched)));
}

OrRefusal<Object> ApiHandler::PatchLive(const ApiRequest& request, const ResourcePath& path,
                                        const WriteRequest& write) const {
  for (int attempt = 1;; ++attempt) {
    const Result<Object> live = GetLive(path);
    if (!live.ok()) return StoreError(SubjectOf(path), live.status());
    auto patched = Patched(SubjectOf(path), write.media_type, EncodeObject(*live), write.body);
    if (auto* refusal = std::get_if<ApiResponse>(&patched)) return *std::move(refusal);
    OrRefusal<Object> updated =
        Update(request, path, *live, std::get<Value>(std::move(patched)), write.dry_run);
    const auto* refusal = std::get_if<ApiResponse>(&updated);
    const bool lost_race = refusal != nullptr && refusal->code == 409;
    if (!lost_race || attempt == limits::kCommitAttemptsMax) return updated;
  }
}

OrRefusal<Object> ApiHandler::Update(const ApiRequest& request, const ResourcePath& path,
                                     const Object& live, Value document, bool dry_run) const {
  const Subject subject = SubjectOf(path);
  // What the server or the payer has once set, a document need not repeat.
  Value* spec = document.Find("spec");
  const Value* user = live.spec.Find("user");
  if (spec != nullptr && spec->is_map() && spec->Find("user") == nullptr && user != nullptr) {
    spec->Set("user", *user);
  }
  auto checked = CheckWanted(request, path, std::move(document));
  if (auto* object = std::get_if<Object>(&checked)) checked = CheckAlone(std::move(*object));
  if (auto* refusal = std::get_if<ApiResponse>(&checked)) return *refusal;
  Object& wanted = std::get<Object>(checked);
  const bool other_uid = !wanted.meta.uid.empty() && wanted.meta.uid != live.meta.uid;
  const bool stale = wanted.meta.resource_version != live.meta.resource_version;
  if (other_uid || stale) return Conflict(subject, kModified);
  if (const Faults faults = CheckChange(live, wanted); !faults.empty()) {
    return Invalid(subject, faults);
  }
  Object next = live;
  next.spec = std::move(wanted.spec);
  next.meta.labels = std::move(wanted.meta.labels);
  next.meta.annotations = std::move(wanted.meta.annotations);
  if (dry_run) return next;
  const auto stored = store_.Commit(
      {UpdateObject{.object = std::move(next), .expected_version = live.meta.resource_version}});
  if (!stored.ok()) return StoreError(subject, stored.status());
  return stored->front();
}

ApiResponse ApiHandler::Delete(const ApiRequest& request, const ResourcePath& path) const {
  const Subject subject = SubjectOf(path);
  if (!path.info->user_writable) {
    return MethodNotAllowed(subject, "made by the coordinator, not for users to delete");
  }
  const auto read = ReadWrite(request, {kJsonMediaType});
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  const auto& write = std::get<WriteRequest>(read);
  const Result<DeleteOptions> options = ReadDeleteOptions(write.body);
  if (!options.ok()) return BadRequest(options.status().message());
  const bool dry_run = write.dry_run || options->dry_run;
  for (int attempt = 1;; ++attempt) {
    Result<Object> live = GetLive(path);
    if (!live.ok()) return StoreError(subject, live.status());
    if (!options->uid.empty() && options->uid != live->meta.uid) {
      return Conflict(subject, "the uid of the precondition is that of another object");
    }
    const int64_t version = live->meta.resource_version;
    if (!options->version.empty() && options->version != std::to_string(version)) {
      return Conflict(subject, kModified);
    }
    octet::Write change =
        DeleteObject{.key = KeyOf(*live), .uid = live->meta.uid, .expected_version = version};
    // What holds boards ends first: the controllers see the time and finish the deletion.
    const bool held = !live->meta.finalizers.empty();
    if (held) {
      if (live->meta.deleted) return JsonResponse(200, EncodeObject(*live));
      live->meta.deleted = std::chrono::floor<std::chrono::seconds>(clock_.Now());
      change = UpdateObject{.object = *live, .expected_version = version};
    }
    if (dry_run)
      return held ? JsonResponse(200, EncodeObject(*live)) : Deleted(subject, live->meta.uid);
    const auto stored = store_.Commit({std::move(change)});
    if (stored.ok() && held) return JsonResponse(200, EncodeObject(stored->front()));
    if (stored.ok()) return Deleted(subject, live->meta.uid);
    const bool lost_race = stored.status().code() == StatusCode::kAborted;
    if (!lost_race || attempt == limits::kCommitAttemptsMax) {
      return StoreError(subject, stored.status());
    }
  }
}

}  // namespace octet
