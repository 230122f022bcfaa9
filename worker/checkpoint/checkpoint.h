// Checkpoint: everything from which training goes on as if it had not stopped: after k steps, a
// checkpoint and k more, the weights are bit for bit those of 2k steps. Values and their text form;
// pure.
//
// manifest.json:
//   {"format": "octet.dev/checkpoint/v1", "job": …, "step": …, "epoch": …, "seed": …,
//   "shuffleSeed": …,
//    "logicalShards": …, "epochSums": {…}, "validation": {…}, "versions": {…},
//    "files": {NAME: {"bytes": …, "sha256": …}}, "sha256": …}
// The last member is the hash of the canonical JSON of all others, so that a flipped bit in the
// manifest is noticed as well as one in a file. The order of the data and the random numbers are
// functions of step and seeds and need no state of their own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"
#include "worker/checkpoint/safetensors.h"

namespace octet {

// What is summed over the steps of an epoch, so that an epoch that was interrupted is still
// reported whole.
struct EpochSums {
  int64_t examples = 0;
  double loss = 0;
  double correct = 0;
  bool operator==(const EpochSums&) const = default;
};

struct Checkpoint {
  std::string job_uid;
  int64_t step = 0;   // Steps done, over all epochs: the next one has this number (counted from 0).
  int64_t epoch = 0;  // Epochs done.
  // Position in the data: examples of the running epoch that are done. Derived, for people.
  int64_t epoch_examples = 0;
  uint64_t seed = 0;
  uint64_t shuffle_seed = 0;
  int64_t logical_shards = 0;
  EpochSums epoch_sums;  // Of the running epoch.
  EpochSums last_epoch;  // Of the last whole epoch; no examples before it.
  EpochSums validation;  // After the last whole epoch; no examples where there is none.
  // What computed it: "octet", "engine", "instructionSet". A difference on resume is worth a
  // warning.
  std::map<std::string, std::string> versions;
  std::vector<NamedTensor> weights;
  std::vector<NamedTensor> optimizer;
  bool operator==(const Checkpoint&) const = default;
};

struct FileHash {
  int64_t bytes = 0;
  std::string sha256;
};
using FileHashes = std::map<std::string, FileHash>;

// The text of manifest.json for a checkpoint whose other files have these hashes.
std::string EncodeManifest(const Checkpoint& checkpoint, const FileHashes& files);

struct Manifest {
  Checkpoint checkpoint;  // Without tensors.
  FileHashes files;
};
// kDataLoss where the text is torn or changed; kUnimplemented for a format of a newer version.
Result<Manifest> DecodeManifest(std::string_view text);

}  // namespace octet
