#include "coordinator/controllers/progress.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

control::StepReport Report(int64_t step) {
  control::StepReport report;
  report.set_step(step);
  report.set_total_steps(100);
  report.set_loss(0.5);
  report.set_accuracy(-1);
  return report;
}

TEST(Progress, FiguresOfRankZeroCount) {
  LiveSession live{.leader = BoardId("b0")};
  MergeReport(BoardId("b0"), Report(7), live);
  MergeReport(BoardId("b1"), Report(6), live);
  EXPECT_EQ(7, live.report->step());
  EXPECT_TRUE(live.first_step);
}

TEST(Progress, ACheckpointIsKeptUntilANewerOneComes) {
  LiveSession live{.leader = BoardId("b0")};
  control::StepReport with = Report(5);
  with.mutable_checkpoint()->set_step(5);
  with.mutable_checkpoint()->set_path("/c/5");
  MergeReport(BoardId("b0"), with, live);
  MergeReport(BoardId("b0"), Report(8), live);
  EXPECT_EQ(8, live.report->step());
  EXPECT_EQ("/c/5", live.report->checkpoint().path());
}

TEST(Progress, LogLinesAreNotKeptTwice) {
  LiveSession live{.leader = BoardId("b0")};
  control::StepReport report = Report(5);
  report.add_log_lines("epoch 1");
  MergeReport(BoardId("b0"), report, live);
  EXPECT_EQ(0, live.report->log_lines_size());
}

TEST(Progress, AbsentFiguresKeepWhatIsKnown) {
  TrainingJobStatus before;
  before.progress.validation_loss = 0.25;
  before.progress.accuracy = 0.75;
  const JobReport read = ReadReport(Report(9), before);
  EXPECT_EQ(0.25, read.progress.validation_loss);
  EXPECT_EQ(0.75, read.progress.accuracy);
  EXPECT_EQ(0.5, read.progress.loss);
  EXPECT_EQ(9, read.progress.step);
  EXPECT_EQ("", read.checkpoint_path);
}

TEST(Progress, SecondsBecomeMilliseconds) {
  control::StepReport report = Report(9);
  report.set_step_seconds(0.25);
  report.set_all_reduce_seconds(0.125);
  const JobReport read = ReadReport(report, {});
  EXPECT_EQ(250, read.progress.step_millis);
  EXPECT_EQ(125, read.progress.all_reduce_millis);
}

}  // namespace
}  // namespace octet
