// The engine against Keras 3: the same weights and data in, the same losses, weights and outputs
// out. golden.json was written by make_golden.py with the real library.
#include <gtest/gtest.h>

#include "shared/base/file_system.h"
#include "shared/objects/json.h"
#include "worker/engine/compiled_step.h"
#include "worker/engine/optimizer.h"

namespace octet {
namespace {

// Both sides compute in float32 and sum in another order: some hundred roundings of 6e-8 of a
// number near 1, a few times more after six steps.
constexpr float kTolerance = 1e-5F;

std::vector<float> Floats(const Value& list) {
  std::vector<float> numbers;
  for (const Value& number : list.AsList())
    numbers.push_back(static_cast<float>(number.AsDouble()));
  return numbers;
}

Activation ActivationOf(const std::string& word) {
  const std::pair<const char*, Activation> words[] = {
      {"linear", Activation::kLinear},   {"relu", Activation::kRelu},
      {"elu", Activation::kElu},         {"tanh", Activation::kTanh},
      {"sigmoid", Activation::kSigmoid}, {"softmax", Activation::kSoftmax}};
  for (const auto& [name, activation] : words) {
    if (word == name) return activation;
  }
  ADD_FAILURE() << "no activation " << word;
  return Activation::kLinear;
}

LossKind LossOf(const std::string& word) {
  const std::pair<const char*, LossKind> words[] = {
      {"sparse_categorical_crossentropy", LossKind::kSparseCategoricalCrossentropy},
      {"categorical_crossentropy", LossKind::kCategoricalCrossentropy},
      {"log_cosh", LossKind::kLogCosh},
      {"mean_squared_error", LossKind::kMeanSquaredError}};
  for (const auto& [name, loss] : words) {
    if (word == name) return loss;
  }
  ADD_FAILURE() << "no loss " << word;
  return LossKind::kMeanSquaredError;
}

double NumberOr(const Value& map, const char* key, double absent) {
  const Value* found = map.Find(key);
  return found == nullptr ? absent : found->AsDouble();
}

// What the file leaves out has our default, which must be Keras'.
OptimizerSpec OptimizerOf(const Value& words) {
  OptimizerSpec spec;
  if (const Value* adam = words.Find("adam")) {
    spec.learning_rate = NumberOr(*adam, "learningRate", spec.learning_rate);
    spec.beta1 = NumberOr(*adam, "beta1", spec.beta1);
    spec.beta2 = NumberOr(*adam, "beta2", spec.beta2);
    spec.epsilon = NumberOr(*adam, "epsilon", spec.epsilon);
    return spec;
  }
  const Value& sgd = *words.Find("sgd");
  spec.kind = OptimizerKind::kSgd;
  spec.learning_rate = NumberOr(sgd, "learningRate", 0.01);
  spec.momentum = NumberOr(sgd, "momentum", 0);
  const Value* nesterov = sgd.Find("nesterov");
  spec.nesterov = nesterov != nullptr && nesterov->AsBool();
  return spec;
}

Network NetworkOf(const Value& golden) {
  std::vector<LayerSpec> layers;
  if (golden.Find("rescaling")->AsBool()) {
    layers.push_back({.kind = LayerKind::kRescaling, .scale = 0.5, .offset = 0.25});
  }
  layers.push_back({.kind = LayerKind::kDense,
                    .units = 7,
                    .activation = ActivationOf(golden.Find("hidden")->AsString())});
  layers.push_back({.kind = LayerKind::kDense,
                    .units = 3,
                    .activation = ActivationOf(golden.Find("last")->AsString())});
  return Network::Build(layers, 5, LossOf(golden.Find("loss")->AsString())).value();
}

void ExpectNear(const std::vector<float>& ours, const std::vector<float>& theirs,
                const char* what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(ours[i], theirs[i], kTolerance * (1 + std::abs(theirs[i]))) << what << " " << i;
  }
}

void Compare(const Value& golden) {
  const Network network = NetworkOf(golden);
  const HostKernels kernels;
  const int64_t rows = golden.Find("rows")->AsInt();
  const CompiledStep step(network, kernels, rows);
  const Workspace workspace(step.workspace_floats());
  const std::vector<float> inputs = Floats(*golden.Find("inputs"));
  const std::vector<float> targets = Floats(*golden.Find("targets"));
  std::vector<float> weights = Floats(*golden.Find("weights"));
  ASSERT_EQ(static_cast<int64_t>(weights.size()), network.parameters());
  Optimizer optimizer(OptimizerOf(*golden.Find("optimizer")), network.parameters());
  std::vector<float> sums(static_cast<size_t>(step.sums_size()));
  std::vector<float> losses;
  const Value::List& after = golden.Find("weightsAfter")->AsList();
  const size_t steps = golden.Find("losses")->AsList().size();
  for (size_t i = 0; i < steps; ++i) {
    ASSERT_TRUE(step.RunGradient(weights.data(),
                                 {.inputs = inputs.data(), .targets = targets.data(), .rows = rows},
                                 {}, workspace, sums.data(), nullptr)
                    .ok());
    losses.push_back(sums[static_cast<size_t>(network.parameters() + kLossSum)] /
                     static_cast<float>(rows));
    const Optimizer::Update update = optimizer.Prepare(rows);
    optimizer.Apply(update, sums.data(), 0, network.parameters(), weights.data());
    optimizer.Finish(update);
    if (i == 0) ExpectNear(weights, Floats(after[0]), "weight after the first step");
  }
  ExpectNear(losses, Floats(*golden.Find("losses")), "loss of step");
  ExpectNear(weights, Floats(after[1]), "weight after the last step");
  std::vector<float> outputs(static_cast<size_t>(rows * network.output_width()));
  step.RunPrediction(weights.data(), inputs.data(), rows, workspace, outputs.data());
  ExpectNear(outputs, Floats(*golden.Find("outputs")), "output");
}

TEST(Keras, LossesWeightsAndOutputsAgree) {
  const PosixFileSystem files;
  const std::string text = files.Read(OCTET_SOURCE_DIR "/tests/golden/keras/golden.json").value();
  const Value golden = ReadJson(text).value();
  const Value::List& cases = golden.Find("cases")->AsList();
  ASSERT_GE(cases.size(), 19U);
  for (const Value& one : cases) {
    SCOPED_TRACE(one.Find("name")->AsString());
    Compare(one);
  }
}

}  // namespace
}  // namespace octet
