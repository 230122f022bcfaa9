#include "coordinator/metrics/coordinator_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "coordinator/metrics/metric_table.h"
#include "shared/base/file_system.h"

namespace octet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every family with a value that is easy to recognise.
void Fill(CoordinatorMetrics& metrics) {
  metrics.SetBoards({{"Ready", 3}, {"Lost", 1}});
  metrics.SetJobs({{"Queued", 2}});
  metrics.SetQueueLength(2);
  metrics.SetQuota({{.user = "alice",
                     .used = BoardMillis(90'500),
                     .limit = BoardMillis(108'000'000),
                     .reserved = BoardMillis(3000)}});
  metrics.CountSessionEnded("Completed");
  metrics.ObserveDecision(std::chrono::milliseconds(3));
  metrics.CountApiRequest(
      {.verb = "get", .resource = "boards", .code = 404, .took = std::chrono::microseconds(300)});
  metrics.SetStaleMessages(4);
  metrics.SetRecountDifference(BoardMillis(0));
}

TEST(CoordinatorMetrics, TextHasEveryMetricOfTheTableAndNoOther) {
  CoordinatorMetrics metrics("1.2.3");
  Fill(metrics);
  std::set<std::string> wanted;
  for (const MetricInfo& info : CoordinatorMetricTable()) wanted.insert(info.name);
  std::set<std::string> found;
  std::istringstream lines(metrics.Text());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# TYPE ")) continue;
    found.insert(line.substr(7, line.rfind(' ') - 7));
  }
  EXPECT_EQ(wanted, found);
}

TEST(CoordinatorMetrics, AmountsAreInSeconds) {
  CoordinatorMetrics metrics("1.2.3");
  Fill(metrics);
  EXPECT_THAT(metrics.Text(), HasSubstr("octet_quota_used_boardseconds{user=\"alice\"} 90.5\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr("octet_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(metrics.Text(),
              HasSubstr("octet_scheduler_decision_seconds_bucket{le=\"0.0025\"} 0\n"));
  EXPECT_THAT(metrics.Text(),
              HasSubstr("octet_scheduler_decision_seconds_bucket{le=\"0.005\"} 1\n"));
}

TEST(CoordinatorMetrics, ARequestIsCountedByItsWordsAndItsTime) {
  CoordinatorMetrics metrics("1.2.3");
  Fill(metrics);
  Fill(metrics);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("octet_api_requests_total{code=\"404\",resource=\"boards\","
                              "verb=\"get\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("octet_api_request_seconds_count{verb=\"get\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("octet_api_request_seconds_bucket{verb=\"get\",le=\"0.00025\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("octet_api_request_seconds_bucket{verb=\"get\",le=\"0.0005\"} 2\n"));
}

TEST(CoordinatorMetrics, AStateThatNoBoardHasAnyMoreIsZero) {
  CoordinatorMetrics metrics("1.2.3");
  metrics.SetBoards({{"Ready", 3}, {"Lost", 1}});
  metrics.SetBoards({{"Ready", 4}});
  EXPECT_THAT(metrics.Text(), HasSubstr("octet_boards{state=\"Lost\"} 0\n"));
}

TEST(CoordinatorMetrics, AUserThatIsGoneHasNoSeries) {
  CoordinatorMetrics metrics("1.2.3");
  metrics.SetQuota({{.user = "alice"}, {.user = "bert"}});
  metrics.SetQuota({{.user = "bert"}});
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("alice")));
}

TEST(CoordinatorMetrics, UsersPastTheLimitAreSummedUp) {
  CoordinatorMetrics metrics("1.2.3");
  std::vector<UserUsage> users;
  for (size_t i = 0; i < kMetricUsersMax + 3; ++i) {
    users.push_back({.user = "u" + std::to_string(10'000 + i), .used = BoardMillis(1000)});
  }
  metrics.SetQuota(users);
  EXPECT_THAT(metrics.Text(), HasSubstr("octet_quota_used_boardseconds{user=\"other\"} 3\n"));
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("u12000")));
}

TEST(CoordinatorMetrics, TheCountOfStaleMessagesNeverFalls) {
  CoordinatorMetrics metrics("1.2.3");
  metrics.SetStaleMessages(4);
  metrics.SetStaleMessages(2);
  EXPECT_THAT(metrics.Text(), HasSubstr("octet_stale_messages_total 4\n"));
}

TEST(CoordinatorMetrics, PromtoolFindsNothingToSay) {
  if (std::system("promtool --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool (Debian package prometheus) is not installed";
  }
  CoordinatorMetrics metrics("1.2.3");
  Fill(metrics);
  PosixFileSystem files;
  std::string folder = ::testing::TempDir() + "/octet-metrics-XXXXXX";
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  ASSERT_TRUE(files.Write(folder + "/page", metrics.Text()).ok());
  const std::string command =
      "promtool check metrics < " + folder + "/page > " + folder + "/said 2>&1";
  const int code = std::system(command.c_str());
  EXPECT_EQ(0, code) << files.Read(folder + "/said").value();
  (void)files.RemoveAll(folder);
}

TEST(CoordinatorMetrics, ServesOnAFreePortAndRefusesATakenOne) {
  CoordinatorMetrics metrics("1.2.3");
  const Result<std::string> address = metrics.Serve("127.0.0.1:0");
  ASSERT_TRUE(address.ok()) << address.status().ToString();
  EXPECT_THAT(*address, Not(::testing::EndsWith(":0")));
  CoordinatorMetrics second("1.2.3");
  EXPECT_EQ(StatusCode::kFailedPrecondition, second.Serve(*address).status().code());
}

}  // namespace
}  // namespace octet
