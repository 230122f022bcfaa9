// The kinds: from a manifest to the typed form and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "shared/objects/board.h"
#include "shared/objects/json.h"
#include "shared/objects/session.h"
#include "shared/objects/training_job.h"
#include "shared/objects/user_quota.h"
#include "tests/unit/objects/documents.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The object as a client reads it, and back.
Object ThroughJson(const Object& object) {
  return DecodeObject(ReadJson(WriteJson(EncodeObject(object))).value()).value();
}

TEST(TrainingJob, DefaultsAreThoseOfTheDesign) {
  const TrainingJob job = DecodeTrainingJob(ObjectOf(kGoodJob)).value();
  EXPECT_EQ(job.spec.accelerator.name, "v3-8");
  EXPECT_EQ(job.spec.cores(), 8);
  EXPECT_EQ(job.spec.boards(), Boards(1));
  EXPECT_EQ(job.spec.priority, 100);
  EXPECT_FALSE(job.spec.suspend);
  EXPECT_EQ(job.spec.grace_period, 30s);
  EXPECT_EQ(job.spec.on_limit, OnLimit::kRequeue);
  EXPECT_EQ(job.spec.backoff_limit, 3);
  EXPECT_EQ(job.spec.training.optimizer.kind, OptimizerKind::kAdam);
  EXPECT_DOUBLE_EQ(job.spec.training.optimizer.learning_rate, 0.001);
  EXPECT_EQ(job.spec.training.logical_shards, 8);
  EXPECT_EQ(job.spec.checkpoints_kept, 3);
  EXPECT_EQ(job.meta.ns, "default");
}

TEST(TrainingJob, ABatchPerCoreIsTheBatchOfAllCores) {
  const TrainingJob job =
      DecodeTrainingJob(ObjectOf(Changed(Changed(kGoodJob, "batchSize: 128", "batchSizePerCore: 5"),
                                         "type: v3-8", "type: v3-32")))
          .value();
  EXPECT_EQ(job.spec.training.batch_size, 5 * 32);
  EXPECT_EQ(job.spec.training.logical_shards, 32);
}

TEST(TrainingJob, ABatchThatDoesNotDivideNamesItsNeighbours) {
  EXPECT_THAT(FaultsOf(Changed(kGoodJob, "batchSize: 128", "batchSize: 130")),
              HasSubstr("130 does not divide over the 8 cores of v3-8: use 128 or 136"));
  EXPECT_EQ(FaultsOf(Changed(kGoodJob, "batchSize: 128", "batchSize: 130\n    batchSplit: uneven")),
            "");
}

TEST(TrainingJob, AStatusIsReadAsItWasWritten) {
  TrainingJob job = DecodeTrainingJob(ObjectOf(kGoodJob)).value();
  TrainingJobStatus& status = job.status;
  status.phase = JobPhase::kRunning;
  SetCondition(status.conditions, {.type = "Running", .status = true, .reason = "Stepping"},
               TimePoint(5s));
  status.progress = {.step = 7,
                     .total_steps = 360,
                     .epoch = 1,
                     .total_epochs = 30,
                     .loss = NAN,
                     .accuracy = 0.5,
                     .validation_loss = std::nullopt,
                     .validation_accuracy = std::nullopt,
                     .examples_per_second = 1234.5,
                     .step_millis = 0.25,
                     .all_reduce_millis = 0.125};
  status.session = JobSession{.uid = SessionUid("s"),
                              .name = "digits-1",
                              .boards = {BoardId("local-3"), BoardId("local-1")},
                              .grant = 90min,
                              .started = TimePoint(1500ms)};
  status.fence = Fence(9);
  status.attempts = 2;
  status.failures = 1;
  status.interruptions = 1;
  status.message = "on 1 board";
  status.weights_sha256 = "00ff";
  status.checkpoint_path = "/c/step-5";
  status.checkpoint_step = 5;
  status.started = TimePoint(1s);
  status.charged = BoardMillis(123);
  Object object = ObjectOf(kGoodJob);
  object.status = EncodeTrainingJobStatus(status);
  const TrainingJobStatus read = DecodeTrainingJob(ThroughJson(object)).value().status;
  EXPECT_EQ(read.phase, JobPhase::kRunning);
  EXPECT_TRUE(IsTrue(read.conditions, "Running"));
  EXPECT_EQ(read.progress.step, 7);
  EXPECT_TRUE(std::isnan(*read.progress.loss));
  EXPECT_EQ(read.progress.accuracy, 0.5);
  EXPECT_FALSE(read.progress.validation_loss.has_value());
  EXPECT_EQ(read.progress.examples_per_second, 1234.5);
  EXPECT_THAT(read.session->boards, ElementsAre(BoardId("local-3"), BoardId("local-1")));
  EXPECT_EQ(read.session->grant, 90min);
  EXPECT_EQ(read.session->started, TimePoint(1500ms));
  EXPECT_EQ(read.fence, Fence(9));
  EXPECT_EQ(read.attempts, 2);
  EXPECT_EQ(read.checkpoint_step, 5);
  EXPECT_EQ(read.started, TimePoint(1s));
  EXPECT_FALSE(read.finished.has_value());
  EXPECT_EQ(read.charged, BoardMillis(123));
  EXPECT_EQ(EncodeTrainingJobStatus(read), object.status);
}

TEST(TrainingJob, TheEndsAreThree) {
  for (const JobPhase phase : {JobPhase::kSucceeded, JobPhase::kFailed, JobPhase::kCancelled}) {
    EXPECT_TRUE(IsTerminal(phase)) << JobPhaseName(phase);
  }
  for (const JobPhase phase :
       {JobPhase::kQueued, JobPhase::kStarting, JobPhase::kRunning, JobPhase::kSuspended}) {
    EXPECT_FALSE(IsTerminal(phase)) << JobPhaseName(phase);
  }
}

TEST(UserQuota, IsItsNamesUnlessItSaysOtherwise) {
  const auto quota_of = [](const std::string& spec) {
    return DecodeUserQuota(ObjectOf("apiVersion: octet.dev/v1\nkind: UserQuota\n"
                                    "metadata: {name: alice}\nspec: " +
                                    spec + "\n"))
        .value()
        .spec;
  };
  const UserQuotaSpec standard = quota_of("{}");
  EXPECT_EQ(standard.user, UserName("alice"));
  EXPECT_EQ(standard.weekly, 30h);
  EXPECT_EQ(standard.session, 3h);
  EXPECT_EQ(standard.charge_by, ChargeBy::kBoard);
  EXPECT_FALSE(standard.blocked);
  EXPECT_EQ(StandardQuota(UserName("bob")).weekly, 30h);
  EXPECT_EQ(quota_of("{user: alice@example.com}").user, UserName("alice@example.com"));
}

TEST(Session, IsReadAsItWasWrittenAndCountsItsBoards) {
  Session session{.meta = {},
                  .job_name = "digits",
                  .job_uid = JobUid("j"),
                  .user = UserName("alice"),
                  .boards = {BoardId("a-0"), BoardId("a-1")},
                  .fence = Fence(3),
                  .attempt = 2,
                  .start = TimePoint(1000ms),
                  .grant = 1h,
                  .elapsed = 7ms,
                  .ended = true,
                  .end_reason = "Completed"};
  session.meta.name = "digits-1";
  session.meta.ns = "default";
  session.meta.uid = "u";
  const Object object = EncodeSession(session, {{"2026-11-28", BoardMillis(14)}});
  EXPECT_EQ(object.status.FindPath("chargeMillis")->AsInt(), 14);
  const Session read = DecodeSession(ThroughJson(object)).value();
  EXPECT_EQ(read.boards, session.boards);
  EXPECT_EQ(read.fence, session.fence);
  EXPECT_EQ(read.end(), TimePoint(1007ms));
  EXPECT_EQ(read.charged_boards(), Boards(2));
  EXPECT_EQ(read.end_reason, "Completed");
  session.charge_by = ChargeBy::kSession;
  EXPECT_EQ(session.charged_boards(), Boards(1));
}

TEST(Board, IsReadAsItWasWritten) {
  Board board{.meta = {},
              .pool = PoolName("local"),
              .ordinal = 3,
              .unschedulable = true,
              .state = BoardState::kBusy,
              .x = 1,
              .y = 1,
              .host = "h",
              .pid = 7,
              .metrics_address = "127.0.0.1:1",
              .data_endpoint = "tcp://127.0.0.1:2",
              .job = "default/digits",
              .mxu_percent = 12.5,
              .idle_percent = std::nullopt,
              .message = {}};
  board.meta.name = "local-3";
  const Board read = DecodeBoard(ThroughJson(EncodeBoard(board))).value();
  EXPECT_EQ(read.id(), BoardId("local-3"));
  EXPECT_TRUE(read.unschedulable);
  EXPECT_EQ(read.state, BoardState::kBusy);
  EXPECT_EQ(read.data_endpoint, "tcp://127.0.0.1:2");
  EXPECT_EQ(read.mxu_percent, 12.5);
  EXPECT_FALSE(read.idle_percent.has_value());
}

TEST(Kinds, AreFoundByEveryNameTheyHave) {
  for (const KindInfo& info : AllKinds()) {
    for (const std::string& word : {info.name, info.plural, info.singular, info.short_name}) {
      ASSERT_NE(FindKind(word), nullptr) << word;
      EXPECT_EQ(FindKind(word)->kind, info.kind) << word;
    }
  }
  EXPECT_EQ(FindKind("TJ")->kind, Kind::kTrainingJob);
  EXPECT_EQ(FindKind("pods"), nullptr);
}

TEST(Kinds, AMalformedStoredObjectIsAnErrorAndNoCrash) {
  for (const char* text :
       {"{}", "[]", "1", R"({"apiVersion":"octet.dev/v2","kind":"Board","metadata":{"name":"b"}})",
        R"({"apiVersion":"octet.dev/v1","kind":"Pod","metadata":{"name":"b"}})",
        R"({"apiVersion":"octet.dev/v1","kind":"Board","metadata":{}})",
        R"({"apiVersion":"octet.dev/v1","kind":"Board","metadata":{"name":1}})",
        R"({"apiVersion":"octet.dev/v1","kind":"Board","metadata":{"name":"b"},"spec":[]})"}) {
    EXPECT_EQ(DecodeObject(ReadJson(text).value()).status().code(), StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace octet
