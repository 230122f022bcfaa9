// Random small networks: the engine's loss against a second implementation, its gradient against
// that one's central differences, and its evaluation against both.
#include <gtest/gtest.h>

#include "shared/base/random.h"
#include "tests/property/engine/naive_network.h"
#include "worker/engine/optimizer.h"

namespace octet {
namespace {

constexpr Activation kActivations[] = {Activation::kLinear,  Activation::kRelu,
                                       Activation::kElu,     Activation::kTanh,
                                       Activation::kSigmoid, Activation::kSoftmax};
constexpr LossKind kLosses[] = {LossKind::kSparseCategoricalCrossentropy,
                                LossKind::kCategoricalCrossentropy, LossKind::kLogCosh,
                                LossKind::kMeanSquaredError};

// A network, a shard for it and weights, all from one seed.
struct Case {
  explicit Case(uint64_t seed) : random(seed) {
    loss = kLosses[random.Below(4)];
    const auto inputs = static_cast<int64_t>(1 + random.Below(6));
    AddLayers();
    network = Network::Build(layers, inputs, loss).value();
    rows = static_cast<int64_t>(1 + random.Below(7));
    first_row = static_cast<int64_t>(random.Below(1000));
    for (int64_t i = 0; i < rows * inputs; ++i) values.push_back(random.NextNormal());
    AddTargets();
    weights = InitialWeights(*network, seed);
    for (float& weight : weights) weight += 0.1F * random.NextNormal();
  }

  Shard shard() const {
    return {
        .inputs = values.data(), .targets = targets.data(), .rows = rows, .first_row = first_row};
  }

  void AddLayers() {
    if (random.Below(2) == 0) {
      layers.push_back({.kind = LayerKind::kRescaling, .scale = 0.5, .offset = -0.25});
    }
    const uint64_t hidden = random.Below(3);
    for (uint64_t i = 0; i < hidden; ++i) {
      layers.push_back({.kind = LayerKind::kDense,
                        .units = static_cast<int64_t>(1 + random.Below(8)),
                        .activation = kActivations[random.Below(6)],
                        .use_bias = random.Below(4) != 0});
      if (random.Below(3) == 0) layers.push_back({.kind = LayerKind::kDropout, .rate = 0.3});
      if (random.Below(4) == 0) layers.push_back({.kind = LayerKind::kFlatten});
      if (random.Below(4) == 0) {
        layers.push_back(
            {.kind = LayerKind::kActivation, .activation = kActivations[random.Below(6)]});
      }
    }
    const bool entropy = loss == LossKind::kSparseCategoricalCrossentropy ||
                         loss == LossKind::kCategoricalCrossentropy;
    const Activation probabilities =
        random.Below(3) == 0 ? Activation::kSigmoid : Activation::kSoftmax;
    const Activation last = entropy ? probabilities : kActivations[random.Below(6)];
    const bool apart = random.Below(3) == 0;
    layers.push_back({.kind = LayerKind::kDense,
                      .units = static_cast<int64_t>(2 + random.Below(5)),
                      .activation = apart ? Activation::kLinear : last});
    if (apart) layers.push_back({.kind = LayerKind::kActivation, .activation = last});
  }

  void AddTargets() {
    const int64_t width = network->output_width();
    for (int64_t r = 0; r < rows; ++r) {
      const auto label = static_cast<int64_t>(random.Below(static_cast<uint64_t>(width)));
      if (loss == LossKind::kSparseCategoricalCrossentropy) {
        targets.push_back(static_cast<float>(label));
        continue;
      }
      for (int64_t i = 0; i < width; ++i) targets.push_back(i == label ? 1.0F : 0.0F);
    }
  }

  Random random;
  LossKind loss;
  std::vector<LayerSpec> layers;
  std::optional<Network> network;
  int64_t rows = 0;
  int64_t first_row = 0;
  std::vector<float> values;
  std::vector<float> targets;
  std::vector<float> weights;
};

constexpr uint64_t kSeeds = 300;

void CheckGradient(uint64_t seed) {
  const Case c(seed);
  const Network& network = *c.network;
  const HostKernels kernels;
  const CompiledStep step(network, kernels, 8);
  const Workspace workspace(step.workspace_floats());
  std::vector<float> sums(static_cast<size_t>(step.sums_size()), NAN);
  const DropoutKey key{.seed = seed, .step = 3};
  ASSERT_TRUE(
      step.RunGradient(c.weights.data(), c.shard(), key, workspace, sums.data(), nullptr).ok());

  NaiveNetwork naive{.network = network, .weights = {c.weights.begin(), c.weights.end()}};
  const auto factors = FactorsOf(network, c.shard(), key);
  const double loss = naive.ShardLoss(c.shard(), factors);
  const auto parameters = static_cast<size_t>(network.parameters());
  // Some two hundred float32 operations lie between the inputs and a sum.
  EXPECT_NEAR(sums[parameters + kLossSum], loss, 1e-4 * (1 + std::abs(loss)));
  EXPECT_EQ(sums[parameters + kExampleCount], static_cast<float>(c.rows));

  double largest = 0;
  std::vector<double> wanted(parameters);
  for (size_t i = 0; i < parameters; ++i) {
    const double weight = naive.weights[i];
    constexpr double kStep = 1e-6;
    naive.weights[i] = weight + kStep;
    const double above = naive.ShardLoss(c.shard(), factors);
    naive.weights[i] = weight - kStep;
    const double below = naive.ShardLoss(c.shard(), factors);
    naive.weights[i] = weight;
    wanted[i] = (above - below) / (2 * kStep);
    largest = std::max(largest, std::abs(wanted[i]));
  }
  for (size_t i = 0; i < parameters; ++i) {
    ASSERT_NEAR(sums[i], wanted[i], 2e-4 * (0.1 + largest)) << "weight " << i;
  }
}

void CheckEvaluation(uint64_t seed) {
  const Case c(seed);
  const Network& network = *c.network;
  const HostKernels kernels;
  const CompiledStep step(network, kernels, 8);
  const Workspace workspace(step.workspace_floats());
  float sums[kStatistics] = {NAN, NAN, NAN};
  ASSERT_TRUE(step.RunEvaluation(c.weights.data(), c.shard(), workspace, sums, nullptr).ok());
  const NaiveNetwork naive{.network = network, .weights = {c.weights.begin(), c.weights.end()}};
  const double loss = naive.ShardLoss(c.shard(), {});
  EXPECT_NEAR(sums[kLossSum], loss, 1e-4 * (1 + std::abs(loss)));

  std::vector<float> outputs(static_cast<size_t>(c.rows * network.output_width()));
  step.RunPrediction(c.weights.data(), c.values.data(), c.rows, workspace, outputs.data());
  for (int64_t r = 0; r < c.rows; ++r) {
    const float* input = c.values.data() + r * network.input_width();
    const Row row = naive.Forward(Row(input, input + network.input_width()), {});
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_NEAR(outputs[static_cast<size_t>(r) * row.size() + i], row[i], 2e-5);
    }
  }
}

TEST(EngineProperty, GradientsAgreeWithTheDifferencesOfADumbNetwork) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CheckGradient(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(EngineProperty, EvaluationAndPredictionLeaveDropoutOut) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CheckEvaluation(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace octet
