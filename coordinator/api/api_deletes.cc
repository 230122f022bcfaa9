// The deleting part of ApiHandler. What holds an object goes first: the object gets a time of
// deletion, the coordinator's loops see it, let go, and finish the deletion.
#include <algorithm>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/object_view.h"
#include "coordinator/api/selector.h"
#include "shared/base/limits.h"
#include "shared/objects/field_reader.h"
#include "shared/objects/holds.h"
#include "shared/objects/training_job.h"

namespace octet {
namespace {

constexpr char kModified[] =
    "the object has been modified; please apply your changes to the latest version and try again";

}  // namespace

// The parts of Kubernetes' DeleteOptions that change what a deletion does.
struct ApiHandler::DeleteOptions {
  bool dry_run = false;
  std::string uid{};        // Of the object that is meant; empty: whichever is there.
  std::string version{};    // In which it was read; empty: whichever it is in.
  std::string finalizer{};  // By which its dependents hold it; empty: they go afterwards.
};

OrRefusal<ApiHandler::DeleteOptions> ApiHandler::ReadDeleteOptions(const Call& call) const {
  const auto read = ReadWriteRequest(call.request, {kJsonMediaType});
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  const auto& write = std::get<WriteRequest>(read);
  FieldReader options(&write.body, "options");
  FieldReader preconditions(options.Find("preconditions"), "preconditions");
  DeleteOptions wanted{.dry_run = write.dry_run,
                       .uid = preconditions.String("uid"),
                       .version = preconditions.String("resourceVersion")};
  for (const std::string& stage : options.Strings("dryRun")) {
    if (stage != "All") return BadRequest("dryRun must be All; got \"" + stage + "\"");
    wanted.dry_run = true;
  }
  std::string policy = options.String("propagationPolicy");
  if (policy.empty()) policy = call.request.Query("propagationPolicy");
  for (const Status& status : {options.status(), preconditions.status()}) {
    if (!status.ok()) return BadRequest(status.message());
  }
  if (policy == "Foreground") wanted.finalizer = kForegroundFinalizer;
  if (policy == "Orphan") wanted.finalizer = kOrphanFinalizer;
  if (!policy.empty() && wanted.finalizer.empty() && policy != "Background") {
    return Invalid({},
                   {{.path = "propagationPolicy",
                     .message = "must be Background, Foreground or Orphan; got \"" + policy + "\"",
                     .reason = "FieldValueNotSupported"}});
  }
  return wanted;
}

ApiResponse ApiHandler::Delete(const Call& call) const {
  if (call.path.info->kind == Kind::kPod) return Evict(call);
  const Subject subject = SubjectOf(call.path);
  const auto options = ReadDeleteOptions(call);
  if (const auto* refusal = std::get_if<ApiResponse>(&options)) return *refusal;
  return DeleteOne(subject,
                   {.kind = call.path.info->kind, .ns = call.path.ns, .name = call.path.name},
                   std::get<DeleteOptions>(options));
}

ApiResponse ApiHandler::DeleteOne(const Subject& subject, const ObjectKey& key,
                                  const DeleteOptions& options) const {
  if (key.kind == Kind::kNamespace && key.name == kDefaultNamespace) {
    return Forbidden(subject, "this namespace may not be deleted");
  }
  for (int attempt = 1;; ++attempt) {
    Result<Object> live = store_.Get(key);
    if (!live.ok()) return StoreError(subject, live.status());
    if (!options.uid.empty() && options.uid != live->meta.uid) {
      return Conflict(subject, "Precondition failed: UID in precondition: " + options.uid +
                                   ", UID in object meta: " + live->meta.uid);
    }
    const int64_t version = live->meta.resource_version;
    if (!options.version.empty() && options.version != std::to_string(version)) {
      return Conflict(subject,
                      "Precondition failed: ResourceVersion in precondition: " + options.version +
                          ", ResourceVersion in object meta: " + std::to_string(version));
    }
    octet::Write change =
        DeleteObject{.key = key, .uid = live->meta.uid, .expected_version = version};
    // A namespace is held by what is in it.
    const bool held = !live->meta.finalizers.empty() || !options.finalizer.empty() ||
                      key.kind == Kind::kNamespace;
    if (held) {
      if (live->meta.deleted) return JsonResponse(200, EncodeObject(*live));
      live->meta.deleted = std::chrono::floor<std::chrono::seconds>(clock_.Now());
      if (!options.finalizer.empty()) live->meta.finalizers.push_back(options.finalizer);
      if (key.kind == Kind::kNamespace) live->status.Set("phase", "Terminating");
      change = UpdateObject{.object = *live, .expected_version = version};
    }
    if (options.dry_run) {
      return held ? JsonResponse(200, EncodeObject(*live)) : Deleted(subject, live->meta.uid);
    }
    const auto stored = store_.Commit({std::move(change)});
    if (stored.ok() && held) return JsonResponse(200, EncodeObject(stored->front()));
    if (stored.ok()) return Deleted(subject, live->meta.uid);
    const bool lost_race = stored.status().code() == StatusCode::kAborted;
    if (!lost_race || attempt == limits::kCommitAttemptsMax) {
      return StoreError(subject, stored.status());
    }
  }
}

ApiResponse ApiHandler::DeleteCollection(const Call& call) const {
  const KindInfo& info = *call.path.info;
  if (info.namespaced && call.path.ns.empty()) {
    return MethodNotAllowed(SubjectOf(call.path), "delete a collection under its namespace");
  }
  const auto options = ReadDeleteOptions(call);
  if (const auto* refusal = std::get_if<ApiResponse>(&options)) return *refusal;
  const Result<Selector> selector = Selector::Parse(info, call.request.Query("labelSelector"),
                                                    call.request.Query("fieldSelector"));
  if (!selector.ok()) return BadRequest(selector.status().message());
  const Result<Snapshot> all = TakeSnapshot(call.path, std::nullopt);
  if (!all.ok()) return StoreError(SubjectOf(call.path), all.status());
  Value::List deleted;
  for (const Object& object : all->objects) {
    if (!selector->Matches(object)) continue;
    const ApiResponse response = DeleteOne({.info = &info, .name = object.meta.name}, KeyOf(object),
                                           std::get<DeleteOptions>(options));
    // Somebody else has deleted it.
    if (response.code == 404) continue;
    if (response.code >= 400) return response;
    deleted.push_back(EncodeObject(object));
  }
  Value metadata = Value::MakeMap();
  metadata.Set("resourceVersion", std::to_string(all->resource_version));
  Value list = Value::MakeMap();
  list.Set("apiVersion", info.api_version());
  list.Set("kind", info.name + "List");
  list.Set("metadata", std::move(metadata));
  list.Set("items", Value::MakeList(std::move(deleted)));
  return JsonResponse(200, list);
}

ApiResponse ApiHandler::Evict(const Call& call) const {
  const Subject subject = SubjectOf(call.path);
  const auto read = ReadWriteRequest(call.request, {kJsonMediaType});
  if (const auto* refusal = std::get_if<ApiResponse>(&read)) return *refusal;
  const auto& write = std::get<WriteRequest>(read);
  for (int attempt = 1;; ++attempt) {
    const Result<Object> shown = GetShown(call.path);
    if (!shown.ok()) return StoreError(subject, shown.status());
    Result<Object> live = GetLive(call.path);
    if (!live.ok()) return StoreError(subject, live.status());
    const Result<TrainingJob> job = DecodeTrainingJob(*live);
    if (!job.ok()) return StoreError(subject, Internal(job.status().message()));
    const bool moves = job->status.session.has_value();
    if (moves) live->meta.annotations[kEvictAnnotation] = job->status.session->uid.str();
    if (moves && !write.dry_run) {
      const auto stored = store_.Commit(
          {UpdateObject{.object = *live, .expected_version = live->meta.resource_version}});
      const bool lost_race = stored.status().code() == StatusCode::kAborted;
      if (lost_race && attempt < limits::kCommitAttemptsMax) continue;
      if (!stored.ok()) return StoreError(subject, stored.status());
    }
    // A pod that is on no board has nothing to leave.
    if (call.request.method == "DELETE") return JsonResponse(200, EncodeObject(*shown));
    return Deleted(subject, shown->meta.uid, 201);
  }
}

}  // namespace octet
