// TrainState: what a job has learned so far, and its forms: a checkpoint, and the flat numbers that
// rank 0 gives the other boards at the start. Used by one thread at a time, except where the step
// loop says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/model/network.h"
#include "worker/checkpoint/checkpoint.h"
#include "worker/engine/optimizer.h"
#include "worker/train/session_inputs.h"

namespace octet {

class TrainState {
 public:
  // Before the first step: initial weights by the job's seed. `network` outlives the state.
  TrainState(const Network& network, const TrainingSpec& training);

  int64_t step = 0;      // Steps done, over all epochs.
  EpochSums epoch;       // Of the running epoch.
  EpochSums last_epoch;  // Of the last whole epoch.
  EpochSums validation;  // After the last whole epoch.
  std::vector<float> weights;
  Optimizer optimizer;

  // A checkpoint without what the session knows (job, epoch counts, versions).
  Checkpoint Save() const;
  // Takes the checkpoint's state. kFailedPrecondition if its tensors are not those of this network
  // and optimizer: the job's spec was changed under it.
  Status Restore(const Checkpoint& checkpoint);

  // Everything but the weights' meaning as bytes, for boards that have the same network: every bit.
  std::string Pack() const;
  // kInvalidArgument for another length.
  Status Unpack(std::string_view bytes);

  // Of the weights' bytes in the order of the network's tensors.
  std::string WeightsSha256() const;

 private:
  std::vector<std::span<float>> Buffers();
  std::vector<std::span<const float>> Buffers() const;
  Status Take(const std::vector<NamedTensor>& tensors, const std::string& prefix,
              std::vector<float>& into) const;
  void Give(const std::vector<float>& from, const std::string& prefix,
            std::vector<NamedTensor>& tensors) const;

  const Network& network_;
};

}  // namespace octet
