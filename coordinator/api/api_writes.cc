// The writing half of ApiHandler: how a request becomes a checked object and a transaction.
#include <algorithm>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/change_rules.h"
#include "coordinator/api/json_patch.h"
#include "coordinator/api/managed_fields.h"
#include "coordinator/api/merge_patch.h"
#include "coordinator/api/object_view.h"
#include "coordinator/api/scale.h"
#include "coordinator/api/strategic_merge.h"
#include "coordinator/api/unknown_fields.h"
#include "shared/base/limits.h"
#include "shared/base/random.h"

namespace octet {
namespace {

constexpr char kModified[] =
    "the object has been modified; please apply your changes to the latest version and try again";
// Finalizers by which the coordinator itself holds an object: not for clients to set or to remove.
constexpr char kOwnFinalizers[] = "octet.dev/";

std::string TextAt(const Value& document, std::string_view path) {
  const Value* value = document.FindPath(path);
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

// Why a document cannot be the object of `path`, or nothing.
std::optional<ApiResponse> CheckIdentity(const ResourcePath& path, const Value& document) {
  const std::string kind = TextAt(document, "kind");
  const std::string version = TextAt(document, "apiVersion");
  const bool other_version = !version.empty() && version != path.info->api_version();
  if ((!kind.empty() && kind != path.info->name) || other_version) {
    return BadRequest("the object is a " + version + " " + kind + "; this path takes a " +
                      path.info->api_version() + " " + path.info->name);
  }
  const std::string ns = TextAt(document, "metadata.namespace");
  if (path.info->namespaced && !ns.empty() && ns != path.ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request: "
        "the object says " +
        ns + ", the request " + path.ns);
  }
  const std::string name = TextAt(document, "metadata.name");
  if (!path.name.empty() && !name.empty() && name != path.name) {
    return BadRequest("the name of the object (" + name + ") does not match the name on the URL (" +
                      path.name + ")");
  }
  return std::nullopt;
}

// Fills in what the path says and the document leaves out.
void CompleteIdentity(const ResourcePath& path, Value& document) {
  if (document.Find("kind") == nullptr) document.Set("kind", path.info->name);
  if (document.Find("apiVersion") == nullptr) document.Set("apiVersion", path.info->api_version());
  Value* metadata = document.Find("metadata");
  if (metadata == nullptr || !metadata->is_map()) return;
  if (path.info->namespaced && metadata->Find("namespace") == nullptr) {
    metadata->Set("namespace", path.ns);
  }
  // A name that the server makes: five letters that make no words.
  const std::string prefix = TextAt(*metadata, "generateName");
  if (!path.name.empty() || prefix.empty() || !TextAt(*metadata, "name").empty()) return;
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr size_t kNameBytesMax = 63;
  Random random(SystemRandom64());
  std::string name = prefix.substr(0, kNameBytesMax - 5);
  for (int i = 0; i < 5; ++i) name += kLetters[random.Below(kLetters.size())];
  metadata->Set("name", name);
}

// The user of a job is who asks; who asks as nobody must name one.
std::optional<ApiResponse> CompleteUser(const Caller& caller, const Subject& subject,
                                        Value& document) {
  Value* spec = document.Find("spec");
  if (spec == nullptr || !spec->is_map()) return std::nullopt;
  const Value* user = spec->Find("user");
  const bool stated = user != nullptr && !user->is_null();
  if (!stated && caller.name.empty()) {
    return Invalid(subject, {{.path = "spec.user",
                              .message = "is required where no Impersonate-User header says who "
                                         "asks",
                              .reason = "FieldValueRequired"}});
  }
  if (!stated) {
    spec->Set("user", caller.name);
  } else if (!caller.may_name_others && user->is_string() && user->AsString() != caller.name) {
    return Forbidden(subject, "spec.user is " + user->AsString() + " but the caller is " +
                                  caller.name + ": a job is paid by who asks for it");
  }
  return std::nullopt;
}

// `document` as the patch of `media_type` makes it.
OrRefusal<Value> Patched(const Subject& subject, const std::string& media_type, Value document,
                         const Value& patch) {
  if (media_type == kMergeMediaType) return MergePatch(std::move(document), patch);
  const bool strategic = media_type == kStrategicMediaType;
  Result<Value> patched = strategic ? StrategicMergePatch(std::move(document), patch)
                                    : JsonPatch(std::move(document), patch);
  if (patched.status().code() == StatusCode::kFailedPrecondition) {
    return Invalid(subject, {{.path = "patch", .message = patched.status().message()}});
  }
  if (!patched.ok()) return BadRequest(patched.status().message());
  return *std::move(patched);
}

// What of an object can be somebody's field.
Value FieldsOf(const Object& object) {
  Value document = EncodeObject(object);
  document.Erase("status");
  return document;
}

// The finalizers that `live` has after a client asked for `wanted`.
OrRefusal<std::vector<std::string>> NextFinalizers(const Subject& subject, const Object& live,
                                                   const std::vector<std::string>& wanted) {
  std::vector<std::string> next;
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const std::string& held : live.meta.finalizers) {
    if (held.starts_with(kOwnFinalizers) || has(wanted, held)) next.push_back(held);
  }
  for (const std::string& added : wanted) {
    if (has(live.meta.finalizers, added)) continue;
    if (live.meta.deleted || added.starts_with(kOwnFinalizers)) {
      return Invalid(subject, {{.path = "metadata.finalizers",
                                .message = live.meta.deleted
                                               ? "no new finalizers can be added if the object is "
                                                 "being deleted, found new finalizers " +
                                                     added
                                               : added + " is set by the coordinator only",
                                .reason = "FieldValueForbidden"}});
    }
    next.push_back(added);
  }
  return next;
}

ApiResponse Show(int code, const Written& written) {
  return WithWarnings(JsonResponse(code, EncodeObject(written.object)), written.warnings);
}

// A JSON patch of what clients may change in any object, and a merge patch.
std::vector<std::string> PatchTypesOf(const KindInfo& info) {
  std::vector<std::string> types = {kJsonPatchMediaType, kMergeMediaType};
  // A custom resource does not take one, and kubectl asks those first.
  if (info.group != kApiGroup) types.push_back(kStrategicMediaType);
  if (!info.view_of) types.push_back(kApplyMediaType);
  return types;
}

}  // namespace

OrRefusal<Written> ApiHandler::CheckWanted(const Call& call, const WriteRequest& write,
                                           Value document) const {
  const ResourcePath& path = call.path;
  if (auto refusal = CheckIdentity(path, document)) return *std::move(refusal);
  CompleteIdentity(path, document);
  Subject subject = SubjectOf(path);
  if (subject.name.empty()) subject.name = TextAt(document, "metadata.name");
  // A user who only changes a job is not its payer: that is settled at its creation.
  if (path.info->kind == Kind::kTrainingJob && path.name.empty()) {
    if (auto refusal = CompleteUser(call.caller, subject, document)) return *std::move(refusal);
  }
  Faults faults;
  Written checked{.object = CheckDocument(document, faults)};
  if (auto refusal = RefuseUnknownFields(*path.info, write.validation, faults, checked.warnings)) {
    return *std::move(refusal);
  }
  if (!faults.empty()) return Invalid(subject, faults);
  if (auto refusal = CheckAlone(checked.object)) return *std::move(refusal);
  return checked;
}

std::optional<ApiResponse> ApiHandler::CheckAlone(const Object& object) const {
  if (object.kind != Kind::kUserQuota) return std::nullopt;
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
  return std::nullopt;
}

std::optional<ApiResponse> ApiHandler::CheckNamespace(const Call& call,
                                                      const std::string& name) const {
  const std::string& ns = call.path.ns;
  if (ns.empty()) return std::nullopt;
  const Result<Object> space = store_.Get({.kind = Kind::kNamespace, .ns = "", .name = ns});
  if (space.status().code() == StatusCode::kNotFound) {
    // It is always there, also before the coordinator has made its object.
    if (ns == kDefaultNamespace) return std::nullopt;
    return NotFoundResponse({.info = &InfoOf(Kind::kNamespace), .name = ns});
  }
  const Subject subject{.info = call.path.info, .name = name};
  if (!space.ok()) return StoreError(subject, space.status());
  if (!space->meta.deleted) return std::nullopt;
  return NamespaceTerminating(subject, ns);
}

ApiResponse ApiHandler::Create(const Call& call) const {
  const ResourcePath& path = call.path;
  if (!path.info->Takes("create")) {
    return MethodNotAllowed(SubjectOf(path), "made by the coordinator, not by users");
  }
  if (path.info->namespaced && path.ns.empty()) {
    return MethodNotAllowed(SubjectOf(path), "create an object under its namespace");
  }
  auto read = ReadWriteRequest(call.request, {kJsonMediaType, kYamlMediaType});
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
  auto& write = std::get<WriteRequest>(read);
  auto created = CreateObjectOf(call, write, std::move(write.body), std::nullopt);
  if (auto* refusal = std::get_if<ApiResponse>(&created)) return *std::move(refusal);
  return Show(201, std::get<Written>(created));
}

OrRefusal<Written> ApiHandler::CreateObjectOf(const Call& call, const WriteRequest& write,
                                              Value document, std::optional<Value> managed) const {
  auto checked = CheckWanted(call, write, std::move(document));
  if (std::holds_alternative<ApiResponse>(checked)) return checked;
  auto& written = std::get<Written>(checked);
  written.created = true;
  Object& object = written.object;
  const Subject subject{.info = call.path.info, .name = object.meta.name};
  if (auto refusal = CheckNamespace(call, object.meta.name)) return *std::move(refusal);
  Object nothing = object;
  nothing.meta.finalizers.clear();
  nothing.meta.deleted.reset();
  auto finalizers = NextFinalizers(subject, nothing, object.meta.finalizers);
  if (auto* refusal = std::get_if<ApiResponse>(&finalizers)) return *std::move(refusal);
  object.status = call.path.info->initial_status;
  object.meta.uid = options_.new_uid();
  object.meta.created = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  object.meta.deleted.reset();
  object.meta.resource_version = 0;
  object.meta.generation = 1;
  object.meta.managed_fields = Value();
  object.meta.managed_fields = managed ? *std::move(managed)
                                       : NoteUpdate(Value(), Value(), FieldsOf(object),
                                                    {.manager = write.manager,
                                                     .api_version = call.path.info->api_version(),
                                                     .now = clock_.Now()});
  const Result<Object> live = store_.Get(KeyOf(object));
  if (live.ok()) return AlreadyExistsResponse(subject);
  if (live.status().code() != StatusCode::kNotFound) return StoreError(subject, live.status());
  if (write.dry_run) return checked;
  const auto stored = store_.Commit({CreateObject{.object = std::move(object)}});
  if (!stored.ok()) return StoreError(subject, stored.status());
  object = stored->front();
  return checked;
}

ApiResponse ApiHandler::Replace(const Call& call) const {
  auto read = ReadWriteRequest(call.request, {kJsonMediaType, kYamlMediaType});
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
  auto& write = std::get<WriteRequest>(read);
  const Result<Object> live = GetLive(call.path);
  if (!live.ok()) return StoreError(SubjectOf(call.path), live.status());
  // Of Kubernetes' own kinds the last writer may win; of others it must have read what it replaces.
  const bool names_version = !TextAt(write.body, "metadata.resourceVersion").empty();
  if (!names_version && call.path.info->group == kApiGroup) {
    return Invalid(SubjectOf(call.path),
                   {{.path = "metadata.resourceVersion",
                     .message = "must be specified for an update: that of the object you read",
                     .reason = "FieldValueInvalid"}});
  }
  if (!names_version && write.body.Find("metadata") != nullptr) {
    write.body.Find("metadata")
        ->Set("resourceVersion", std::to_string(live->meta.resource_version));
  }
  const auto updated = Update(call, write, *live, std::move(write.body), std::nullopt);
  if (const auto* refusal = std::get_if<ApiResponse>(&updated)) return *refusal;
  return Show(200, std::get<Written>(updated));
}

ApiResponse ApiHandler::Patch(const Call& call) const {
  const auto read = ReadWriteRequest(call.request, PatchTypesOf(*call.path.info));
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) {
    ApiResponse response = *refusal;
    if (response.code == 415) {
      std::string types;
      for (const std::string& type : PatchTypesOf(*call.path.info)) {
        types += (types.empty() ? "" : ", ") + type;
      }
      response.headers["Accept-Patch"] = types;
    }
    return response;
  }
  const auto& write = std::get<WriteRequest>(read);
  const auto patched =
      write.media_type == kApplyMediaType ? Apply(call, write) : PatchLive(call, write);
  if (const auto* refusal = std::get_if<ApiResponse>(&patched)) return *refusal;
  const auto& written = std::get<Written>(patched);
  return Show(written.created ? 201 : 200, written);
}

OrRefusal<Written> ApiHandler::PatchLive(const Call& call, const WriteRequest& write) const {
  const Subject subject = SubjectOf(call.path);
  for (int attempt = 1;; ++attempt) {
    const Result<Object> live = GetLive(call.path);
    if (!live.ok()) return StoreError(subject, live.status());
    const Result<Object> shown = GetShown(call.path);
    if (!shown.ok()) return StoreError(subject, shown.status());
    auto patched = Patched(subject, write.media_type, EncodeObject(*shown), write.body);
    if (auto* refusal = std::get_if<ApiResponse>(&patched)) return *std::move(refusal);
    OrRefusal<Written> updated =
        Update(call, write, *live, std::get<Value>(std::move(patched)), std::nullopt);
    const auto* refusal = std::get_if<ApiResponse>(&updated);
    const bool lost_race = refusal != nullptr && refusal->code == 409;
    if (!lost_race || attempt == limits::kCommitAttemptsMax) return updated;
  }
}

OrRefusal<Written> ApiHandler::Apply(const Call& call, const WriteRequest& write) const {
  if (!write.manager_given) {
    return Invalid({}, {{.path = "fieldManager",
                         .message = "is required for apply patch",
                         .reason = "FieldValueRequired"}});
  }
  if (write.body.FindPath("metadata.managedFields") != nullptr) {
    return BadRequest("metadata.managedFields must be nil");
  }
  for (int attempt = 1;; ++attempt) {
    OrRefusal<Written> applied = ApplyOnce(call, write);
    const auto* refusal = std::get_if<ApiResponse>(&applied);
    // A conflict of fields is the client's to solve; that of versions is a lost race.
    const bool lost_race = refusal != nullptr && refusal->code == 409 &&
                           refusal->body.find("FieldManagerConflict") == std::string::npos;
    if (!lost_race || attempt == limits::kCommitAttemptsMax) return applied;
  }
}

OrRefusal<Written> ApiHandler::ApplyOnce(const Call& call, const WriteRequest& write) const {
  const Subject subject = SubjectOf(call.path);
  Value applied = write.body;
  if (auto refusal = CheckIdentity(call.path, applied)) return *std::move(refusal);
  CompleteIdentity(call.path, applied);
  applied.Erase("status");
  const std::string expected = TextAt(applied, "metadata.resourceVersion");
  const std::string expected_uid = TextAt(applied, "metadata.uid");
  const FieldWriter writer{
      .manager = write.manager, .api_version = call.path.info->api_version(), .now = clock_.Now()};
  const Result<Object> live = GetLive(call.path);
  if (live.status().code() == StatusCode::kNotFound) {
    if (!expected.empty() || !expected_uid.empty()) return StoreError(subject, live.status());
    if (Value* metadata = applied.Find("metadata");
        metadata != nullptr && metadata->is_map() && metadata->Find("name") == nullptr) {
      metadata->Set("name", call.path.name);
    }
    AppliedFields made = ApplyFields(Value(), Value(), applied, writer, write.force);
    Call creation = call;
    creation.path.name.clear();
    return CreateObjectOf(creation, write, std::move(applied), std::move(made.managed));
  }
  if (!live.ok()) return StoreError(subject, live.status());
  if (!expected.empty() && expected != std::to_string(live->meta.resource_version)) {
    return Conflict(subject, kModified);
  }
  Value shown = FieldsOf(*live);
  AppliedFields made = ApplyFields(shown, live->meta.managed_fields, applied, writer, write.force);
  if (!made.conflicts.empty()) return FieldConflicts(made.conflicts);
  // What the server sets stays as it is, whatever the client has sent of it.
  made.document.Set("metadata", [&] {
    Value metadata = *made.document.Find("metadata");
    metadata.Set("resourceVersion", std::to_string(live->meta.resource_version));
    return metadata;
  }());
  return Update(call, write, *live, std::move(made.document), std::move(made.managed));
}

OrRefusal<Written> ApiHandler::Update(const Call& call, const WriteRequest& write,
                                      const Object& live, Value document,
                                      std::optional<Value> managed) const {
  const Subject subject = SubjectOf(call.path);
  if (call.path.info->view_of) return UpdateNode(call, write, live, document);
  // What the server or the payer has once set, a document need not repeat.
  Value* spec = document.Find("spec");
  const Value* user = live.spec.Find("user");
  if (spec != nullptr && spec->is_map() && spec->Find("user") == nullptr && user != nullptr) {
    spec->Set("user", *user);
  }
  const Value* given = document.FindPath("metadata.managedFields");
  const Value owned = given == nullptr ? live.meta.managed_fields : *given;
  auto checked = CheckWanted(call, write, std::move(document));
  if (std::holds_alternative<ApiResponse>(checked)) return checked;
  auto& written = std::get<Written>(checked);
  Object& wanted = written.object;
  const bool other_uid = !wanted.meta.uid.empty() && wanted.meta.uid != live.meta.uid;
  const bool stale = wanted.meta.resource_version != live.meta.resource_version;
  if (other_uid || stale) return Conflict(subject, kModified);
  if (const Faults faults = CheckChange(live, wanted); !faults.empty()) {
    return Invalid(subject, faults);
  }
  auto finalizers = NextFinalizers(subject, live, wanted.meta.finalizers);
  if (auto* refusal = std::get_if<ApiResponse>(&finalizers)) return *std::move(refusal);
  Object next = live;
  next.spec = std::move(wanted.spec);
  next.meta.labels = std::move(wanted.meta.labels);
  next.meta.annotations = std::move(wanted.meta.annotations);
  next.meta.owners = std::move(wanted.meta.owners);
  next.meta.finalizers = std::get<std::vector<std::string>>(std::move(finalizers));
  next.meta.managed_fields = managed ? *std::move(managed)
                                     : NoteUpdate(owned, FieldsOf(live), FieldsOf(next),
                                                  {.manager = write.manager,
                                                   .api_version = call.path.info->api_version(),
                                                   .subresource = call.path.subresource,
                                                   .now = clock_.Now()});
  written.object = next;
  if (write.dry_run) return checked;
  const int64_t version = live.meta.resource_version;
  octet::Write change = UpdateObject{.object = std::move(next), .expected_version = version};
  // The last one that held it has let go.
  if (live.meta.deleted && written.object.meta.finalizers.empty() &&
      !live.meta.finalizers.empty()) {
    change = DeleteObject{.key = KeyOf(live), .uid = live.meta.uid, .expected_version = version};
  }
  const auto stored = store_.Commit({std::move(change)});
  if (!stored.ok()) return StoreError(subject, stored.status());
  written.object = stored->front();
  return checked;
}

OrRefusal<Written> ApiHandler::UpdateNode(const Call& call, const WriteRequest& write,
                                          const Object& board, const Value& document) const {
  const Subject subject = SubjectOf(call.path);
  const std::string version = TextAt(document, "metadata.resourceVersion");
  if (!version.empty() && version != std::to_string(board.meta.resource_version)) {
    return Conflict(subject, kModified);
  }
  Faults faults;
  Object next = BoardOfNode(board, document, faults);
  if (!faults.empty()) return Invalid(subject, faults);
  if (!write.dry_run) {
    const auto stored = store_.Commit(
        {UpdateObject{.object = std::move(next), .expected_version = board.meta.resource_version}});
    if (!stored.ok()) return StoreError(subject, stored.status());
    next = stored->front();
  }
  const std::vector<Object> seen = ViewOf(call.path.info->kind, next);
  if (seen.empty()) return StoreError(subject, Internal("the board cannot be shown as a node"));
  return Written{.object = seen.front()};
}

ApiResponse ApiHandler::HandleScale(const Call& call) const {
  const Subject subject = SubjectOf(call.path);
  const std::string& method = call.request.method;
  if (method == "GET") {
    const Result<Object> live = GetLive(call.path);
    if (!live.ok()) return StoreError(subject, live.status());
    return JsonResponse(200, EncodeScale(*live));
  }
  if (method != "PUT" && method != "PATCH") {
    return MethodNotAllowed(subject, "a scale takes GET, PUT and PATCH, not " + method);
  }
  auto read = ReadWriteRequest(call.request, {method == "PUT" ? kJsonMediaType : kMergeMediaType});
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
  auto& write = std::get<WriteRequest>(read);
  const Result<Value> patch = PatchOfScale(write.body);
  if (!patch.ok()) {
    return Invalid(subject, {{.path = "spec.replicas", .message = patch.status().message()}});
  }
  write.media_type = kMergeMediaType;
  write.body = *patch;
  const auto patched = PatchLive(call, write);
  if (const auto* refusal = std::get_if<ApiResponse>(&patched)) return *refusal;
  return JsonResponse(200, EncodeScale(std::get<Written>(patched).object));
}

}  // namespace octet
