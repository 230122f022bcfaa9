// `octet apply` and `octet delete`.
#include <unistd.h>

#include <array>
#include <iostream>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/manifest.h"
#include "shared/objects/json.h"

namespace octet::cli {
namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(100);

std::string WorkingFolder() {
  std::array<char, 4096> path{};
  return getcwd(path.data(), path.size()) == nullptr ? "." : path.data();
}

std::string NameOf(const Object& object) {
  const KindInfo& info = InfoOf(object.kind);
  return info.singular + "." + kApiGroup + "/" + object.meta.name;
}

// What Apply will do with one object.
struct Step {
  const Manifest* manifest = nullptr;
  Value document;
  enum class Verb { kCreate, kReplace, kNothing } verb = Verb::kCreate;
};

bool SameLabels(const Value& live, const Value& wanted, std::string_view path) {
  const Value* a = live.FindPath(path);
  const Value* b = wanted.FindPath(path);
  const bool a_empty = a == nullptr || (a->is_map() && a->AsMap().empty());
  const bool b_empty = b == nullptr || (b->is_map() && b->AsMap().empty());
  if (a_empty || b_empty) return a_empty == b_empty;
  return *a == *b;
}

// Whether `live` already is what `wanted` asks for. What the server fills in by itself, the job's
// user, counts only where the file states it.
bool AlreadySo(const Value& live, const Value& wanted) {
  const Value* live_spec = live.Find("spec");
  const Value* wanted_spec = wanted.Find("spec");
  if (live_spec == nullptr || wanted_spec == nullptr) return false;
  Value compared = *live_spec;
  if (wanted_spec->Find("user") == nullptr) compared.Erase("user");
  return compared == *wanted_spec && SameLabels(live, wanted, "metadata.labels") &&
         SameLabels(live, wanted, "metadata.annotations");
}

Result<Step> PlanStep(ApiClient& api, const Manifest& manifest) {
  const Object& object = manifest.object;
  Step step{.manifest = &manifest, .document = EncodeObject(object)};
  step.document.Erase("status");
  const Result<Value> live = api.Get(object.kind, object.meta.ns, object.meta.name);
  if (!live.ok()) {
    if (live.status().code() != StatusCode::kNotFound) return live.status();
    return step;
  }
  if (AlreadySo(*live, step.document)) {
    step.verb = Step::Verb::kNothing;
    return step;
  }
  step.verb = Step::Verb::kReplace;
  if (const Value* version = live->FindPath("metadata.resourceVersion"); version != nullptr) {
    step.document.Find("metadata")->Set("resourceVersion", *version);
  }
  const Value* user = live->FindPath("spec.user");
  if (user != nullptr && step.document.FindPath("spec.user") == nullptr) {
    step.document.Find("spec")->Set("user", *user);
  }
  return step;
}

Status RunStep(ApiClient& api, const Step& step, bool dry_run) {
  const Object& object = step.manifest->object;
  if (step.verb == Step::Verb::kNothing) return Ok();
  const Result<Value> done =
      step.verb == Step::Verb::kCreate
          ? api.Create(object.kind, object.meta.ns, step.document, dry_run)
          : api.Replace(object.kind, object.meta.ns, object.meta.name, step.document, dry_run);
  return done.status().Annotate(step.manifest->file + ": " + NameOf(object));
}

std::string_view VerbName(Step::Verb verb) {
  switch (verb) {
    case Step::Verb::kCreate:
      return "created";
    case Step::Verb::kReplace:
      return "configured";
    case Step::Verb::kNothing:
      return "unchanged";
  }
  return "";
}

Status WaitUntilGone(ApiClient& api, const Clock& clock, const KindInfo& info,
                     const std::string& ns, const std::string& name, const std::string& uid,
                     Duration timeout) {
  const MonotonicTime limit = clock.Monotonic() + timeout;
  while (clock.Monotonic() < limit) {
    const Result<Value> live = api.Get(info.kind, ns, name);
    if (!live.ok() && live.status().code() == StatusCode::kNotFound) return Ok();
    OCTET_RETURN_IF_ERROR(live.status());
    const Value* live_uid = live->FindPath("metadata.uid");
    // Another object of the same name: ours is gone.
    if (live_uid != nullptr && live_uid->is_string() && live_uid->AsString() != uid) return Ok();
    Pause(kPollInterval);
  }
  return DeadlineExceeded(info.singular + "/" + name + " is still there after " +
                          FormatDuration(timeout) + "; it goes when its boards are back");
}

}  // namespace

Status Apply(ApiClient& api, const FileSystem& files, const ApplyOptions& options) {
  OCTET_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests,
                         ReadManifests(files, options.files, WorkingFolder(), options.ns));
  std::vector<Step> steps;
  std::string refusals;
  for (const Manifest& manifest : manifests) {
    OCTET_ASSIGN_OR_RETURN(Step step, PlanStep(api, manifest));
    const Status checked = RunStep(api, step, /*dry_run=*/true);
    if (checked.code() == StatusCode::kUnavailable) return checked;
    if (!checked.ok()) refusals += (refusals.empty() ? "" : "\n") + checked.message();
    steps.push_back(std::move(step));
  }
  if (!refusals.empty()) return InvalidArgument(refusals);
  for (const Step& step : steps) {
    if (!options.dry_run) OCTET_RETURN_IF_ERROR(RunStep(api, step, /*dry_run=*/false));
    std::cout << NameOf(step.manifest->object) << ' ' << VerbName(step.verb)
              << (options.dry_run ? " (dry run)" : "") << '\n';
  }
  return Ok();
}

Status Delete(ApiClient& api, const Clock& clock, const FileSystem& files,
              const DeleteOptions& options) {
  struct Doomed {
    const KindInfo* info;
    std::string ns, name;
  };
  std::vector<Doomed> doomed;
  if (!options.files.empty()) {
    OCTET_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests,
                           ReadManifests(files, options.files, WorkingFolder(), options.ns));
    for (const Manifest& manifest : manifests) {
      doomed.push_back(
          {&InfoOf(manifest.object.kind), manifest.object.meta.ns, manifest.object.meta.name});
    }
  }
  if (!options.words.empty()) {
    OCTET_ASSIGN_OR_RETURN(const std::vector<Target> targets, ParseTargets(options.words));
    for (const Target& target : targets) {
      if (target.name.empty()) {
        return InvalidArgument("say which " + target.info->singular + " to delete");
      }
      doomed.push_back({target.info, target.info->namespaced ? options.ns : "", target.name});
    }
  }
  for (const Doomed& victim : doomed) {
    const std::string shown = victim.info->singular + "." + kApiGroup + "/" + victim.name;
    const Result<Value> live = api.Get(victim.info->kind, victim.ns, victim.name);
    if (!live.ok()) {
      if (options.ignore_not_found && live.status().code() == StatusCode::kNotFound) continue;
      return live.status();
    }
    OCTET_RETURN_IF_ERROR(api.Delete(victim.info->kind, victim.ns, victim.name).status());
    if (options.wait) {
      const Value* uid = live->FindPath("metadata.uid");
      OCTET_RETURN_IF_ERROR(WaitUntilGone(api, clock, *victim.info, victim.ns, victim.name,
                                          uid == nullptr ? "" : uid->AsString(), options.timeout));
    }
    std::cout << shown << " deleted\n";
  }
  return Ok();
}

}  // namespace octet::cli
