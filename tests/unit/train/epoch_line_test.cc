#include "worker/train/epoch_line.h"

#include <gtest/gtest.h>

#include <limits>

namespace octet {
namespace {

TEST(EpochLine, SaysEverythingInOneLine) {
  EXPECT_EQ(FormatEpochLine({.epoch = 3,
                             .epochs = 30,
                             .training = {.examples = 1000, .loss = 123.4, .correct = 951},
                             .validation = {.examples = 200, .loss = 30, .correct = 189},
                             .examples_per_second = 12345.4,
                             .all_reduce_millis = 0.123}),
            "epoch  3/30  loss 0.1234  accuracy 95.1 %  val_loss 0.1500  val_accuracy 94.5 %  "
            "12,345 examples/s  all-reduce 0.123 ms/step");
}

TEST(EpochLine, LeavesOutWhatTheJobDoesNotHave) {
  EXPECT_EQ(FormatEpochLine({.epoch = 1,
                             .epochs = 5,
                             .training = {.examples = 10, .loss = 20, .correct = 0},
                             .has_accuracy = false,
                             .examples_per_second = 99}),
            "epoch 1/5  loss 2.0000  99 examples/s  all-reduce 0.000 ms/step");
}

TEST(EpochLine, DigitsAreGroupedByThree) {
  EXPECT_EQ(GroupDigits(0), "0");
  EXPECT_EQ(GroupDigits(999), "999");
  EXPECT_EQ(GroupDigits(1000), "1,000");
  EXPECT_EQ(GroupDigits(1234567), "1,234,567");
  EXPECT_EQ(GroupDigits(-123456), "-123,456");
}

TEST(EpochLine, ASmallLossKeepsItsDigits) {
  EXPECT_EQ(FormatLoss(0), "0.0000");
  EXPECT_EQ(FormatLoss(0.00012345), "1.234e-04");
  EXPECT_EQ(FormatLoss(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(FormatLoss(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace octet
