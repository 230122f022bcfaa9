#include "worker/checkpoint/checkpoint_store.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "shared/base/sha256.h"

namespace octet {
namespace {

constexpr char kManifest[] = "manifest.json";
constexpr char kWeights[] = "weights.safetensors";
constexpr char kOptimizer[] = "optimizer.safetensors";
constexpr char kPrefix[] = "step-";
constexpr char kTemporaryPrefix[] = "unfinished-";

std::string StepName(int64_t step) {
  char name[32];
  std::snprintf(name, sizeof(name), "%s%010lld", kPrefix, static_cast<long long>(step));
  return name;
}

std::optional<int64_t> StepOf(std::string_view name) {
  const std::string_view prefix = kPrefix;
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || end != name.data() + name.size() || step < 0) return std::nullopt;
  return step;
}

// Whether a checkpoint that failed so is damaged for good, rather than unreadable for now.
bool IsDamage(StatusCode code) {
  return code == StatusCode::kDataLoss || code == StatusCode::kNotFound ||
         code == StatusCode::kUnimplemented;
}

}  // namespace

CheckpointStore::CheckpointStore(FileSystem& files, std::string folder, int64_t keep)
    : files_(files), folder_(std::move(folder)), keep_(std::max<int64_t>(keep, 1)) {}

Status CheckpointStore::WriteSynced(const std::string& path, std::string_view bytes) {
  OCTET_RETURN_IF_ERROR(files_.Write(path, bytes));
  return files_.Sync(path);
}

Status CheckpointStore::PrepareFolder() {
  if (prepared_) return Ok();
  // A folder is durable once the folder that names it is synced, up to the first that was there
  // before. Two are synced in any case: an earlier process may have made them and died.
  if (parents_.empty()) {
    for (std::string parent = ParentPath(folder_); !parent.empty(); parent = ParentPath(parent)) {
      parents_.push_back(parent);
      if (ParentPath(parent) == parent) break;
      if (parents_.size() >= 2 && files_.Exists(parent)) break;
    }
  }
  OCTET_RETURN_IF_ERROR(files_.CreateDirectories(folder_));
  for (const std::string& parent : parents_) OCTET_RETURN_IF_ERROR(files_.Sync(parent));
  prepared_ = true;
  return Ok();
}

Result<SavedCheckpoint> CheckpointStore::Save(const Checkpoint& checkpoint) {
  const std::string name = StepName(checkpoint.step);
  const std::string path = JoinPath(folder_, name);
  const std::string temporary = JoinPath(folder_, kTemporaryPrefix + name);
  OCTET_RETURN_IF_ERROR(PrepareFolder());
  // Steps are deterministic: a whole checkpoint of the same step holds the same state and must not
  // be removed to make room for its like. A damaged one is one that training did not start from.
  if (Load(path).ok()) {
    OCTET_ASSIGN_OR_RETURN(const std::string there, files_.Read(JoinPath(path, kManifest)));
    OCTET_RETURN_IF_ERROR(files_.Sync(folder_));
    return SavedCheckpoint{.step = checkpoint.step, .path = path, .sha256 = Sha256Hex(there)};
  }
  OCTET_RETURN_IF_ERROR(files_.RemoveAll(temporary));
  OCTET_RETURN_IF_ERROR(files_.CreateDirectories(temporary));
  FileHashes hashes;
  for (const auto& [file, tensors] :
       {std::pair(kWeights, &checkpoint.weights), std::pair(kOptimizer, &checkpoint.optimizer)}) {
    const std::string bytes = WriteSafetensors(*tensors);
    hashes[file] = {.bytes = static_cast<int64_t>(bytes.size()), .sha256 = Sha256Hex(bytes)};
    OCTET_RETURN_IF_ERROR(WriteSynced(JoinPath(temporary, file), bytes));
  }
  const std::string manifest = EncodeManifest(checkpoint, hashes);
  OCTET_RETURN_IF_ERROR(WriteSynced(JoinPath(temporary, kManifest), manifest));
  OCTET_RETURN_IF_ERROR(files_.Sync(temporary));
  OCTET_RETURN_IF_ERROR(files_.RemoveAll(path));
  OCTET_RETURN_IF_ERROR(files_.Rename(temporary, path));
  OCTET_RETURN_IF_ERROR(files_.Sync(folder_));
  RemoveOld(checkpoint.step);
  return SavedCheckpoint{.step = checkpoint.step, .path = path, .sha256 = Sha256Hex(manifest)};
}

void CheckpointStore::RemoveOld(int64_t saved_step) {
  const auto entries = ListNewestFirst();
  if (!entries.ok()) return;
  int64_t kept = 0;
  bool removed = false;
  for (const Entry& entry : *entries) {
    // Newer than the one just saved: it was found damaged when training resumed from an older one.
    const bool keep = entry.step <= saved_step && kept < keep_;
    if (keep) {
      ++kept;
    } else {
      removed = files_.RemoveAll(JoinPath(folder_, entry.name)).ok() || removed;
    }
  }
  if (const auto names = files_.List(folder_); names.ok()) {
    for (const std::string& name : *names) {
      if (!name.starts_with(kTemporaryPrefix)) continue;
      removed = files_.RemoveAll(JoinPath(folder_, name)).ok() || removed;
    }
  }
  if (removed) (void)files_.Sync(folder_);
}

Result<std::vector<CheckpointStore::Entry>> CheckpointStore::ListNewestFirst() const {
  std::vector<Entry> entries;
  const auto names = files_.List(folder_);
  if (names.status().code() == StatusCode::kNotFound) return entries;
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (const auto step = StepOf(name)) entries.push_back({.step = *step, .name = name});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.step > b.step; });
  return entries;
}

Result<Checkpoint> CheckpointStore::Load(const std::string& path) const {
  OCTET_ASSIGN_OR_RETURN(const std::string text, files_.Read(JoinPath(path, kManifest)));
  OCTET_ASSIGN_OR_RETURN(Manifest manifest, DecodeManifest(text));
  Checkpoint& checkpoint = manifest.checkpoint;
  for (const auto& [file, tensors] :
       {std::pair(kWeights, &checkpoint.weights), std::pair(kOptimizer, &checkpoint.optimizer)}) {
    const auto hash = manifest.files.find(file);
    if (hash == manifest.files.end()) return DataLoss(std::string("the manifest lists no ") + file);
    OCTET_ASSIGN_OR_RETURN(const std::string bytes, files_.Read(JoinPath(path, file)));
    if (Sha256Hex(bytes) != hash->second.sha256) {
      return DataLoss(std::string(file) + " does not have the hash that the manifest states");
    }
    OCTET_ASSIGN_OR_RETURN(*tensors, ReadSafetensors(bytes));
  }
  return checkpoint;
}

Result<std::optional<LoadedCheckpoint>> CheckpointStore::LoadNewest(
    std::vector<std::string>& warnings) const {
  OCTET_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ListNewestFirst());
  for (const Entry& entry : entries) {
    const std::string path = JoinPath(folder_, entry.name);
    auto checkpoint = Load(path);
    if (checkpoint.ok()) {
      return std::optional(
          LoadedCheckpoint{.checkpoint = std::move(checkpoint).value(), .path = path});
    }
    const Status& fault = checkpoint.status();
    if (!IsDamage(fault.code())) return fault.Annotate("cannot read the checkpoint " + path);
    warnings.push_back("the checkpoint " + path + " is damaged and is skipped: " + fault.message());
  }
  return std::optional<LoadedCheckpoint>();
}

}  // namespace octet
