// The compiled step and its parts at the edges; the middle is for tests/property/engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shared/base/random.h"
#include "worker/engine/activations.h"
#include "worker/engine/compiled_step.h"
#include "worker/engine/dropout.h"
#include "worker/engine/losses.h"
#include "worker/engine/optimizer.h"

namespace octet {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;

const Network& Iris() {
  static const Network network =
      Network::Build({{.kind = LayerKind::kDense, .units = 5, .activation = Activation::kRelu},
                      {.kind = LayerKind::kDense, .units = 3, .activation = Activation::kSoftmax}},
                     4, LossKind::kSparseCategoricalCrossentropy)
          .value();
  return network;
}

TEST(CompiledStep, AnEmptyShardGivesZeros) {
  const HostKernels kernels;
  const CompiledStep step(Iris(), kernels, 4);
  const Workspace workspace(step.workspace_floats());
  const std::vector<float> weights = InitialWeights(Iris(), 1);
  std::vector<float> sums(static_cast<size_t>(step.sums_size()), NAN);
  ASSERT_TRUE(step.RunGradient(weights.data(), {}, {}, workspace, sums.data(), nullptr).ok());
  EXPECT_THAT(sums, Each(0.0F));
}

TEST(CompiledStep, ALabelThatIsNoClassIsRefusedAndWritesNothing) {
  const HostKernels kernels;
  const CompiledStep step(Iris(), kernels, 4);
  const Workspace workspace(step.workspace_floats());
  const std::vector<float> weights = InitialWeights(Iris(), 1);
  const std::vector<float> inputs(8, 0.5F);
  for (const float label : {3.0F, -1.0F, 0.5F, NAN, INFINITY}) {
    const float targets[] = {0, label};
    std::vector<float> sums(static_cast<size_t>(step.sums_size()), 42);
    const Status status = step.RunGradient(
        weights.data(), {.inputs = inputs.data(), .targets = targets, .rows = 2, .first_row = 100},
        {}, workspace, sums.data(), nullptr);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << label;
    EXPECT_THAT(status.message(), testing::HasSubstr("101")) << "the row in the batch";
    EXPECT_THAT(sums, Each(42.0F));
    EXPECT_EQ(CheckLabels(Iris(), targets, 2, 100).code(), StatusCode::kInvalidArgument);
  }
}

// ln(3) for three equal logits; and -ln softmax of logits whose exponentials overflow a float.
TEST(Losses, CrossEntropyFromLogitsIsExactForLogitsOfAnySize) {
  const float equal[] = {0.25F, 0.25F, 0.25F};
  const float label[] = {2};
  EXPECT_NEAR(LossSum(LossKind::kSparseCategoricalCrossentropy, true,
                      {.rows = 1, .width = 3, .outputs = equal, .targets = label}, nullptr),
              std::log(3.0), 1e-7);
  const float far[] = {1000, 0, -1000};
  float gradients[3];
  EXPECT_NEAR(LossSum(LossKind::kSparseCategoricalCrossentropy, true,
                      {.rows = 1, .width = 3, .outputs = far, .targets = label}, gradients),
              2000, 1e-3);
  EXPECT_THAT(gradients,
              ElementsAre(FloatNear(1, 1e-30F), FloatNear(0, 1e-30F), FloatNear(-1, 1e-30F)));
}

TEST(Losses, LogCoshDoesNotOverflow) {
  const float outputs[] = {1000};
  const float targets[] = {0};
  float gradient = NAN;
  // log cosh x = |x| - ln 2 for large x.
  EXPECT_NEAR(LossSum(LossKind::kLogCosh, false,
                      {.rows = 1, .width = 1, .outputs = outputs, .targets = targets}, &gradient),
              1000 - std::numbers::ln2, 1e-3);
  EXPECT_EQ(gradient, 1);
}

// The first of equal outputs counts, as numpy's argmax.
TEST(Losses, CorrectIsTheFirstLargestOutput) {
  const float outputs[] = {0.5F, 0.5F, 0.1F, 0.8F, 0.9F, 0.2F};
  const float labels[] = {0, 2};
  const LossRows rows{.rows = 2, .width = 3, .outputs = outputs, .targets = labels};
  EXPECT_EQ(CountCorrect(LossKind::kSparseCategoricalCrossentropy, rows), 1);
  const float one_hot[] = {1, 0, 0, 0, 1, 0};
  EXPECT_EQ(CountCorrect(LossKind::kCategoricalCrossentropy,
                         {.rows = 2, .width = 3, .outputs = outputs, .targets = one_hot}),
            2);
}

TEST(Activations, HoldAtTheEnds) {
  for (const Activation activation : {Activation::kTanh, Activation::kSigmoid, Activation::kElu}) {
    float values[] = {-1000, 1000, 0};
    Activate(activation, 1, 3, values);
    const bool sigmoid = activation == Activation::kSigmoid;
    EXPECT_NEAR(values[0], sigmoid ? 0 : -1, 1e-7);
    EXPECT_FLOAT_EQ(values[1], activation == Activation::kElu ? 1000 : 1);
    EXPECT_FLOAT_EQ(values[2], sigmoid ? 0.5F : 0);
  }
  float values[] = {1000, 999, -1000};
  Activate(Activation::kSoftmax, 1, 3, values);
  EXPECT_NEAR(values[0], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(values[2], 0, 1e-30);
  float nan[] = {NAN};
  Activate(Activation::kTanh, 1, 1, nan);
  EXPECT_TRUE(std::isnan(nan[0])) << "a fault of the model must be seen";
}

TEST(Dropout, AFactorIsAFunctionOfTheKeyAndThePlace) {
  const uint64_t key = DropoutLayerKey({.seed = 1, .step = 2}, 3);
  std::vector<float> whole(1000);
  DropoutFactors(key, 0, 1000, 0.25F, whole.data());
  for (const int64_t first : {1, 2, 3, 5, 64, 999}) {
    std::vector<float> part(static_cast<size_t>(1000 - first));
    DropoutFactors(key, first, 1000 - first, 0.25F, part.data());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first)) << first;
  }
  for (const DropoutKey other :
       {DropoutKey{.seed = 2, .step = 2}, DropoutKey{.seed = 1, .step = 3}}) {
    std::vector<float> factors(1000);
    DropoutFactors(DropoutLayerKey(other, 3), 0, 1000, 0.25F, factors.data());
    EXPECT_NE(factors, whole);
  }
  EXPECT_NE(DropoutLayerKey({.seed = 1, .step = 2}, 4), key);
}

// As the comment above the function defines it, word by word.
TEST(Dropout, FactorsAreThoseOfThePhiloxWords) {
  const uint64_t key = 77;
  std::vector<float> factors(64);
  DropoutFactors(key, 0, 64, 0.5F, factors.data());
  for (uint64_t e = 0; e < 64; ++e) {
    const uint32_t word = PhiloxBlock(key, e / 4, 0)[e % 4];
    EXPECT_EQ(factors[e], word < 0x80000000U ? 0.0F : 2.0F) << e;
  }
}

// A hundred thousand draws: the share is within five standard deviations of the rate.
TEST(Dropout, DropsTheRateAndKeepsTheMean) {
  constexpr int64_t kCount = 100'000;
  std::vector<float> factors(kCount);
  DropoutFactors(99, 0, kCount, 0.3F, factors.data());
  const auto dropped = std::count(factors.begin(), factors.end(), 0.0F);
  EXPECT_NEAR(static_cast<double>(dropped) / kCount, 0.3, 5 * std::sqrt(0.3 * 0.7 / kCount));
  for (const float factor : factors) {
    if (factor != 0) {
      EXPECT_FLOAT_EQ(factor, 1 / 0.7F);
    }
  }
}

TEST(InitialWeights, AreGlorotUniformWithZeroBiases) {
  const Network network =
      Network::Build({{.kind = LayerKind::kDense, .units = 300, .activation = Activation::kRelu},
                      {.kind = LayerKind::kDense, .units = 2, .activation = Activation::kSoftmax}},
                     100, LossKind::kSparseCategoricalCrossentropy)
          .value();
  const std::vector<float> weights = InitialWeights(network, 7);
  const double limit = std::sqrt(6.0 / 400);
  double sum = 0;
  double squares = 0;
  for (size_t i = 0; i < 30'000; ++i) {
    ASSERT_LE(std::abs(weights[i]), limit);
    sum += weights[i];
    squares += double{weights[i]} * weights[i];
  }
  // The mean of a uniform law is 0 and its variance limit^2 / 3.
  EXPECT_NEAR(sum / 30'000, 0, 5 * limit / std::sqrt(3.0 * 30'000));
  EXPECT_NEAR(squares / 30'000, limit * limit / 3, 0.03 * limit * limit);
  for (size_t i = 30'000; i < 30'300; ++i) EXPECT_EQ(weights[i], 0);
  EXPECT_EQ(weights, InitialWeights(network, 7));
  EXPECT_NE(weights, InitialWeights(network, 8));
}

TEST(Optimizer, RangesMayBeSharedInAnyWay) {
  Random random(5);
  std::vector<float> start(103), gradient(103);
  for (float& value : start) value = random.NextNormal();
  for (float& value : gradient) value = random.NextNormal();
  for (const OptimizerSpec& spec :
       {OptimizerSpec{.kind = OptimizerKind::kAdam},
        OptimizerSpec{.kind = OptimizerKind::kSgd, .momentum = 0.9, .nesterov = true}}) {
    std::vector<std::vector<float>> results;
    for (const int64_t range : {103, 1, 7, 16, 50}) {
      Optimizer optimizer(spec, 103);
      std::vector<float> weights = start;
      for (int step = 0; step < 3; ++step) {
        const Optimizer::Update update = optimizer.Prepare(20);
        for (int64_t begin = 0; begin < 103; begin += range) {
          optimizer.Apply(update, gradient.data(), begin, std::min<int64_t>(103, begin + range),
                          weights.data());
        }
        optimizer.Finish(update);
      }
      EXPECT_EQ(optimizer.step(), 3);
      results.push_back(weights);
    }
    EXPECT_THAT(results, Each(results.front()));
  }
}

}  // namespace
}  // namespace octet
