// CheckpointStore: the checkpoints of one job in a folder, one folder `step-NNNNNNNNNN` each.
//
// A checkpoint is written under a temporary name, synced, renamed and its folder synced; so after a
// crash or a power cut at any moment the last one whose Save() returned Ok can be read. One that is
// torn or changed is never used. Used by one thread of one process at a time (rank 0 of a gang).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/file_system.h"
#include "shared/base/status.h"
#include "worker/checkpoint/checkpoint.h"

namespace octet {

struct SavedCheckpoint {
  int64_t step = 0;
  std::string path;
  std::string sha256;  // Of manifest.json.
};

struct LoadedCheckpoint {
  Checkpoint checkpoint;
  std::string path;
};

class CheckpointStore {
 public:
  // `files` outlives the store. `keep` newest checkpoints stay, at least 1.
  CheckpointStore(FileSystem& files, std::string folder, int64_t keep);

  // Writes the checkpoint durably, then removes those over `keep` (a failed removal is no error:
  // the next save tries again). A failure leaves the earlier checkpoints as they were.
  Result<SavedCheckpoint> Save(const Checkpoint& checkpoint);

  // The newest whole checkpoint, or none. Each one that is skipped adds a sentence to `warnings`. A
  // file system that refuses to answer (kPermissionDenied, kUnavailable) is an error, not a reason
  // to go back.
  Result<std::optional<LoadedCheckpoint>> LoadNewest(std::vector<std::string>& warnings) const;

 private:
  struct Entry {
    int64_t step = 0;
    std::string name;
  };
  Result<std::vector<Entry>> ListNewestFirst() const;
  Result<Checkpoint> Load(const std::string& path) const;
  Status WriteSynced(const std::string& path, std::string_view bytes);
  Status PrepareFolder();
  void RemoveOld(int64_t saved_step);

  FileSystem& files_;
  const std::string folder_;
  const int64_t keep_;
  std::vector<std::string> parents_;  // To sync once, nearest first.
  bool prepared_ = false;             // The folder is there and durable.
};

}  // namespace octet
