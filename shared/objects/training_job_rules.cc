// The rules of a TrainingJob across fields. Each passes over what has a fault of its own: the
// schema has said that already, and a second fault from the same slip would only hide the first.
#include <algorithm>

#include "shared/base/limits.h"
#include "shared/objects/kind_tables.h"
#include "shared/objects/training_job_words.h"

namespace octet {
namespace {

constexpr int64_t kBatchMax = 1 << 24;

class Rules {
 public:
  Rules(const Value& spec, Faults& faults) : spec_(spec), faults_(faults) {}

  void Check() {
    CheckAccelerator();
    CheckBatch();
    CheckLogicalShards();
    CheckSession();
    CheckFiles();
    CheckModel();
    CheckTarget();
    CheckMetrics();
  }

 private:
  void Add(std::string path, const Value* place, std::string message,
           std::string reason = "FieldValueInvalid") {
    faults_.push_back({.path = std::move(path),
                       .message = std::move(message),
                       .position = place == nullptr ? spec_.position : place->position,
                       .reason = std::move(reason)});
  }

  // A whole number above 0, or nothing.
  std::optional<int64_t> CountAt(std::string_view path) const {
    const Value* value = spec_.FindPath(path);
    if (value == nullptr || !value->is_int() || value->AsInt() < 1) return std::nullopt;
    return value->AsInt();
  }

  std::optional<std::string> TextAt(std::string_view path) const {
    const Value* value = spec_.FindPath(path);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return value->AsString();
  }

  // Whether a member of the map at `path` is a misspelt `name`.
  bool Misspelt(std::string_view path, const std::string& name) const {
    const Value* map = spec_.FindPath(path);
    if (map == nullptr || !map->is_map()) return false;
    return std::any_of(map->AsMap().begin(), map->AsMap().end(), [&](const Value::Member& member) {
      return member.key != name && !DidYouMean(member.key, {name}).empty();
    });
  }

  void CheckAccelerator() {
    const std::optional<std::string> name = TextAt("accelerator.type");
    if (!name) return;
    const AcceleratorType* type = FindAcceleratorType(*name);
    if (type == nullptr) {
      Add("spec.accelerator.type", spec_.FindPath("accelerator.type"),
          UnknownAcceleratorMessage(*name), "FieldValueNotSupported");
      return;
    }
    const std::optional<int64_t> slices = CountAt("accelerator.sliceCount");
    if (!slices) return;
    const int64_t boards = SaturatingMultiply(type->boards().count(), *slices);
    if (boards > limits::kSliceBoardsMax) {
      Add("spec.accelerator.sliceCount", spec_.FindPath("accelerator.sliceCount"),
          std::to_string(*slices) + " slices of " + *name + " are " + std::to_string(boards) +
              " boards; a job may have " + std::to_string(limits::kSliceBoardsMax));
      return;
    }
    cores_ = type->cores * *slices;
    cores_text_ = std::to_string(cores_) + " cores of " +
                  (*slices == 1 ? "" : std::to_string(*slices) + " x ") + *name;
  }

  // "16 or 24": the multiples of the cores next to `count`, of which the lower one may be 0.
  std::string MultiplesAround(int64_t count) const {
    const int64_t below = count / cores_ * cores_;
    const std::string above = std::to_string(below + cores_);
    return below == 0 ? above : std::to_string(below) + " or " + above;
  }

  void CheckBatch() {
    const Value* training = spec_.Find("training");
    if (training == nullptr || !training->is_map()) return;
    const Value* global = training->Find("batchSize");
    const Value* per_core = training->Find("batchSizePerCore");
    if (global != nullptr && per_core != nullptr) {
      Add("spec.training.batchSizePerCore", per_core,
          "give either batchSize or batchSizePerCore, not both", "FieldValueForbidden");
      return;
    }
    if (global == nullptr && per_core == nullptr) {
      if (!Misspelt("training", "batchSize") && !Misspelt("training", "batchSizePerCore")) {
        Add("spec.training.batchSize", training, "is required (or batchSizePerCore)",
            "FieldValueRequired");
      }
      return;
    }
    if (cores_ == 0) return;
    if (const std::optional<int64_t> each = CountAt("training.batchSizePerCore"); each) {
      if (SaturatingMultiply(*each, cores_) > kBatchMax) {
        Add("spec.training.batchSizePerCore", per_core,
            "on the " + cores_text_ + " this is a batch of more than " + std::to_string(kBatchMax));
      }
      return;
    }
    const std::optional<int64_t> batch = CountAt("training.batchSize");
    const bool even = TextAt("training.batchSplit") == "even";
    if (!batch || !even || *batch % cores_ == 0) return;
    Add("spec.training.batchSize", global,
        std::to_string(*batch) + " does not divide over the " + cores_text_ + ": use " +
            MultiplesAround(*batch) + ", or set batchSplit: uneven");
  }

  void CheckLogicalShards() {
    const std::optional<int64_t> shards = CountAt("training.logicalShards");
    if (!shards || cores_ == 0 || *shards % cores_ == 0) return;
    Add("spec.training.logicalShards", spec_.FindPath("training.logicalShards"),
        "must be a multiple of the " + cores_text_ + ": use " + MultiplesAround(*shards));
  }

  // Nothing where the field is absent or no duration.
  std::optional<Duration> DurationAt(std::string_view path) const {
    const std::optional<std::string> text = TextAt(path);
    if (!text) return std::nullopt;
    const Result<Duration> duration = ParseDuration(*text);
    if (!duration.ok()) return std::nullopt;
    return *duration;
  }

  void CheckSession() {
    const std::optional<Duration> duration = DurationAt("session.duration");
    if (!duration) return;
    const std::optional<Duration> shortest = DurationAt("session.minDuration");
    if (shortest && *shortest > *duration) {
      Add("spec.session.minDuration", spec_.FindPath("session.minDuration"),
          "must be no longer than the duration of " + FormatDuration(*duration) + "; got " +
              FormatDuration(*shortest));
    }
    const std::optional<Duration> grace = DurationAt("session.gracePeriod");
    if (grace && *grace >= *duration) {
      Add("spec.session.gracePeriod", spec_.FindPath("session.gracePeriod"),
          "must be shorter than the duration of " + FormatDuration(*duration) +
              ", since it is a part of it; got " + FormatDuration(*grace));
    }
  }

  void CheckFiles() {
    const Value* files = spec_.FindPath("data.train.files");
    if (files == nullptr || !files->is_list()) return;
    for (size_t i = 0; i < files->AsList().size(); ++i) {
      const Value& file = files->AsList()[i];
      if (!file.is_string()) continue;
      const std::string& name = file.AsString();
      const std::string path = ItemPath("spec.data.train.files", i);
      if (name.find("://") != std::string::npos) {
        Add(path, &file, "addresses are not supported yet by this version: give a local path",
            "FieldValueNotSupported");
      } else if (name.find_first_of("*?[") != std::string::npos) {
        Add(path, &file, "patterns are not supported yet by this version: list the files",
            "FieldValueNotSupported");
      }
    }
  }

  // What the last layer that does something gives, as far as the document says.
  struct Output {
    const Value* dense = nullptr;  // Options of the last dense layer.
    std::string dense_path;
    const Value* last = nullptr;  // The function of the last layer, or its layer.
    std::string last_path;
    bool softmax = false;
    bool known = true;  // False: a layer has a fault of its own.
  };

  Output FindOutput() const {
    Output output;
    const Value* layers = spec_.FindPath("model.layers");
    if (layers == nullptr || !layers->is_list() || layers->AsList().empty()) {
      output.known = false;
      return output;
    }
    for (size_t i = 0; i < layers->AsList().size(); ++i) {
      const Value& layer = layers->AsList()[i];
      if (!layer.is_map() || layer.AsMap().size() != 1 ||
          !FindLayerKind(layer.AsMap().front().key) || !layer.AsMap().front().value.is_map()) {
        output.known = false;
        return output;
      }
      const auto& [kind, unused, options] = layer.AsMap().front();
      const std::string path = ItemPath("spec.model.layers", i) + "." + kind;
      if (kind == "flatten") continue;
      const std::string function_name = kind == "activation" ? "function" : "activation";
      const Value* function = options.Find(function_name);
      if (kind == "dense") {
        output.dense = &options;
        output.dense_path = path;
      }
      output.last = function != nullptr ? function : &options;
      output.last_path = function != nullptr ? path + "." + function_name : path;
      output.softmax =
          function != nullptr && function->is_string() && function->AsString() == "softmax";
      // Whatever the function should be, the schema has said that it is none.
      if (function != nullptr &&
          (!function->is_string() || !FindActivation(function->AsString()))) {
        output.known = false;
      }
    }
    return output;
  }

  void CheckModel() {
    output_ = FindOutput();
    if (!output_.known || output_.dense != nullptr) return;
    Add("spec.model.layers", spec_.FindPath("model.layers"),
        "must have at least one dense layer: without it there is nothing to train");
  }

  void CheckTarget() {
    const std::optional<std::string> word = TextAt("training.loss");
    const Value* train = spec_.FindPath("data.train");
    if (!word || !FindLoss(*word) || train == nullptr || !train->is_map()) return;
    const LossKind loss = FindLoss(*word).value();
    const Value* one_hot = train->Find("oneHot");
    if (loss == LossKind::kSparseCategoricalCrossentropy && one_hot != nullptr) {
      Add("spec.data.train.oneHot", one_hot,
          "does not go with loss: sparse_categorical_crossentropy, which takes the number of the "
          "class: remove it, or use loss: categorical_crossentropy",
          "FieldValueForbidden");
    }
    if (loss == LossKind::kCategoricalCrossentropy && one_hot == nullptr &&
        !Misspelt("data.train", "oneHot")) {
      Add("spec.data.train.oneHot", train,
          "is required by loss: categorical_crossentropy: give the number of classes, or use loss: "
          "sparse_categorical_crossentropy",
          "FieldValueRequired");
    }
    CheckOutput(loss, *word, one_hot);
  }

  // The last layer against the target.
  void CheckOutput(LossKind loss, const std::string& word, const Value* one_hot) {
    if (!output_.known || output_.dense == nullptr) return;
    const bool crossentropy = loss == LossKind::kSparseCategoricalCrossentropy ||
                              loss == LossKind::kCategoricalCrossentropy;
    if (crossentropy && !output_.softmax) {
      Add(output_.last_path, output_.last,
          "the last layer must be softmax with loss: " + word +
              ", which compares probabilities of classes");
    }
    const Value* units = output_.dense->Find("units");
    if (units == nullptr || !units->is_int() || units->AsInt() < 1) return;
    const std::string path = output_.dense_path + ".units";
    const std::string got = std::to_string(units->AsInt());
    if (one_hot != nullptr) {
      // With the sparse loss, oneHot itself is the fault.
      const bool sparse = loss == LossKind::kSparseCategoricalCrossentropy;
      if (!sparse && one_hot->is_int() && one_hot->AsInt() > 1 &&
          one_hot->AsInt() != units->AsInt()) {
        Add(path, units,
            "the last layer must have as many units as the target has classes (oneHot: " +
                std::to_string(one_hot->AsInt()) + "); got " + got);
      }
    } else if (!crossentropy && units->AsInt() != 1) {
      Add(path, units,
          "the last layer must have 1 unit, as the target is one number: or add oneHot with the "
          "number of classes; got " +
              got);
    } else if (crossentropy && units->AsInt() == 1) {
      Add(path, units, "a softmax of 1 unit is always 1: give one unit for each class");
    }
  }

  void CheckMetrics() {
    const Value* metrics = spec_.FindPath("training.metrics");
    const Value* train = spec_.FindPath("data.train");
    if (metrics == nullptr || !metrics->is_list() || train == nullptr || !train->is_map()) return;
    const bool one_hot = train->Find("oneHot") != nullptr || Misspelt("data.train", "oneHot");
    for (size_t i = 0; i < metrics->AsList().size(); ++i) {
      const Value& metric = metrics->AsList()[i];
      if (!metric.is_string()) continue;
      const std::string path = ItemPath("spec.training.metrics", i);
      if (metric.AsString() == "sparse_categorical_accuracy" && one_hot) {
        Add(path, &metric, "does not go with a one-hot target: use categorical_accuracy");
      } else if (metric.AsString() == "categorical_accuracy" && !one_hot) {
        Add(path, &metric, "needs a one-hot target: use sparse_categorical_accuracy");
      }
    }
  }

  const Value& spec_;
  Faults& faults_;
  int64_t cores_ = 0;  // 0: not known.
  std::string cores_text_;
  Output output_;
};

}  // namespace

void CheckTrainingJobRules(const Value& spec, Faults& faults) { Rules(spec, faults).Check(); }

}  // namespace octet
