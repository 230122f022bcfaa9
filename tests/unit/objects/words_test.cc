// Accelerator types, conditions and guesses of words.
#include <gtest/gtest.h>

#include "shared/objects/accelerator_type.h"
#include "shared/objects/conditions.h"
#include "shared/objects/fault.h"

namespace octet {
namespace {

using namespace std::chrono_literals;

TEST(AcceleratorType, CountsCoresAndBoards) {
  EXPECT_EQ(AllAcceleratorTypes().size(), 13u);
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    EXPECT_EQ(type.boards().count() * kCoresPerBoard, type.cores) << type.name;
    EXPECT_EQ(FindAcceleratorType(type.name), &type);
  }
  EXPECT_EQ(FindAcceleratorType("v3-8")->boards(), Boards(1));
  EXPECT_EQ(FindAcceleratorType("v3-64")->boards_y(), 4);
  EXPECT_EQ(FindAcceleratorType("v3-2048")->boards(), Boards(256));
  EXPECT_EQ(FindAcceleratorType("v2-64"), nullptr);
}

TEST(AcceleratorType, AnUnknownTypeNamesItsNeighbours) {
  EXPECT_EQ(UnknownAcceleratorMessage("v3-16"), "there is no v3-16: use v3-8 or v3-32");
  EXPECT_EQ(UnknownAcceleratorMessage("v2-64"), "there is no v2-64: use v2-32 or v2-128");
  EXPECT_EQ(UnknownAcceleratorMessage("v3-4"), "there is no v3-4: use v3-8");
  EXPECT_EQ(UnknownAcceleratorMessage("v3-4096"), "there is no v3-4096: use v3-2048");
  EXPECT_TRUE(UnknownAcceleratorMessage("tpu").starts_with("there is no tpu: use one of v2-8, "));
  EXPECT_TRUE(UnknownAcceleratorMessage("").starts_with("there is no "));
}

TEST(Conditions, ATransitionTimeMovesOnlyWithTheStatus) {
  Conditions conditions;
  SetCondition(conditions, {.type = "Running", .status = true, .reason = "A"}, TimePoint(1s));
  SetCondition(conditions, {.type = "Running", .status = true, .reason = "B"}, TimePoint(2s));
  EXPECT_EQ(FindCondition(conditions, "Running")->last_transition, TimePoint(1s));
  EXPECT_EQ(FindCondition(conditions, "Running")->reason, "B");
  SetCondition(conditions, {.type = "Running", .status = false}, TimePoint(3s));
  EXPECT_EQ(FindCondition(conditions, "Running")->last_transition, TimePoint(3s));
  EXPECT_FALSE(IsTrue(conditions, "Running"));
  EXPECT_EQ(conditions.size(), 1u);
}

TEST(Conditions, DecodeWhatTheyEncode) {
  Conditions conditions;
  SetCondition(conditions,
               {.type = "Admitted",
                .status = true,
                .reason = "Placed",
                .message = "on local-0",
                .observed_generation = 4},
               TimePoint(1500ms));
  const Value encoded = EncodeConditions(conditions);
  const Conditions decoded = DecodeConditions(&encoded);
  ASSERT_EQ(decoded.size(), 1u);
  EXPECT_EQ(decoded[0].message, "on local-0");
  EXPECT_EQ(decoded[0].observed_generation, 4);
  EXPECT_EQ(decoded[0].last_transition, TimePoint(1500ms));
  EXPECT_TRUE(DecodeConditions(nullptr).empty());
}

TEST(DidYouMean, GuessesNearWordsOnly) {
  const std::vector<std::string> known = {"batchSize", "epochs", "loss", "stepsPerEpoch"};
  EXPECT_EQ(DidYouMean("batchsize", known), "batchSize");
  EXPECT_EQ(DidYouMean("batch_size", known), "batchSize");
  EXPECT_EQ(DidYouMean("epoch", known), "epochs");
  EXPECT_EQ(DidYouMean("lsos", known), "loss");
  EXPECT_EQ(DidYouMean("optimizer", known), "");
  EXPECT_EQ(DidYouMean("", known), "");
  EXPECT_EQ(DidYouMean("ab", {"xy"}), "");
  EXPECT_EQ(DidYouMean(std::string(100'000, 'a'), known), "");
}

}  // namespace
}  // namespace octet
