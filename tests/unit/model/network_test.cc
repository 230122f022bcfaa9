#include "shared/model/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/model/hbm.h"

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LayerSpec Dense(int64_t units, Activation activation = Activation::kRelu, bool bias = true) {
  return {.kind = LayerKind::kDense, .units = units, .activation = activation, .use_bias = bias};
}
LayerSpec Dropout(double rate) { return {.kind = LayerKind::kDropout, .rate = rate}; }

Network Build(const std::vector<LayerSpec>& layers, int64_t inputs,
              LossKind loss = LossKind::kSparseCategoricalCrossentropy) {
  return Network::Build(layers, inputs, loss).value();
}

// Keras' summary() of the same models: 259 parameters for 4-32-3, 101,770 for 784-128-10.
TEST(Network, CountsParametersAsKerasDoes) {
  EXPECT_EQ(Build({Dense(32), Dense(3, Activation::kSoftmax)}, 4).parameters(), 259);
  EXPECT_EQ(Build({Dense(128), Dense(10, Activation::kSoftmax)}, 784).parameters(), 101'770);
  EXPECT_EQ(
      Build({Dense(5, Activation::kTanh, false), Dense(2, Activation::kSoftmax)}, 3).parameters(),
      3 * 5 + 5 * 2 + 2);
}

TEST(Network, TensorsLieOneAfterTheOtherInKerasOrderAndNames) {
  const Network network =
      Build({Dropout(0.5), Dense(32), Dropout(0.1), Dense(3, Activation::kSoftmax)}, 4);
  std::vector<std::string> names;
  int64_t end = 0;
  for (const TensorInfo& tensor : network.tensors()) {
    EXPECT_EQ(tensor.offset, end) << tensor.name;
    int64_t size = 1;
    for (const int64_t length : tensor.shape) size *= length;
    EXPECT_EQ(tensor.size, size) << tensor.name;
    end += tensor.size;
    names.push_back(tensor.name);
  }
  EXPECT_EQ(end, network.parameters());
  EXPECT_THAT(names, ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"));
  EXPECT_THAT(network.tensors()[0].shape, ElementsAre(4, 32));
  EXPECT_EQ(network.layers()[2].name, "dropout_1");
}

// Forward: 2 m n k. Backward: the weights' gradient costs the same again, the input's too, except
// below the first layer, where nobody wants it.
TEST(Network, CountsAMultiplyAddAsTwoFlops) {
  const Network network = Build({Dense(32), Dense(3, Activation::kSoftmax)}, 4);
  EXPECT_EQ(network.forward_flops(), 2 * (4 * 32 + 32 * 3));
  EXPECT_EQ(network.training_flops(), 2 * (2 * 4 * 32 + 3 * 32 * 3));
}

TEST(Network, WidthsFollowTheLayersAndTheLoss) {
  const std::vector<LayerSpec> layers = {
      Dense(7), {.kind = LayerKind::kFlatten}, Dense(3, Activation::kSoftmax)};
  const Network sparse = Build(layers, 4);
  EXPECT_EQ(sparse.input_width(), 4);
  EXPECT_EQ(sparse.output_width(), 3);
  EXPECT_EQ(sparse.target_width(), 1);
  EXPECT_TRUE(sparse.ends_in_softmax());
  EXPECT_EQ(Build(layers, 4, LossKind::kLogCosh).target_width(), 3);
}

TEST(Network, AModelThatCannotBeTrainedIsRefusedWithTheLayerAndTheFix) {
  const auto refusal = [](const std::vector<LayerSpec>& layers, int64_t inputs,
                          LossKind loss = LossKind::kSparseCategoricalCrossentropy) {
    const auto built = Network::Build(layers, inputs, loss);
    EXPECT_EQ(built.status().code(), StatusCode::kInvalidArgument);
    return built.status().message();
  };
  EXPECT_THAT(refusal({Dense(3, Activation::kSoftmax)}, 0), HasSubstr("0 input columns"));
  EXPECT_THAT(refusal({Dropout(0.5)}, 4), HasSubstr("nothing to train"));
  EXPECT_THAT(refusal({Dense(3), Dropout(1)}, 4), HasSubstr("layer 2"));
  EXPECT_THAT(refusal({Dense(0)}, 4), HasSubstr("units is 0"));
  EXPECT_THAT(refusal({Dense(1, Activation::kSoftmax)}, 4), HasSubstr("at least 2"));
  EXPECT_THAT(refusal({Dense(3, Activation::kRelu)}, 4), HasSubstr("softmax"));
  EXPECT_THAT(refusal({Dense(int64_t{1} << 30), Dense(int64_t{1} << 30)}, 4),
              HasSubstr("2^40 parameters"));
}

TEST(Network, TargetsOfAnotherWidthAreRefusedWithTheFix) {
  const std::vector<LayerSpec> layers = {Dense(3, Activation::kSoftmax)};
  EXPECT_TRUE(Build(layers, 4).CheckTargetWidth(1).ok());
  EXPECT_THAT(Build(layers, 4).CheckTargetWidth(3).message(), HasSubstr("oneHot"));
  EXPECT_THAT(Build(layers, 4, LossKind::kLogCosh).CheckTargetWidth(1).message(),
              HasSubstr("oneHot: 3"));
}

// 4-32-3 in float32 with Adam: weights, gradients and two slots of 259 numbers each; a batch of 20
// has inputs, targets, two outputs, and two gradients as wide as the widest output.
TEST(Hbm, CountsWhatATrainingStepHolds) {
  const Network network = Build({Dense(32), Dense(3, Activation::kSoftmax)}, 4);
  const HbmUse use = CountHbm(network, {.kind = OptimizerKind::kAdam}, 20, HbmLayout::kPacked);
  EXPECT_EQ(use.weights, Bytes(259 * 4));
  EXPECT_EQ(use.gradients, Bytes(259 * 4));
  EXPECT_EQ(use.optimizer, Bytes(2 * 259 * 4));
  EXPECT_EQ(use.activations, Bytes(20 * (4 + 1 + 32 + 3 + 2 * 32) * 4));
  EXPECT_EQ(CountHbm(network, {.kind = OptimizerKind::kSgd}, 20, HbmLayout::kPacked).optimizer,
            Bytes(0));
  EXPECT_EQ(
      CountHbm(network, {.kind = OptimizerKind::kSgd, .momentum = 0.9}, 20, HbmLayout::kPacked)
          .optimizer,
      Bytes(259 * 4));
}

// XLA's layout rounds the last two dimensions up to 8 x 128.
TEST(Hbm, TilesAreRoundedUp) {
  const Network network = Build({Dense(3, Activation::kSoftmax, false)}, 4);
  const HbmUse use = CountHbm(network, {.kind = OptimizerKind::kSgd}, 8, HbmLayout::kTiled);
  EXPECT_EQ(use.weights, Bytes(8 * 128 * 4));
}

TEST(Hbm, AJobThatDoesNotFitIsToldItsLargestTensors) {
  EXPECT_EQ(HbmPerCore(2), Bytes(int64_t{8} << 30));
  EXPECT_EQ(HbmPerCore(3), Bytes(int64_t{16} << 30));
  const Network network = Build({Dense(1000), Dense(3, Activation::kSoftmax)}, 1000);
  const HbmUse use = CountHbm(network, {.kind = OptimizerKind::kAdam}, 8, HbmLayout::kPacked);
  EXPECT_TRUE(CheckHbm(use, use.total()).ok());
  const Status refused = CheckHbm(use, use.total() - Bytes(1));
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.message(), HasSubstr("dense/kernel"));
}

}  // namespace
}  // namespace octet
