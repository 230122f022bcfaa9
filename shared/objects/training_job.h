// TrainingJob, typed: what to train, on what, for how long; and how it goes. Values; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/ids.h"
#include "shared/base/status.h"
#include "shared/base/units.h"
#include "shared/objects/accelerator_type.h"
#include "shared/objects/conditions.h"
#include "shared/objects/object.h"

namespace octet {

enum class Activation { kLinear, kRelu, kElu, kTanh, kSigmoid, kSoftmax };
enum class LayerKind { kDense, kDropout, kFlatten, kActivation, kRescaling };
enum class LossKind {
  kSparseCategoricalCrossentropy,
  kCategoricalCrossentropy,
  kLogCosh,
  kMeanSquaredError,
};
enum class OptimizerKind { kSgd, kAdam };
enum class OnLimit { kRequeue, kSuspend, kFail };

struct LayerSpec {
  LayerKind kind = LayerKind::kDense;
  int64_t units = 0;                            // dense
  Activation activation = Activation::kLinear;  // dense, activation
  bool use_bias = true;                         // dense
  double rate = 0;                              // dropout
  double scale = 1, offset = 0;                 // rescaling: x * scale + offset
};

struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::kAdam;
  double learning_rate = 0.001;
  double momentum = 0;                                // sgd
  bool nesterov = false;                              // sgd
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;  // adam
};

struct CsvSource {
  std::vector<std::string> files;
  std::string target;
  int64_t one_hot =
      0;  // Classes of the one-hot target; 0: the target is a class index or a number.
};

struct DataSpec {
  CsvSource train;
  uint64_t shuffle_seed = 0;
  double validation_fraction = 0;
  uint64_t validation_seed = 0;
};

struct TrainingSpec {
  int64_t batch_size = 0;  // Global, resolved from batchSizePerCore where that was given.
  bool uneven = false;     // batchSplit: uneven
  int64_t epochs = 1;
  int64_t steps_per_epoch = 0;  // 0: one pass.
  OptimizerSpec optimizer;
  LossKind loss = LossKind::kSparseCategoricalCrossentropy;
  uint64_t seed = 0;
  int64_t logical_shards = 8;  // Resolved.
};

struct TrainingJobSpec {
  UserName user;
  AcceleratorType accelerator;
  int64_t slice_count = 1;
  int64_t priority = 100;
  bool suspend = false;
  Duration session_duration{};
  Duration session_min{};
  Duration grace_period{};
  OnLimit on_limit = OnLimit::kRequeue;
  int64_t backoff_limit = 3;
  std::vector<LayerSpec> layers;
  DataSpec data;
  TrainingSpec training;
  int64_t checkpoint_every_steps = 0;
  Duration checkpoint_every{};  // 0: not by time.
  int64_t checkpoints_kept = 3;

  Boards boards() const { return accelerator.boards() * slice_count; }
  int64_t cores() const { return accelerator.cores * slice_count; }
};

// The spec of a checked object with defaults filled in. A shape that validation should have caught
// is kInvalidArgument (a document of a newer version).
Result<TrainingJobSpec> DecodeTrainingJobSpec(const Value& spec);

enum class JobPhase {
  kQueued,
  kStarting,
  kRunning,
  kSuspended,
  kSucceeded,
  kFailed,
  kCancelled,
};
std::string_view JobPhaseName(JobPhase phase);  // "Queued", …
bool IsTerminal(JobPhase phase);

struct JobProgress {
  int64_t step = 0, total_steps = 0;
  int64_t epoch = 0, total_epochs = 0;
  std::optional<double> loss, accuracy, validation_loss, validation_accuracy;
  double examples_per_second = 0;
  double step_millis = 0;
  double all_reduce_millis = 0;
};

// What the current session of a job is; absent when it holds no boards.
struct JobSession {
  SessionUid uid;
  std::string name;
  std::vector<BoardId> boards;  // In rank order.
  Duration grant{};
  TimePoint started{};
};

struct TrainingJobStatus {
  JobPhase phase = JobPhase::kQueued;
  Conditions conditions;
  JobProgress progress;
  std::optional<JobSession> session;
  Fence fence;                // Of the last assignment.
  int64_t attempts = 0;       // Starts so far.
  int64_t failures = 0;       // Of them ended by the job's own fault: backoffLimit counts these.
  int64_t interruptions = 0;  // Of them ended by the platform.
  std::string message;        // One line for people: why it waits, or how it ended.
  std::string weights_sha256;
  std::string checkpoint_path;
  int64_t checkpoint_step = 0;
  std::optional<TimePoint> started, finished;
  BoardMillis charged;  // Of all its ended sessions; derived from them.
};

struct TrainingJob {
  ObjectMeta meta;
  TrainingJobSpec spec;
  TrainingJobStatus status;
};

Result<TrainingJob> DecodeTrainingJob(const Object& object);
// As the fields above in camelCase; `startTime` and `completionTime` are `started` and `finished`.
// For people besides: `progress.epochs` ("3/30") and `charged` ("1h 2m", exactly in
// `chargedMillis`). A loss that is no number is the word "NaN", since JSON has none.
Value EncodeTrainingJobStatus(const TrainingJobStatus& status);

}  // namespace octet
