#include "worker/train/job_data.h"

#include <utility>

#include "worker/engine/compiled_step.h"
#include "worker/input/csv.h"

namespace octet {
namespace {

// The classes that labels may name: the one-hot width, or the units of the last dense layer, known
// before the network is (which needs the number of columns). 0: the target is a number.
int64_t ClassesOf(const TrainingJobSpec& spec) {
  if (spec.data.train.one_hot > 0) return spec.data.train.one_hot;
  if (spec.training.loss != LossKind::kSparseCategoricalCrossentropy) return 0;
  int64_t units = 0;
  for (const LayerSpec& layer : spec.layers) {
    if (layer.kind == LayerKind::kDense) units = layer.units;
  }
  return units;
}

}  // namespace

Result<JobData> JobData::Load(const FileSystem& files, const TrainingJobSpec& spec) {
  const CsvSource& source = spec.data.train;
  JobData data;
  OCTET_ASSIGN_OR_RETURN(data.data_, ReadCsv(files, {.files = source.files,
                                                     .target = source.target,
                                                     .classes = ClassesOf(spec),
                                                     .one_hot = source.one_hot > 0}));
  OCTET_ASSIGN_OR_RETURN(Network network,
                         Network::Build(spec.layers, data.data_.width, spec.training.loss));
  data.network_.emplace(std::move(network));
  OCTET_RETURN_IF_ERROR(data.network_->CheckTargetWidth(data.data_.target_width));
  if (!data.data_.one_hot) {
    OCTET_RETURN_IF_ERROR(
        CheckLabels(*data.network_, data.data_.targets.data(), data.data_.examples, 0));
  }
  data.split_ =
      SplitBySeed(data.data_.examples, spec.data.validation_fraction, spec.data.validation_seed);
  if (data.split_.train.empty()) {
    return InvalidArgument(
        "no example is left to train on; add data or lower data.validation.fraction");
  }
  data.order_.emplace(OrderOptions{.examples = data.training_examples(),
                                   .batch_size = spec.training.batch_size,
                                   .steps_per_epoch = spec.training.steps_per_epoch,
                                   .epochs = spec.training.epochs,
                                   .seed = spec.data.shuffle_seed});
  return data;
}

void JobData::Gather(uint32_t example, float* inputs, float* targets) const {
  GatherInputs(data_, example, inputs);
  GatherTargets(data_, example, targets);
}

void JobData::GatherTraining(int64_t step, RowRange rows, uint32_t* positions, float* inputs,
                             float* targets) const {
  order_->Rows(step, rows, positions);
  for (int64_t i = 0; i < rows.size(); ++i) {
    Gather(split_.train[positions[i]], inputs + i * data_.width, targets + i * data_.target_width);
  }
}

void JobData::GatherValidation(RowRange rows, float* inputs, float* targets) const {
  for (int64_t i = 0; i < rows.size(); ++i) {
    Gather(split_.validation[static_cast<size_t>(rows.begin + i)], inputs + i * data_.width,
           targets + i * data_.target_width);
  }
}

}  // namespace octet
