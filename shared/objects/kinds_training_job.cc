#include "shared/objects/kind_tables.h"
#include "shared/objects/training_job_words.h"

namespace octet {
namespace {

constexpr double kSecond = 1000;
constexpr double kWeek = 7 * 24 * 3600 * kSecond;
constexpr double kSeedMax = 9'007'199'254'740'991;  // 2^53 - 1: exact in every JSON reader.
// Wider layers, longer trainings and larger batches than any model of this kind has are slips.
constexpr double kUnitsMax = 1 << 20;
constexpr double kBatchMax = 1 << 24;
constexpr double kEpochsMax = 1'000'000;
constexpr double kStepsMax = 1'000'000'000;

Schema SeedSchema(const std::string& doc) {
  return {.name = "seed", .type = FieldType::kInt, .doc = doc, .minimum = 0, .maximum = kSeedMax};
}

Schema AcceleratorSchema() {
  return {.name = "accelerator",
          .type = FieldType::kMap,
          .doc = "The slices to train on.",
          .default_value = Value::MakeMap(),
          .fields = {
              {.name = "type",
               .type = FieldType::kString,
               .doc = "v3-8 is one board of eight cores, v3-32 is four boards.",
               .default_value = Value("v3-8")},
              {.name = "sliceCount",
               .type = FieldType::kInt,
               .doc = "Slices of that type.",
               .default_value = Value(1),
               .minimum = 1,
               .maximum = 256},
          }};
}

Schema SessionSchema() {
  const auto duration = [](const std::string& name, const std::string& doc, double minimum) {
    return Schema{.name = name,
                  .type = FieldType::kDuration,
                  .doc = doc,
                  .minimum = minimum,
                  .maximum = kWeek};
  };
  Schema asked = duration("duration", "The longest session; the grant may be shorter.", kSecond);
  asked.default_value = Value("3h");
  return {.name = "session",
          .type = FieldType::kMap,
          .doc = "How long the job may hold its boards at a time.",
          .default_value = Value::MakeMap(),
          .fields = {asked,
                     duration("minDuration", "Below this, rather wait. Default 5m.", kSecond),
                     duration("gracePeriod",
                              "Inside the session, kept for the last checkpoint. Default 30s.", 0),
                     {.name = "onLimit",
                      .type = FieldType::kString,
                      .doc = "What follows a session that reached its limit.",
                      .default_value = Value("Requeue"),
                      .allowed = OnLimitWords()}},
          .not_yet = {"warnings"}};
}

Schema ActivationField(const std::string& name, bool required) {
  Schema field{.name = name,
               .type = FieldType::kString,
               .doc = "The function that follows.",
               .required = required,
               .allowed = ActivationWords(),
               .not_yet = {"selu", "softplus", "softsign", "gelu", "swish", "exponential",
                           "hard_sigmoid", "leaky_relu"}};
  if (!required) field.default_value = Value("linear");
  return field;
}

Schema LayerSchema() {
  const Schema dense{
      .name = "dense",
      .doc = "Every output sees every input.",
      .fields = {{.name = "units",
                  .type = FieldType::kInt,
                  .doc = "Outputs.",
                  .required = true,
                  .minimum = 1,
                  .maximum = kUnitsMax},
                 ActivationField("activation", /*required=*/false),
                 {.name = "useBias", .type = FieldType::kBool, .default_value = Value(true)}},
      .not_yet = {"kernelInitializer", "biasInitializer", "kernelRegularizer"}};
  const Schema dropout{.name = "dropout",
                       .doc = "Zeroes a share of the inputs while training.",
                       .fields = {{.name = "rate",
                                   .type = FieldType::kNumber,
                                   .required = true,
                                   .minimum = 0,
                                   .maximum = 1,
                                   .exclusive_maximum = true}}};
  const Schema rescaling{
      .name = "rescaling",
      .doc = "x * scale + offset.",
      .fields = {{.name = "scale", .type = FieldType::kNumber, .required = true},
                 {.name = "offset", .type = FieldType::kNumber, .default_value = Value(0.0)}}};
  const Schema activation{.name = "activation",
                          .fields = {ActivationField("function", /*required=*/true)}};
  return {.type = FieldType::kOneOf,
          .fields = {dense, dropout, {.name = "flatten"}, activation, rescaling},
          .not_yet = {"conv2d", "depthwiseConv2d", "separableConv2d", "maxPool2d", "averagePool2d",
                      "globalAveragePool2d", "globalMaxPool2d", "batchNormalization",
                      "layerNormalization", "embedding", "lstm", "gru", "reshape", "add",
                      "concatenate", "multiHeadAttention"}};
}

Schema ModelSchema() {
  return {.name = "model",
          .type = FieldType::kMap,
          .doc = "The network, as Keras' Sequential.",
          .required = true,
          .fields = {{.name = "layers",
                      .type = FieldType::kList,
                      .doc = "In order; each item has one layer.",
                      .required = true,
                      .items_min = 1,
                      .items_max = 1000,
                      .fields = {LayerSchema()}}},
          .not_yet = {"kerasJson", "zoo"}};
}

Schema TrainDataSchema() {
  return {.name = "train",
          .type = FieldType::kMap,
          .doc = "The examples to train on.",
          .required = true,
          .fields = {{.name = "format",
                      .type = FieldType::kString,
                      .required = true,
                      .allowed = {"csv"},
                      .not_yet = {"tfrecord", "npy", "npz", "idx", "synthetic"}},
                     {.name = "files",
                      .type = FieldType::kList,
                      .doc = "Paths, read as one table; each with the same header.",
                      .required = true,
                      .items_min = 1,
                      .items_max = 1000,
                      .fields = {{.type = FieldType::kString, .bytes_min = 1}}},
                     {.name = "target",
                      .type = FieldType::kString,
                      .doc = "The column to predict; all others are inputs.",
                      .required = true,
                      .bytes_min = 1},
                     {.name = "oneHot",
                      .type = FieldType::kInt,
                      .doc = "The target becomes a one-hot row of that many classes.",
                      .minimum = 2,
                      .maximum = kUnitsMax},
                     {.name = "shuffle",
                      .type = FieldType::kMap,
                      .doc = "The order of the examples; by training.seed unless it has its own.",
                      .fields = {SeedSchema("Of the order of the examples.")}}},
          .not_yet = {"features", "input", "repeat", "parallelReads", "deterministic", "augment"}};
}

Schema DataSchema() {
  return {.name = "data",
          .type = FieldType::kMap,
          .doc = "Where the examples come from.",
          .required = true,
          .fields = {TrainDataSchema(),
                     {.name = "validation",
                      .type = FieldType::kMap,
                      .doc = "A part of the examples that is kept from training.",
                      .fields = {{.name = "fraction",
                                  .type = FieldType::kNumber,
                                  .required = true,
                                  .minimum = 0,
                                  .maximum = 1,
                                  .exclusive_maximum = true},
                                 SeedSchema("Of the choice. Default 0.")},
                      .not_yet = {"format", "files"}}}};
}

Schema OptimizerSchema() {
  const auto number = [](const std::string& name, double absent) {
    return Schema{
        .name = name, .type = FieldType::kNumber, .default_value = Value(absent), .minimum = 0};
  };
  const auto share = [&](const std::string& name, double absent) {
    Schema field = number(name, absent);
    field.maximum = 1;
    field.exclusive_maximum = true;
    return field;
  };
  const auto positive = [&](const std::string& name, double absent) {
    Schema field = number(name, absent);
    field.exclusive_minimum = true;
    return field;
  };
  const Schema sgd{
      .name = "sgd",
      .fields = {positive("learningRate", 0.01),
                 share("momentum", 0),
                 {.name = "nesterov", .type = FieldType::kBool, .default_value = Value(false)}}};
  const Schema adam{.name = "adam",
                    .fields = {positive("learningRate", 0.001), share("beta1", 0.9),
                               share("beta2", 0.999), positive("epsilon", 1e-7)},
                    .not_yet = {"amsgrad"}};
  Value standard = Value::MakeMap();
  standard.Set("adam", Value::MakeMap());
  return {.name = "optimizer",
          .type = FieldType::kOneOf,
          .doc = "Keras' optimizers, with Keras' defaults.",
          .default_value = standard,
          .fields = {adam, sgd},
          .not_yet = {"rmsprop", "adamw", "adagrad", "adadelta", "lamb", "lars", "nadam"}};
}

Schema TrainingSchema() {
  const auto count = [](const std::string& name, const std::string& doc, double minimum,
                        double maximum) {
    return Schema{
        .name = name, .type = FieldType::kInt, .doc = doc, .minimum = minimum, .maximum = maximum};
  };
  Schema epochs = count("epochs", "Passes over the training data.", 1, kEpochsMax);
  epochs.default_value = Value(1);
  Schema steps = count("stepsPerEpoch", "0: one pass, last partial batch included.", 0, kStepsMax);
  steps.default_value = Value(0);
  return {.name = "training",
          .type = FieldType::kMap,
          .doc = "How to train.",
          .required = true,
          .fields = {count("batchSize", "Examples a step, of all cores.", 1, kBatchMax),
                     count("batchSizePerCore", "Or those of one core.", 1, kBatchMax),
                     {.name = "batchSplit",
                      .type = FieldType::kString,
                      .doc = "even: the batch must divide over all cores; uneven: it need not.",
                      .default_value = Value("even"),
                      .allowed = {"even", "uneven"}},
                     epochs,
                     steps,
                     OptimizerSchema(),
                     {.name = "loss",
                      .type = FieldType::kString,
                      .required = true,
                      .allowed = LossWords(),
                      .not_yet = {"binary_crossentropy", "mean_absolute_error", "huber", "hinge",
                                  "poisson", "kullback_leibler_divergence"}},
                     {.name = "metrics",
                      .type = FieldType::kList,
                      .default_value = Value::MakeList(),
                      .items_max = 16,
                      .fields = {{.type = FieldType::kString,
                                  .allowed = {"accuracy", "sparse_categorical_accuracy",
                                              "categorical_accuracy"}}}},
                     {.name = "precision",
                      .type = FieldType::kString,
                      .default_value = Value("float32"),
                      .allowed = {"float32"},
                      .not_yet = {"mixed_bfloat16"}},
                     SeedSchema("Of the initial weights, the order and dropout. Default 0."),
                     count("logicalShards",
                           "Fixed parts of the batch, so that the result does not depend on the "
                           "slice. Default: the number of cores.",
                           1, 65'536)},
          .not_yet = {"learningRateSchedule", "scaleLearningRate"}};
}

Schema CheckpointSchema() {
  return {.name = "checkpoint",
          .type = FieldType::kMap,
          .doc = "Also one at the end of each session and of the job.",
          .default_value = Value::MakeMap(),
          .fields = {{.name = "everySteps",
                      .type = FieldType::kInt,
                      .doc = "0: not by steps.",
                      .default_value = Value(0),
                      .minimum = 0,
                      .maximum = kStepsMax},
                     {.name = "every",
                      .type = FieldType::kDuration,
                      .doc = "By time; absent or 0: not by time.",
                      .minimum = 0,
                      .maximum = kWeek},
                     {.name = "keep",
                      .type = FieldType::kInt,
                      .doc = "Newest checkpoints that are kept.",
                      .default_value = Value(3),
                      .minimum = 1,
                      .maximum = 100}},
          .not_yet = {"bestOf"}};
}

Schema SpecSchema() {
  return {.type = FieldType::kMap,
          .doc = "What to train, on what, for how long.",
          .fields = {{.name = "user",
                      .type = FieldType::kString,
                      .doc = "Who pays. Set by the server from the caller.",
                      .bytes_min = 1,
                      .bytes_max = 253},
                     AcceleratorSchema(),
                     {.name = "priority",
                      .type = FieldType::kInt,
                      .doc = "Higher goes first.",
                      .default_value = Value(100),
                      .minimum = 0,
                      .maximum = 1000},
                     {.name = "suspend",
                      .type = FieldType::kBool,
                      .doc = "Holds no boards while this is true.",
                      .default_value = Value(false)},
                     SessionSchema(),
                     {.name = "retries",
                      .type = FieldType::kMap,
                      .default_value = Value::MakeMap(),
                      .fields = {{.name = "backoffLimit",
                                  .type = FieldType::kInt,
                                  .doc = "Failures after which the job has failed.",
                                  .default_value = Value(3),
                                  .minimum = 0,
                                  .maximum = 100}}},
                     ModelSchema(),
                     DataSchema(),
                     TrainingSchema(),
                     CheckpointSchema()},
          .not_yet = {"preemptible", "dependsOn", "ttlAfterFinished", "process", "sweep"}};
}

}  // namespace

KindInfo DescribeTrainingJob() {
  KindInfo info{.kind = Kind::kTrainingJob,
                .name = "TrainingJob",
                .plural = "trainingjobs",
                .singular = "trainingjob",
                .short_name = "tj",
                .namespaced = true};
  info.spec = SpecSchema();
  info.selectable_fields = {"spec.user", "status.phase"};
  info.subresources.push_back({.name = "log", .verbs = {"get"}});
  info.columns = {
      {.name = "NAME", .path = "metadata.name"},
      {.name = "TYPE", .path = "spec.accelerator.type"},
      {.name = "USER", .path = "spec.user"},
      {.name = "PHASE", .path = "status.phase"},
      {.name = "EPOCH", .path = "status.progress.epochs"},
      {.name = "LOSS", .path = "status.progress.loss", .type = "number"},
      {.name = "ACCURACY", .path = "status.progress.accuracy", .type = "number"},
      {.name = "AGE", .path = "metadata.creationTimestamp", .type = "date"},
      {.name = "SLICES", .path = "spec.accelerator.sliceCount", .type = "integer", .wide = true},
      {.name = "SESSION", .path = "status.session.name", .wide = true},
      {.name = "MESSAGE", .path = "status.message", .wide = true},
  };
  info.rules = CheckTrainingJobRules;
  return info;
}

}  // namespace octet
