#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/train/slice_world.h"

namespace octet {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;

class Train : public ::testing::Test {
 protected:
  Train() { WritePoints(files_); }

  // Runs one whole session; all boards must end for the same reason. Returns rank 0's end.
  control::AssignmentEnd Run(const JobOptions& job, const RunOptions& options) {
    SliceRun run(files_, job, options, ++fence_);
    const auto ends = run.AwaitAll();
    for (const auto& end : ends) {
      EXPECT_EQ(end.reason(), ends[0].reason()) << end.message();
      EXPECT_EQ(end.weights_sha256(), ends[0].weights_sha256());
      EXPECT_EQ(end.last().step(), ends[0].last().step());
    }
    lines_ = run.board(0).lines();
    return ends[0];
  }

  // The hash of the job run at once on one board, one thread; in files of its own.
  std::string UndisturbedHash(const JobOptions& job) {
    MemoryFileSystem files;
    WritePoints(files);
    SliceRun run(files, job, {}, 1);
    const auto end = run.AwaitAll()[0];
    EXPECT_EQ(end.reason(), control::COMPLETED) << end.message();
    EXPECT_EQ(end.weights_sha256().size(), 64U);
    return end.weights_sha256();
  }

  MemoryFileSystem files_;
  int64_t fence_ = 0;
  std::vector<std::string> lines_;
};

TEST_F(Train, WeightsHaveTheSameBitsOnAnyNumberOfBoardsAndThreads) {
  const std::string hash = UndisturbedHash({});
  for (const int boards : {1, 2, 4}) {
    for (const int threads : {1, 2, 3, 8}) {
      SCOPED_TRACE(std::to_string(boards) + " boards, " + std::to_string(threads) + " threads");
      MemoryFileSystem fresh;
      WritePoints(fresh);
      SliceRun run(fresh, {}, {.boards = boards, .threads = threads}, 1);
      for (const auto& end : run.AwaitAll()) {
        EXPECT_EQ(end.reason(), control::COMPLETED) << end.message();
        EXPECT_EQ(end.weights_sha256(), hash);
      }
    }
  }
}

TEST_F(Train, EveryOptimizerHasTheSameBitsOnFourBoards) {
  for (const char* optimizer :
       {R"({"sgd": {"learningRate": 0.1}})",
        R"({"sgd": {"learningRate": 0.1, "momentum": 0.9, "nesterov": true}})"}) {
    const JobOptions job{.optimizer = optimizer};
    SCOPED_TRACE(optimizer);
    MemoryFileSystem fresh;
    WritePoints(fresh);
    SliceRun run(fresh, job, {.boards = 4, .threads = 2}, 1);
    EXPECT_EQ(run.AwaitAll()[0].weights_sha256(), UndisturbedHash(job));
  }
}

// A grant that is all grace ends each session after one step: every step is taken by another gang,
// of another size, from the checkpoint of the one before.
TEST_F(Train, AJobThatIsInterruptedAfterEveryStepEndsWithTheBitsOfOneThatIsNot) {
  const JobOptions job{.checkpoint_every_steps = 0};
  const int sizes[] = {1, 2, 4};
  int sessions = 0;
  control::AssignmentEnd end;
  do {
    const int boards = sizes[sessions % 3];
    end = Run(job, {.boards = boards,
                    .threads = 1 + sessions % 2,
                    .grant = Duration(60'000),
                    .grace = Duration(60'000)});
    ASSERT_TRUE(end.reason() == control::GRANT_REACHED || end.reason() == control::COMPLETED)
        << end.message();
    ++sessions;
    ASSERT_EQ(end.last().step(), sessions);
  } while (end.reason() == control::GRANT_REACHED);
  EXPECT_EQ(sessions, 9);  // Three epochs of 81 examples in batches of 32.
  EXPECT_EQ(end.weights_sha256(), UndisturbedHash(job));
  EXPECT_THAT(lines_, Contains(HasSubstr("resumed after step 8 from")));
}

TEST_F(Train, AnEpochThatWasInterruptedIsReportedWhole) {
  JobOptions job{.epochs = 1};
  const auto whole = Run(job, {});
  MemoryFileSystem fresh;
  WritePoints(fresh);
  control::AssignmentEnd end;
  for (int64_t fence = 1; end.reason() != control::COMPLETED; ++fence) {
    SliceRun run(fresh, job, {.grant = Duration(60'000), .grace = Duration(60'000)}, fence);
    end = run.AwaitAll()[0];
    ASSERT_LE(fence, 3);
  }
  EXPECT_EQ(end.last().loss(), whole.last().loss());
  EXPECT_EQ(end.last().validation_loss(), whole.last().validation_loss());
}

TEST_F(Train, ALostBoardInterruptsTheOthersAndTheNextGangGoesOnWithTheSameBits) {
  // Enough steps that the board is lost in mid-training.
  const JobOptions job{.epochs = 2000, .checkpoint_every_steps = 50};
  {
    SliceRun run(files_, job, {.boards = 4}, ++fence_);
    // A checkpoint is there: take rank 2 away.
    while (const auto report = run.board(0).NextReport()) {
      if (report->has_checkpoint()) break;
    }
    run.board(2).Kill();
    EXPECT_EQ(run.board(2).AwaitEnd().reason(), control::STOPPED);
    for (const int rank : {0, 1, 3}) {
      EXPECT_EQ(run.board(rank).AwaitEnd().reason(), control::INTERRUPTED);
    }
  }
  const auto end = Run(job, {.boards = 2, .threads = 2});
  EXPECT_EQ(end.reason(), control::COMPLETED) << end.message();
  EXPECT_THAT(lines_, Contains(HasSubstr("resumed after step")));
  EXPECT_EQ(end.weights_sha256(), UndisturbedHash(job));
}

TEST_F(Train, AStopOfOneBoardEndsAllAfterTheSameStepWithACheckpoint) {
  const JobOptions job{.epochs = 1'000'000, .checkpoint_every_steps = 0};
  SliceRun run(files_, job, {.boards = 2}, ++fence_);
  while (const auto report = run.board(1).NextReport()) {
    if (report->running()) break;
  }
  run.board(1).host().Stop(run.fence(), StopKind::kWithCheckpoint, "suspended");
  const auto ends = run.AwaitAll();
  EXPECT_EQ(ends[0].reason(), control::INTERRUPTED) << "nobody asked this one";
  EXPECT_EQ(ends[1].reason(), control::STOPPED);
  EXPECT_THAT(ends[1].message(), HasSubstr("suspended"));
  EXPECT_EQ(ends[0].last().step(), ends[1].last().step());
  EXPECT_EQ(ends[0].last().checkpoint().step(), ends[0].last().step());
}

TEST_F(Train, AStopAtOnceWritesNoCheckpoint) {
  const JobOptions job{.epochs = 1'000'000, .checkpoint_every_steps = 0};
  SliceRun run(files_, job, {}, ++fence_);
  while (const auto report = run.board(0).NextReport()) {
    if (report->running()) break;
  }
  run.StopAll(StopKind::kAtOnce);
  EXPECT_EQ(run.AwaitAll()[0].reason(), control::STOPPED);
  EXPECT_FALSE(files_.Exists("/home/checkpoints/job-uid"));
}

TEST_F(Train, ADamagedCheckpointIsSkippedLoudlyAndTheBitsAreTheSame) {
  const JobOptions job;
  ASSERT_EQ(Run(job, {}).reason(), control::COMPLETED);
  const std::string folder = "/home/checkpoints/job-uid/";
  ASSERT_TRUE(files_.Exists(folder + "step-0000000009"));
  ASSERT_TRUE(files_.Append(folder + "step-0000000009/weights.safetensors", "x").ok());
  const auto end = Run(job, {.boards = 2});
  EXPECT_EQ(end.reason(), control::COMPLETED);
  EXPECT_EQ(end.weights_sha256(), UndisturbedHash(job));
  EXPECT_THAT(lines_, Contains(HasSubstr("step-0000000009 is damaged and is skipped")));
  EXPECT_THAT(lines_, Contains(HasSubstr("resumed after step 8")));
}

TEST_F(Train, AJobThatIsDoneAlreadyGivesItsHashAgain) {
  const auto first = Run({}, {});
  const auto again = Run({}, {.boards = 4});
  EXPECT_EQ(again.reason(), control::COMPLETED);
  EXPECT_EQ(again.weights_sha256(), first.weights_sha256());
}

TEST_F(Train, ALossThatIsNotFiniteStopsAtOnceNamingStepAndTensor) {
  const JobOptions job{.checkpoint_every_steps = 1,
                       .optimizer = R"({"sgd": {"learningRate": 1e30}})"};
  const auto end = Run(job, {.boards = 2});
  EXPECT_EQ(end.reason(), control::FAILED);
  EXPECT_THAT(end.message(), ContainsRegex("the loss is (nan|inf) in step [0-9]+ \\(epoch 1\\)"));
  EXPECT_THAT(end.message(), HasSubstr("dense"));
  EXPECT_THAT(end.message(), HasSubstr("smaller learning rate"));
}

TEST_F(Train, AMissingFileFailsOnEveryBoardByItsName) {
  SliceRun run(files_, {.file = "/data/none.csv"}, {.boards = 2}, ++fence_);
  for (const auto& end : run.AwaitAll()) {
    EXPECT_EQ(end.reason(), control::FAILED);
    EXPECT_THAT(end.message(), HasSubstr("/data/none.csv"));
  }
}

TEST_F(Train, AnEpochsLossIsTheMeanOverExamplesAndNotOverBatches) {
  // A rate this small leaves the weights where they are; dropout off.
  JobOptions job{.epochs = 1, .optimizer = R"({"sgd": {"learningRate": 1e-30}})"};
  job.layers = R"([{"dense": {"units": 3, "activation": "softmax"}}])";
  job.validation = R"({"fraction": 0})";
  std::vector<double> losses;
  for (const int64_t batch : {32, 40, 100, 101}) {  // The last one: one batch holds all.
    job.batch_size = batch;
    MemoryFileSystem fresh;
    WritePoints(fresh);
    SliceRun run(fresh, job, {}, 1);
    losses.push_back(run.AwaitAll()[0].last().loss());
  }
  for (const double loss : losses) EXPECT_NEAR(loss, losses.back(), 1e-5);
}

TEST_F(Train, TellsPeopleOneLineAnEpochAndTheLeadAlone) {
  SliceRun run(files_, {}, {.boards = 2}, ++fence_);
  run.AwaitAll();
  int epochs = 0;
  for (const std::string& line : run.board(0).lines()) {
    if (!line.starts_with("epoch ")) continue;
    ++epochs;
    EXPECT_THAT(line, ContainsRegex("^epoch [123]/3  loss [0-9.]+  accuracy [0-9.]+ %  val_loss "
                                    "[0-9.]+  val_accuracy [0-9.]+ %  [0-9,]+ examples/s  "
                                    "all-reduce [0-9.]+ ms/step$"));
  }
  EXPECT_EQ(epochs, 3);
  EXPECT_TRUE(run.board(1).lines().empty());
  EXPECT_THAT(run.board(0).metrics().Text(), HasSubstr("octet_worker_steps_total 9"));
  EXPECT_THAT(run.board(0).metrics().Text(), HasSubstr("octet_worker_step_seconds_count 9"));
}

TEST_F(Train, GivenStepsPerEpochTheDataRepeatsWithTheSameBits) {
  const JobOptions job{.epochs = 2, .steps_per_epoch = 7};
  const auto end = Run(job, {.boards = 4});
  EXPECT_EQ(end.last().step(), 14);
  EXPECT_EQ(end.weights_sha256(), UndisturbedHash(job));
}

TEST(TrainShipped, DigitsReach95PercentOnTwoBoards) {
  PosixFileSystem disk;
  MemoryFileSystem files;
  const auto text = disk.Read(std::string(OCTET_SOURCE_DIR) + "/manifests/data/digits.csv");
  ASSERT_TRUE(text.ok());
  ASSERT_TRUE(files.CreateDirectories("/data").ok());
  ASSERT_TRUE(files.Write("/data/digits.csv", *text).ok());
  JobOptions job{.epochs = 20,
                 .batch_size = 128,
                 .checkpoint_every_steps = 100,
                 .optimizer = R"({"adam": {"learningRate": 0.002}})",
                 .file = "/data/digits.csv",
                 .target = "digit"};
  job.layers =
      R"([{"rescaling": {"scale": 0.0625}}, {"dense": {"units": 128, "activation": "relu"}},
      {"dropout": {"rate": 0.25}}, {"dense": {"units": 64, "activation": "relu"}},
      {"dense": {"units": 10, "activation": "softmax"}}])";
  SliceRun run(files, job, {.boards = 2, .threads = 0}, 1);
  const auto end = run.AwaitAll()[0];
  EXPECT_EQ(end.reason(), control::COMPLETED) << end.message();
  EXPECT_GE(end.last().validation_accuracy(), 0.95);
}

}  // namespace
}  // namespace octet
