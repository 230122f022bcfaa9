// JobData: a job's network and its examples in memory, checked against each other before the first
// step. Built once, then read by any thread.
#pragma once

#include <optional>

#include "shared/base/file_system.h"
#include "shared/base/status.h"
#include "shared/model/network.h"
#include "shared/objects/training_job.h"
#include "worker/input/dataset.h"
#include "worker/input/order.h"

namespace octet {

class JobData {
 public:
  // Reads the job's files. Errors name what the user has to change.
  static Result<JobData> Load(const FileSystem& files, const TrainingJobSpec& spec);

  const Network& network() const { return *network_; }
  const EpochOrder& order() const { return *order_; }
  int64_t training_examples() const { return static_cast<int64_t>(split_.train.size()); }
  int64_t validation_examples() const { return static_cast<int64_t>(split_.validation.size()); }

  // Gather rows [rows.begin, rows.end) of the batch of `step` into matrices of the network's
  // widths. `positions` is scratch for rows.size() numbers.
  void GatherTraining(int64_t step, RowRange rows, uint32_t* positions, float* inputs,
                      float* targets) const;
  // The same of the validation examples, in their order.
  void GatherValidation(RowRange rows, float* inputs, float* targets) const;

 private:
  JobData() = default;
  void Gather(uint32_t example, float* inputs, float* targets) const;

  Dataset data_;
  Split split_;
  std::optional<Network> network_;
  std::optional<EpochOrder> order_;
};

}  // namespace octet
