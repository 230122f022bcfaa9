// Every kind with every field: from YAML to the object, through both texts, to the typed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// No field has its default.
constexpr char kFullJob[] = R"(apiVersion: octet.dev/v1
kind: TrainingJob
metadata:
  name: full
  namespace: team-a
  labels: {course: ml, octet.dev/lab: "3"}
  annotations: {note: "with: a colon"}
spec:
  user: alice@example.com
  accelerator: {type: v3-32, sliceCount: 2}
  priority: 7
  suspend: true
  session: {duration: 2h, minDuration: 10m, gracePeriod: 45s, onLimit: Suspend}
  retries: {backoffLimit: 5}
  model:
    layers:
      - {rescaling: {scale: 0.0625, offset: -1}}
      - {flatten: {}}
      - {dense: {units: 32, activation: elu, useBias: false}}
      - {activation: {function: tanh}}
      - {dropout: {rate: 0.25}}
      - {dense: {units: 3, activation: softmax}}
  data:
    train:
      format: csv
      files: [data/a.csv, /data/b.csv]
      target: species
      oneHot: 3
      shuffle: {seed: 7}
    validation: {fraction: 0.2, seed: 11}
  training:
    batchSizePerCore: 3
    batchSplit: uneven
    epochs: 30
    stepsPerEpoch: 12
    optimizer: {sgd: {learningRate: 0.5, momentum: 0.9, nesterov: true}}
    loss: categorical_crossentropy
    metrics: [accuracy, categorical_accuracy]
    precision: float32
    seed: 42
    logicalShards: 128
  checkpoint: {everySteps: 100, every: 5m, keep: 9}
)";

constexpr char kFullQuota[] = R"(apiVersion: octet.dev/v1
kind: UserQuota
metadata: {name: alice.example.com}
spec:
  user: alice@example.com
  weekly: 12h30m
  session: 90m
  chargeBy: session
  blocked: true
  weekStart: {weekday: Saturday, hour: 0, offset: "+00:00"}
)";

constexpr char kFullPool[] = R"(apiVersion: octet.dev/v1
kind: SlicePool
metadata: {name: local, labels: {rack: r1}}
spec: {acceleratorType: v3-32, replicas: 3}
)";

constexpr char kFullBoard[] = R"(apiVersion: octet.dev/v1
kind: Board
metadata: {name: local-3}
spec: {pool: local, ordinal: 3, unschedulable: true}
)";

constexpr char kFullSession[] = R"(apiVersion: octet.dev/v1
kind: Session
metadata: {name: full-2, namespace: team-a}
spec:
  job: full
  jobUid: u-1
  user: alice@example.com
  boards: [local-3, local-1]
  chargeBy: session
  fence: 9
  attempt: 2
  start: "2026-12-01T06:00:00.250Z"
  grant: 1h
)";

std::string CanonicalOf(const Object& object) { return WriteCanonicalJson(EncodeObject(object)); }

TEST(RoundTrip, OfEveryKindThroughYamlAndJsonChangesNothing) {
  for (const char* text : {kFullJob, kFullQuota, kFullPool, kFullBoard, kFullSession}) {
    Object object = ObjectOf(text);
    object.meta.uid = "4b6cbf9c-5a4b-4a1c-8b7e-2f3f3f3f3f3f";
    object.meta.resource_version = 77;
    object.meta.generation = 3;
    object.meta.created = ParseTime("2026-12-01T06:00:00Z").value();
    object.meta.deleted = ParseTime("2026-12-02T06:00:00Z").value();
    object.meta.finalizers = {"octet.dev/boards"};
    const std::string canonical = CanonicalOf(object);
    // As `octet get -o yaml` shows it and `octet apply` takes it back.
    EXPECT_EQ(CanonicalOf(ObjectOf(WriteYaml(EncodeObject(object)))), canonical);
    // As the store and the API keep it.
    object.status.Set("message", "it: works");
    const Object read = DecodeObject(ReadJson(WriteJson(EncodeObject(object))).value()).value();
    EXPECT_EQ(CanonicalOf(read), CanonicalOf(object));
    EXPECT_EQ(read.meta.deleted, object.meta.deleted);
    EXPECT_EQ(read.meta.finalizers, object.meta.finalizers);
  }
}

// What an object is completed with, it keeps: completing it again adds nothing.
TEST(RoundTrip, DefaultsAreFilledInOnce) {
  for (const std::string& text :
       {std::string(kGoodJob),
        std::string("apiVersion: octet.dev/v1\nkind: UserQuota\nmetadata: {name: alice}\n"),
        std::string("apiVersion: octet.dev/v1\nkind: SlicePool\nmetadata: {name: p}\n"
                    "spec: {replicas: 1}\n")}) {
    const Object once = ObjectOf(text);
    EXPECT_EQ(CanonicalOf(ObjectOf(WriteYaml(EncodeObject(once)))), CanonicalOf(once));
  }
}

TEST(RoundTrip, TheJobOfAManifestIsTheJobThatIsScheduled) {
  const TrainingJob job = DecodeTrainingJob(ObjectOf(kFullJob)).value();
  const TrainingJobSpec& spec = job.spec;
  EXPECT_EQ(job.meta.ns, "team-a");
  EXPECT_EQ(job.meta.labels.at("octet.dev/lab"), "3");
  EXPECT_EQ(job.meta.annotations.at("note"), "with: a colon");
  EXPECT_EQ(spec.user, UserName("alice@example.com"));
  EXPECT_EQ(spec.accelerator.name, "v3-32");
  EXPECT_EQ(spec.slice_count, 2);
  EXPECT_EQ(spec.boards(), Boards(8));
  EXPECT_EQ(spec.cores(), 64);
  EXPECT_EQ(spec.priority, 7);
  EXPECT_TRUE(spec.suspend);
  EXPECT_EQ(spec.session_duration, 2h);
  EXPECT_EQ(spec.session_min, 10min);
  EXPECT_EQ(spec.grace_period, 45s);
  EXPECT_EQ(spec.on_limit, OnLimit::kSuspend);
  EXPECT_EQ(spec.backoff_limit, 5);
  EXPECT_EQ(spec.checkpoint_every_steps, 100);
  EXPECT_EQ(spec.checkpoint_every, 5min);
  EXPECT_EQ(spec.checkpoints_kept, 9);
}

TEST(RoundTrip, TheModelOfAManifestIsTheModelThatIsTrained) {
  const std::vector<LayerSpec> layers = DecodeTrainingJob(ObjectOf(kFullJob)).value().spec.layers;
  ASSERT_EQ(layers.size(), 6U);
  EXPECT_EQ(layers[0].kind, LayerKind::kRescaling);
  EXPECT_EQ(layers[0].scale, 0.0625);
  EXPECT_EQ(layers[0].offset, -1);
  EXPECT_EQ(layers[1].kind, LayerKind::kFlatten);
  EXPECT_EQ(layers[2].kind, LayerKind::kDense);
  EXPECT_EQ(layers[2].units, 32);
  EXPECT_EQ(layers[2].activation, Activation::kElu);
  EXPECT_FALSE(layers[2].use_bias);
  EXPECT_EQ(layers[3].kind, LayerKind::kActivation);
  EXPECT_EQ(layers[3].activation, Activation::kTanh);
  EXPECT_EQ(layers[4].kind, LayerKind::kDropout);
  EXPECT_EQ(layers[4].rate, 0.25);
  EXPECT_EQ(layers[5].activation, Activation::kSoftmax);
  EXPECT_TRUE(layers[5].use_bias);
}

TEST(RoundTrip, TheDataAndTrainingOfAManifestArriveWhole) {
  const TrainingJobSpec spec = DecodeTrainingJob(ObjectOf(kFullJob)).value().spec;
  EXPECT_THAT(spec.data.train.files, ElementsAre("data/a.csv", "/data/b.csv"));
  EXPECT_EQ(spec.data.train.target, "species");
  EXPECT_EQ(spec.data.train.one_hot, 3);
  EXPECT_EQ(spec.data.shuffle_seed, 7U);
  EXPECT_EQ(spec.data.validation_fraction, 0.2);
  EXPECT_EQ(spec.data.validation_seed, 11U);
  EXPECT_EQ(spec.training.batch_size, 3 * 64);
  EXPECT_TRUE(spec.training.uneven);
  EXPECT_EQ(spec.training.epochs, 30);
  EXPECT_EQ(spec.training.steps_per_epoch, 12);
  EXPECT_EQ(spec.training.optimizer.kind, OptimizerKind::kSgd);
  EXPECT_EQ(spec.training.optimizer.learning_rate, 0.5);
  EXPECT_EQ(spec.training.optimizer.momentum, 0.9);
  EXPECT_TRUE(spec.training.optimizer.nesterov);
  EXPECT_EQ(spec.training.loss, LossKind::kCategoricalCrossentropy);
  EXPECT_EQ(spec.training.seed, 42U);
  EXPECT_EQ(spec.training.logical_shards, 128);
}

// Keras' defaults.
TEST(RoundTrip, TheOptimizersHaveTheDefaultsOfKeras) {
  const auto optimizer_of = [](const std::string& optimizer) {
    return DecodeTrainingJob(
               ObjectOf(Changed(kGoodJob, "batchSize: 128",
                                "batchSize: 128\n    optimizer: {" + optimizer + "}")))
        .value()
        .spec.training.optimizer;
  };
  const OptimizerSpec sgd = optimizer_of("sgd: {}");
  EXPECT_EQ(sgd.learning_rate, 0.01);
  EXPECT_EQ(sgd.momentum, 0);
  EXPECT_FALSE(sgd.nesterov);
  const OptimizerSpec adam = optimizer_of("adam: ");
  EXPECT_EQ(adam.kind, OptimizerKind::kAdam);
  EXPECT_EQ(adam.learning_rate, 0.001);
  EXPECT_EQ(adam.beta1, 0.9);
  EXPECT_EQ(adam.beta2, 0.999);
  EXPECT_EQ(adam.epsilon, 1e-7);
}

TEST(RoundTrip, AnOrderWithoutASeedOfItsOwnIsThatOfTheTraining) {
  const auto seed_of = [](const std::string& training) {
    return DecodeTrainingJob(ObjectOf(Changed(kGoodJob, "batchSize: 128", training)))
        .value()
        .spec.data.shuffle_seed;
  };
  EXPECT_EQ(seed_of("batchSize: 128"), 0U);
  EXPECT_EQ(seed_of("batchSize: 128\n    seed: 5"), 5U);
}

TEST(RoundTrip, AQuotaAndItsStatusAreReadAsTheyWereWritten) {
  Object object = ObjectOf(kFullQuota);
  object.status = EncodeUserQuotaStatus({.used = BoardMillis(3'600'001),
                                         .reserved = BoardMillis(2),
                                         .remaining = BoardMillis(-5),
                                         .week_start = TimePoint(1'764'374'400s),
                                         .next_reset = TimePoint(1'764'979'200s)});
  const UserQuota quota =
      DecodeUserQuota(DecodeObject(ReadJson(WriteJson(EncodeObject(object))).value()).value())
          .value();
  EXPECT_EQ(quota.meta.name, "alice.example.com");
  EXPECT_EQ(quota.spec.user, UserName("alice@example.com"));
  EXPECT_EQ(quota.spec.weekly, 12h + 30min);
  EXPECT_EQ(quota.spec.session, 90min);
  EXPECT_EQ(quota.spec.charge_by, ChargeBy::kSession);
  EXPECT_TRUE(quota.spec.blocked);
  EXPECT_EQ(quota.status.used, BoardMillis(3'600'001));
  EXPECT_EQ(quota.status.reserved, BoardMillis(2));
  EXPECT_EQ(quota.status.remaining, BoardMillis(-5));
  EXPECT_EQ(quota.status.week_start, TimePoint(1'764'374'400s));
  EXPECT_EQ(quota.status.next_reset, TimePoint(1'764'979'200s));
}

TEST(RoundTrip, APoolAndItsStatusAreReadAsTheyWereWritten) {
  Object object = ObjectOf(kFullPool);
  SlicePool pool = DecodeSlicePool(object).value();
  EXPECT_EQ(pool.accelerator_type, "v3-32");
  EXPECT_EQ(pool.replicas, 3);
  EXPECT_EQ(pool.boards, 0);
  pool.boards = 12;
  pool.ready_boards = 11;
  object.status = EncodeSlicePoolStatus(pool);
  EXPECT_EQ(object.status.Find("ready")->AsString(), "11/12");
  const SlicePool read = DecodeSlicePool(object).value();
  EXPECT_EQ(read.boards, 12);
  EXPECT_EQ(read.ready_boards, 11);
}

TEST(RoundTrip, ASessionsSpecIsReadAsTheStoreHasIt) {
  const Session session = DecodeSession(ObjectOf(kFullSession)).value();
  EXPECT_EQ(session.job_name, "full");
  EXPECT_EQ(session.job_uid, JobUid("u-1"));
  EXPECT_EQ(session.user, UserName("alice@example.com"));
  EXPECT_THAT(session.boards, ElementsAre(BoardId("local-3"), BoardId("local-1")));
  EXPECT_EQ(session.charge_by, ChargeBy::kSession);
  EXPECT_EQ(session.fence, Fence(9));
  EXPECT_EQ(session.attempt, 2);
  EXPECT_EQ(session.start, ParseTime("2026-12-01T06:00:00.250Z").value());
  EXPECT_EQ(session.grant, 1h);
  EXPECT_FALSE(session.ended);
}

// An object of another version, or of a hand that edited the database.
TEST(RoundTrip, ATypedFormOfAnObjectThatDoesNotFitIsAnErrorAndNoCrash) {
  Object job = ObjectOf(kFullJob);
  job.status.Set("phase", "Dreaming");
  EXPECT_EQ(DecodeTrainingJob(job).status().code(), StatusCode::kInvalidArgument);
  job.status = Value::MakeMap();
  job.status.Set("attempts", "two");
  EXPECT_THAT(DecodeTrainingJob(job).status().message(), HasSubstr("status.attempts"));
  job.status = Value();
  job.spec.Find("accelerator")->Set("type", "v9-8");
  EXPECT_EQ(DecodeTrainingJob(job).status().code(), StatusCode::kInvalidArgument);
  job.spec = Value::MakeMap();
  EXPECT_EQ(DecodeTrainingJob(job).status().code(), StatusCode::kInvalidArgument);
  Object board = ObjectOf(kFullBoard);
  board.status.Set("state", "Melted");
  EXPECT_EQ(DecodeBoard(board).status().code(), StatusCode::kInvalidArgument);
  Object session = ObjectOf(kFullSession);
  session.spec.Set("start", "yesterday");
  EXPECT_EQ(DecodeSession(session).status().code(), StatusCode::kInvalidArgument);
}

// What the design describes and this version does not serve is not called unknown.
TEST(NotYet, IsSaidOfWhatTheDesignDescribes) {
  const std::pair<std::string, std::string> changes[] = {
      {"spec:\n", "spec:\n  process: {}\n"},
      {"spec:\n", "spec:\n  sweep: {}\n"},
      {"spec:\n", "spec:\n  dependsOn: [a]\n"},
      {"spec:\n", "spec:\n  preemptible: true\n"},
      {"model:\n", "model:\n    zoo: resnet\n"},
      {"model:\n", "model:\n    kerasJson: m.json\n"},
      {"format: csv", "format: tfrecord"},
      {"format: csv", "augment: {}, format: csv"},
      {"data/digits.csv", "\"gs://bucket/digits.csv\""},
      {"data/digits.csv", "\"data/*.csv\""},
      {"batchSize: 128", "batchSize: 128\n    precision: mixed_bfloat16"},
      {"batchSize: 128", "batchSize: 128\n    optimizer: {lamb: {}}"},
      {"loss: sparse_categorical_crossentropy", "loss: huber"},
      {"activation: relu", "activation: gelu"},
      {"- {dense: {units: 64, activation: relu}}", "- {conv2d: {filters: 8}}"},
  };
  for (const auto& [from, to] : changes) {
    const std::string faults = FaultsOf(Changed(kGoodJob, from, to));
    EXPECT_THAT(faults, HasSubstr("not supported yet by this version")) << to;
    EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 1) << to << "\n" << faults;
    EXPECT_THAT(faults, testing::Not(HasSubstr("unknown"))) << to;
  }
}

}  // namespace
}  // namespace octet
