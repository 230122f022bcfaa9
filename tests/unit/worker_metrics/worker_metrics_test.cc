#include "worker/metrics/worker_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "worker/metrics/names.h"

namespace octet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;

// All metrics with a value.
void Fill(WorkerMetrics& metrics) {
  StepFigures figures{.steps = 3, .examples = 96, .all_reduce_bytes = 1000, .stale_frames = 1};
  figures.step_time.Observe(30us);
  figures.step_time.Observe(3ms);
  figures.step_time.Observe(20s);
  figures.all_reduce_time.Observe(1ms);
  figures.loss = 0.25;
  metrics.Add(figures);
  metrics.AddCheckpoint();
  metrics.SetShares(BoardShares{.mxu = 0.5, .idle = 0.25});
  metrics.SetHbm(1 << 20, int64_t{1} << 34);
}

TEST(WorkerMetrics, AKnownDelayFallsIntoItsBucketInSeconds) {
  WorkerMetrics metrics("0.1.0");
  Fill(metrics);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"2.5e-05\"} 0"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"5e-05\"} 1"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"0.0025\"} 1"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"0.005\"} 2"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"10\"} 2"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_bucket{le=\"+Inf\"} 3"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_count 3"));
  EXPECT_THAT(text, HasSubstr("octet_worker_step_seconds_sum 20.00303"));
}

TEST(WorkerMetrics, ABoundBelongsToItsBucket) {
  TimeHistogram histogram;
  histogram.Observe(1s);
  EXPECT_EQ(histogram.counts[15], 1U);
  EXPECT_EQ(kTimeBuckets[15], 1.0);
}

TEST(WorkerMetrics, EveryNameOfTheTableIsOnThePage) {
  WorkerMetrics metrics("0.1.0");
  Fill(metrics);
  for (const MetricName& metric : kAllWorkerMetrics) {
    EXPECT_THAT(metrics.Text(),
                HasSubstr("# HELP " + std::string(metric.name) + " " + metric.help));
  }
}

TEST(WorkerMetrics, NoSampleIsNotZeroPercent) {
  WorkerMetrics metrics("0.1.0");
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("\noctet_board_mxu_ratio ")));
  metrics.SetShares(BoardShares{.mxu = 0, .idle = 1});
  EXPECT_THAT(metrics.Text(), HasSubstr("\noctet_board_mxu_ratio 0"));
  EXPECT_THAT(metrics.Text(), HasSubstr("\noctet_board_idle_ratio 1"));
  metrics.SetShares(std::nullopt);
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("\noctet_board_mxu_ratio ")));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("\noctet_board_idle_ratio ")));
}

TEST(WorkerMetrics, AnIdleWorkerHasNoLoss) {
  WorkerMetrics metrics("0.1.0");
  Fill(metrics);
  EXPECT_THAT(metrics.Text(), HasSubstr("\noctet_worker_loss 0.25"));
  metrics.SetIdle();
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("\noctet_worker_loss ")));
}

TEST(WorkerMetrics, ServesOnAFreePortAndSaysWhichOneIsTaken) {
  WorkerMetrics metrics("0.1.0");
  const auto address = metrics.Serve("127.0.0.1:0");
  ASSERT_TRUE(address.ok()) << address.status().ToString();
  EXPECT_TRUE(address->starts_with("127.0.0.1:"));
  EXPECT_NE(*address, "127.0.0.1:0");
  WorkerMetrics second("0.1.0");
  const auto taken = second.Serve(*address);
  EXPECT_EQ(taken.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(taken.status().message(), HasSubstr(*address));
}

TEST(WorkerMetrics, PromtoolFindsNothingToObjectTo) {
  if (std::system("command -v promtool > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool (Debian package prometheus) is not installed";
  }
  WorkerMetrics metrics("0.1.0");
  Fill(metrics);
  // The text goes in by a pipe; promtool's words come out with the test's.
  FILE* promtool = popen("promtool check metrics 2>&1", "w");
  ASSERT_NE(promtool, nullptr);
  const std::string text = metrics.Text();
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), promtool), text.size());
  EXPECT_EQ(pclose(promtool), 0) << text;
}

}  // namespace
}  // namespace octet
