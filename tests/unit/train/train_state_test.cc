#include "worker/train/train_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace octet {
namespace {

using ::testing::HasSubstr;

LayerSpec Dense(int64_t units) { return {.kind = LayerKind::kDense, .units = units}; }

Network NetworkOf(std::vector<LayerSpec> layers) {
  auto network = Network::Build(layers, 4, LossKind::kMeanSquaredError);
  CHECK(network.ok()) << network.status().ToString();
  return std::move(network).value();
}

TrainingSpec Adam() {
  TrainingSpec training;
  training.seed = 1;
  return training;
}

// A state with something in every place, signed zero and a denormal among them.
TrainState Filled(const Network& network, const TrainingSpec& training) {
  TrainState state(network, training);
  float value = 0.5F;
  for (float& weight : state.weights) weight = value *= -1.25F;
  state.weights[0] = -0.0F;
  state.weights[1] = 1e-41F;
  for (OptimizerSlot& slot : state.optimizer.slots()) {
    for (float& number : slot.values) number = value *= -0.75F;
  }
  state.step = 17;
  state.optimizer.set_step(17);
  state.epoch = {.examples = 3, .loss = 0.1, .correct = 2};
  state.last_epoch = {.examples = 30, .loss = 1.0 / 3, .correct = 20};
  state.validation = {.examples = 6, .loss = 0.7, .correct = 5};
  return state;
}

TEST(TrainState, ASavedAndRestoredStateHasEveryBit) {
  const Network network = NetworkOf({Dense(3), Dense(2)});
  const TrainingSpec training = Adam();
  const TrainState state = Filled(network, training);
  TrainState other(network, training);
  ASSERT_NE(other.Pack(), state.Pack());
  ASSERT_TRUE(other.Restore(state.Save()).ok());
  EXPECT_EQ(other.Pack(), state.Pack());
  EXPECT_EQ(other.WeightsSha256(), state.WeightsSha256());
}

TEST(TrainState, APackedAndUnpackedStateHasEveryBit) {
  const Network network = NetworkOf({Dense(3), Dense(2)});
  const TrainingSpec training = Adam();
  const TrainState state = Filled(network, training);
  TrainState other(network, training);
  ASSERT_TRUE(other.Unpack(state.Pack()).ok());
  EXPECT_EQ(other.Pack(), state.Pack());
  EXPECT_FALSE(other.Unpack(state.Pack() + "x").ok());
}

TEST(TrainState, ACheckpointOfAnotherModelOrOptimizerIsRefused) {
  const Network network = NetworkOf({Dense(3), Dense(2)});
  const Network wider = NetworkOf({Dense(5), Dense(2)});
  const TrainingSpec training = Adam();
  const Checkpoint checkpoint = Filled(network, training).Save();
  TrainState other(wider, training);
  EXPECT_THAT(other.Restore(checkpoint).message(), HasSubstr("another shape"));
  TrainingSpec sgd = Adam();
  sgd.optimizer.kind = OptimizerKind::kSgd;
  TrainState plain(network, sgd);
  EXPECT_THAT(plain.Restore(checkpoint).message(), HasSubstr("other tensors"));
}

TEST(TrainState, TheHashIsOfTheWeightsAlone) {
  const Network network = NetworkOf({Dense(2)});
  const TrainingSpec training = Adam();
  TrainState state(network, training);
  const std::string hash = state.WeightsSha256();
  state.step = 5;
  EXPECT_EQ(state.WeightsSha256(), hash);
  state.weights[0] = std::nextafter(state.weights[0], 10.0F);
  EXPECT_NE(state.WeightsSha256(), hash);
}

}  // namespace
}  // namespace octet
