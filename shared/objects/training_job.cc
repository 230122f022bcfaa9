// The spec of a TrainingJob: names of its enumerations, and its typed form.
#include "shared/objects/training_job.h"

#include <algorithm>

#include "shared/base/check.h"
#include "shared/objects/checked_spec.h"
#include "shared/objects/training_job_words.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

// The schema has been checked, so that a missing member is our own mistake.
const Value& Member(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  CHECK(value != nullptr) << key << " has neither a value nor a default";
  return *value;
}

int64_t IntOr(const Value& map, std::string_view key, int64_t absent) {
  const Value* value = map.Find(key);
  return value == nullptr ? absent : value->AsInt();
}

Duration DurationOr(const Value& map, std::string_view key, Duration absent) {
  const Value* value = map.Find(key);
  return value == nullptr ? absent : ParseDuration(value->AsString()).value();
}

uint64_t SeedOr(const Value& map, uint64_t absent) {
  const Value* value = map.Find("seed");
  return value == nullptr ? absent : static_cast<uint64_t>(value->AsInt());
}

LayerSpec DecodeLayer(const Value& layer) {
  const Value::Member& only = layer.AsMap().front();
  const Value& options = only.value;
  LayerSpec spec{.kind = FindLayerKind(only.key).value()};
  switch (spec.kind) {
    case LayerKind::kDense:
      spec.units = Member(options, "units").AsInt();
      spec.activation = FindActivation(Member(options, "activation").AsString()).value();
      spec.use_bias = Member(options, "useBias").AsBool();
      break;
    case LayerKind::kDropout:
      spec.rate = Member(options, "rate").AsDouble();
      break;
    case LayerKind::kActivation:
      spec.activation = FindActivation(Member(options, "function").AsString()).value();
      break;
    case LayerKind::kRescaling:
      spec.scale = Member(options, "scale").AsDouble();
      spec.offset = Member(options, "offset").AsDouble();
      break;
    case LayerKind::kFlatten:
      break;
  }
  return spec;
}

OptimizerSpec DecodeOptimizer(const Value& optimizer) {
  const Value::Member& only = optimizer.AsMap().front();
  const Value& options = only.value;
  OptimizerSpec spec{.kind = only.key == "sgd" ? OptimizerKind::kSgd : OptimizerKind::kAdam};
  spec.learning_rate = Member(options, "learningRate").AsDouble();
  if (spec.kind == OptimizerKind::kSgd) {
    spec.momentum = Member(options, "momentum").AsDouble();
    spec.nesterov = Member(options, "nesterov").AsBool();
  } else {
    spec.beta1 = Member(options, "beta1").AsDouble();
    spec.beta2 = Member(options, "beta2").AsDouble();
    spec.epsilon = Member(options, "epsilon").AsDouble();
  }
  return spec;
}

DataSpec DecodeData(const Value& data, uint64_t training_seed) {
  const Value& train = Member(data, "train");
  DataSpec spec;
  for (const Value& file : Member(train, "files").AsList()) {
    spec.train.files.push_back(file.AsString());
  }
  spec.train.target = Member(train, "target").AsString();
  spec.train.one_hot = IntOr(train, "oneHot", 0);
  const Value* shuffle = train.Find("shuffle");
  spec.shuffle_seed = shuffle == nullptr ? training_seed : SeedOr(*shuffle, training_seed);
  if (const Value* validation = data.Find("validation"); validation != nullptr) {
    spec.validation_fraction = Member(*validation, "fraction").AsDouble();
    spec.validation_seed = SeedOr(*validation, 0);
  }
  return spec;
}

Result<TrainingSpec> DecodeTraining(const Value& training, int64_t cores) {
  const Value* global = training.Find("batchSize");
  const Value* per_core = training.Find("batchSizePerCore");
  if ((global == nullptr) == (per_core == nullptr)) {
    return InvalidArgument("spec.training needs exactly one of batchSize and batchSizePerCore");
  }
  return TrainingSpec{.batch_size = global != nullptr
                                        ? global->AsInt()
                                        : SaturatingMultiply(per_core->AsInt(), cores),
                      .uneven = Member(training, "batchSplit").AsString() == "uneven",
                      .epochs = Member(training, "epochs").AsInt(),
                      .steps_per_epoch = Member(training, "stepsPerEpoch").AsInt(),
                      .optimizer = DecodeOptimizer(Member(training, "optimizer")),
                      .loss = FindLoss(Member(training, "loss").AsString()).value(),
                      .seed = SeedOr(training, 0),
                      .logical_shards = IntOr(training, "logicalShards", cores)};
}

}  // namespace

SessionLimits SessionLimitsOf(const Value& session) {
  SessionLimits limits;
  limits.duration = DurationOr(session, "duration", 3h);
  limits.min = DurationOr(session, "minDuration", std::min<Duration>(5min, limits.duration));
  limits.grace = DurationOr(session, "gracePeriod", std::min<Duration>(30s, limits.min / 2));
  return limits;
}

Result<TrainingJobSpec> DecodeTrainingJobSpec(const Value& unchecked) {
  OCTET_ASSIGN_OR_RETURN(const Value spec, CheckedSpec(Kind::kTrainingJob, unchecked));
  TrainingJobSpec job;
  if (const Value* user = spec.Find("user"); user != nullptr) job.user = UserName(user->AsString());
  const Value& accelerator = Member(spec, "accelerator");
  const std::string& type_name = Member(accelerator, "type").AsString();
  const AcceleratorType* type = FindAcceleratorType(type_name);
  if (type == nullptr) {
    return InvalidArgument("spec.accelerator.type: " + UnknownAcceleratorMessage(type_name));
  }
  job.accelerator = *type;
  job.slice_count = Member(accelerator, "sliceCount").AsInt();
  job.priority = Member(spec, "priority").AsInt();
  job.suspend = Member(spec, "suspend").AsBool();

  const Value& session = Member(spec, "session");
  const SessionLimits session_limits = SessionLimitsOf(session);
  job.session_duration = session_limits.duration;
  job.session_min = session_limits.min;
  job.grace_period = session_limits.grace;
  job.on_limit = FindOnLimit(Member(session, "onLimit").AsString()).value();
  job.backoff_limit = Member(Member(spec, "retries"), "backoffLimit").AsInt();

  for (const Value& layer : Member(Member(spec, "model"), "layers").AsList()) {
    job.layers.push_back(DecodeLayer(layer));
  }
  OCTET_ASSIGN_OR_RETURN(job.training, DecodeTraining(Member(spec, "training"), job.cores()));
  job.data = DecodeData(Member(spec, "data"), job.training.seed);

  const Value& checkpoint = Member(spec, "checkpoint");
  job.checkpoint_every_steps = Member(checkpoint, "everySteps").AsInt();
  job.checkpoint_every = DurationOr(checkpoint, "every", Duration());
  job.checkpoints_kept = Member(checkpoint, "keep").AsInt();
  return job;
}

}  // namespace octet
