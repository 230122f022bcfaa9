// The rules of a TrainingJob that need more than one field, each from both sides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "shared/objects/field_reader.h"
#include "shared/objects/json.h"
#include "shared/objects/session.h"
#include "shared/objects/training_job.h"
#include "tests/unit/objects/documents.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// The faults of the good job with these changes.
std::string FaultsWith(std::initializer_list<std::pair<const char*, const char*>> changes) {
  std::string text = kGoodJob;
  for (const auto& [from, to] : changes) text = Changed(text, from, to);
  return FaultsOf(text);
}

TrainingJobSpec SpecWith(const char* from, const char* to) {
  return DecodeTrainingJob(ObjectOf(Changed(kGoodJob, from, to))).value().spec;
}

TEST(JobRules, ABatchDividesOverAllCoresOfAllSlices) {
  EXPECT_EQ(FaultsWith({{"type: v3-8", "type: v3-8, sliceCount: 2"}}), "");
  EXPECT_THAT(
      FaultsWith({{"type: v3-8", "type: v3-8, sliceCount: 2"}, {"batchSize: 128", "batchSize: 8"}}),
      HasSubstr("8 does not divide over the 16 cores of 2 x v3-8: use 16"));
  EXPECT_THAT(FaultsWith({{"type: v3-8", "type: v3-32"}, {"batchSize: 128", "batchSize: 40"}}),
              HasSubstr("40 does not divide over the 32 cores of v3-32: use 32 or 64"));
}

TEST(JobRules, OneOfTheTwoBatchSizesIsGiven) {
  EXPECT_THAT(FaultsWith({{"batchSize: 128", "batchSize: 128\n    batchSizePerCore: 16"}}),
              HasSubstr("spec.training.batchSizePerCore: give either"));
  EXPECT_THAT(FaultsWith({{"batchSize: 128", "epochs: 1"}}),
              HasSubstr("spec.training.batchSize: is required (or batchSizePerCore)"));
  // 2^24 examples are the largest batch, however it is written.
  EXPECT_EQ(FaultsWith({{"batchSize: 128", "batchSizePerCore: 2097152"}}), "");
  EXPECT_THAT(FaultsWith({{"batchSize: 128", "batchSizePerCore: 2097153"}}),
              HasSubstr("spec.training.batchSizePerCore: on the 8 cores of v3-8"));
}

TEST(JobRules, AnAcceleratorThatDoesNotExistIsOneFault) {
  EXPECT_EQ(FaultsWith({{"type: v3-8", "type: v3-16"}, {"batchSize: 128", "batchSize: 129"}}),
            "5:23: spec.accelerator.type: there is no v3-16: use v3-8 or v3-32\n");
}

TEST(JobRules, AJobHasAtMostTheBoardsOfTheLargestSlice) {
  EXPECT_EQ(FaultsWith({{"type: v3-8", "type: v3-8, sliceCount: 256"},
                        {"batchSize: 128", "batchSize: 2048"}}),
            "");
  EXPECT_THAT(FaultsWith({{"type: v3-8", "type: v3-32, sliceCount: 65"}}),
              HasSubstr("65 slices of v3-32 are 260 boards; a job may have 256"));
}

TEST(JobRules, LogicalShardsAreAMultipleOfTheCores) {
  EXPECT_EQ(FaultsWith({{"batchSize: 128", "batchSize: 128\n    logicalShards: 16"}}), "");
  EXPECT_THAT(FaultsWith({{"batchSize: 128", "batchSize: 128\n    logicalShards: 12"}}),
              HasSubstr("must be a multiple of the 8 cores of v3-8: use 8 or 16"));
}

// Of a session of one minute nothing is left for training if half of it is grace.
TEST(JobRules, AShortSessionHasDefaultsThatFitIntoIt) {
  const auto limits_of = [](const char* session) {
    return SpecWith("{duration: 30m, minDuration: 1m}", session);
  };
  EXPECT_EQ(limits_of("{}").session_duration, 3h);
  EXPECT_EQ(limits_of("{}").session_min, 5min);
  EXPECT_EQ(limits_of("{}").grace_period, 30s);
  EXPECT_EQ(limits_of("{duration: 2m}").session_min, 2min);
  EXPECT_EQ(limits_of("{duration: 2m}").grace_period, 30s);
  EXPECT_EQ(limits_of("{duration: 40s}").session_min, 40s);
  EXPECT_EQ(limits_of("{duration: 40s}").grace_period, 20s);
  EXPECT_EQ(limits_of("{duration: 1h, minDuration: 10s}").grace_period, 5s);
  EXPECT_EQ(limits_of("{duration: 1h, gracePeriod: 0}").grace_period, 0s);
}

TEST(JobRules, TheTimesOfASessionFitIntoItsDuration) {
  const auto faults = [](const char* session) {
    return FaultsWith({{"{duration: 30m, minDuration: 1m}", session}});
  };
  EXPECT_EQ(faults("{duration: 30m, minDuration: 30m, gracePeriod: 29m}"), "");
  EXPECT_THAT(faults("{duration: 30m, minDuration: 31m}"),
              HasSubstr("spec.session.minDuration: must be no longer than the duration of 30m"));
  EXPECT_THAT(faults("{duration: 30m, gracePeriod: 30m}"),
              HasSubstr("spec.session.gracePeriod: must be shorter than the duration of 30m"));
}

TEST(JobRules, TheLastLayerFitsTheLoss) {
  EXPECT_THAT(FaultsWith({{"units: 10, activation: softmax", "units: 10, activation: relu"}}),
              HasSubstr("the last layer must be softmax"));
  EXPECT_THAT(FaultsWith({{"units: 10, activation: softmax", "units: 1, activation: softmax"}}),
              HasSubstr("a softmax of 1 unit is always 1: give one unit for each class"));
  // The softmax may be a layer of its own, and what follows may do nothing.
  EXPECT_EQ(FaultsWith({{"- {dense: {units: 10, activation: softmax}}",
                         "- {dense: {units: 10}}\n      - {activation: {function: softmax}}\n"
                         "      - {flatten: {}}"}}),
            "");
  EXPECT_THAT(FaultsWith({{"loss: sparse_categorical_crossentropy", "loss: log_cosh"}}),
              HasSubstr("the last layer must have 1 unit, as the target is one number"));
  EXPECT_EQ(FaultsWith({{"loss: sparse_categorical_crossentropy", "loss: log_cosh"},
                        {"target: digit", "target: digit, oneHot: 10"}}),
            "");
}

TEST(JobRules, TheAccuracyFitsTheTarget) {
  const auto faults = [](const char* metric, bool one_hot) {
    return FaultsWith(
        {{"loss: sparse_categorical_crossentropy",
          one_hot ? "loss: categorical_crossentropy" : "loss: sparse_categorical_crossentropy"},
         {"target: digit", one_hot ? "target: digit, oneHot: 10" : "target: digit"},
         {"batchSize: 128", metric}});
  };
  const char* categorical = "batchSize: 128\n    metrics: [accuracy, categorical_accuracy]";
  const char* sparse = "batchSize: 128\n    metrics: [accuracy, sparse_categorical_accuracy]";
  EXPECT_EQ(faults(categorical, true), "");
  EXPECT_EQ(faults(sparse, false), "");
  EXPECT_THAT(faults(categorical, false), HasSubstr("metrics[1]: needs a one-hot target"));
  EXPECT_THAT(faults(sparse, true), HasSubstr("metrics[1]: does not go with a one-hot target"));
}

// `rate: 0` and `rate: 0.0` are one number to whoever writes it.
TEST(JobRules, AnIntegerWhereANumberIsWantedIsThatNumber) {
  const auto canonical = [](const char* scale) {
    return WriteCanonicalJson(
        ObjectOf(Changed(kGoodJob, "- {dense: {units: 64, activation: relu}}", scale)).spec);
  };
  EXPECT_EQ(canonical("- {rescaling: {scale: 2}}"), canonical("- {rescaling: {scale: 2.0}}"));
}

TEST(FieldReader, NumbersThatJsonCannotHoldAreWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  Value map = Value::MakeMap();
  map.Set("nan", EncodeNumber(NAN));
  map.Set("up", EncodeNumber(infinity));
  map.Set("down", EncodeNumber(-infinity));
  map.Set("half", EncodeNumber(0.5));
  map.Set("word", "Inf");
  const Value read = ReadJson(WriteJson(map)).value();
  FieldReader reader(&read, "status");
  EXPECT_TRUE(std::isnan(*reader.Number("nan")));
  EXPECT_EQ(reader.Number("up"), infinity);
  EXPECT_EQ(reader.Number("down"), -infinity);
  EXPECT_EQ(reader.Number("half"), 0.5);
  EXPECT_EQ(reader.Number("absent"), std::nullopt);
  EXPECT_TRUE(reader.status().ok());
  EXPECT_EQ(reader.Number("word"), std::nullopt);
  EXPECT_EQ(reader.status().message(), "status.word must be a number");
}

TEST(Session, ThatHasEndedIsReadAsEnded) {
  Session session;
  session.meta.name = "digits-1";
  session.job_name = "digits";
  session.ended = true;
  session.end_reason = "BoardLost";
  session.elapsed = 7min;
  const Session read = DecodeSession(EncodeSession(session, {})).value();
  EXPECT_TRUE(read.ended);
  EXPECT_EQ(read.end_reason, "BoardLost");
  EXPECT_EQ(read.elapsed, 7min);
  session.ended = false;
  EXPECT_FALSE(DecodeSession(EncodeSession(session, {})).value().ended);
}

}  // namespace
}  // namespace octet
