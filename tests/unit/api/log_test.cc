// The logs of jobs and pods: the options are those of Kubernetes' PodLogOptions.
#include "coordinator/store/job_logs.h"
#include "coordinator/store/log_line.h"
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

TEST(LogLine, KeepsWhenAndInWhichAttemptItCame) {
  const TimePoint time = ParseTime("2026-12-01T06:00:00.250Z").value();
  const std::string line = StampLogLine(time, 2, "epoch 1  loss 0.5");
  const LogLine read = ReadLogLine(line);
  EXPECT_EQ(read.time, time);
  EXPECT_EQ(read.attempt, 2);
  EXPECT_EQ(read.text, "epoch 1  loss 0.5");
}

TEST(LogLine, ALineWithoutThatIsShownAsItIs) {
  for (const char* line : {"", "epoch", "epoch 1", "epoch 1 of 2", "2026-12-01T06:00:00.250Z x y",
                           "2026-12-01T06:00:00.250Z 1"}) {
    EXPECT_FALSE(ReadLogLine(line).time) << line;
    EXPECT_EQ(ReadLogLine(line).text, line);
  }
}

class LogTest : public ApiTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
    Change(Kind::kTrainingJob, "digits", [](Object& job) {
      job.status = Value::MakeMap();
      job.status.Set("phase", "Queued");
      job.status.Set("attempts", 2);
    });
    Write("2026-12-01T05:00:00Z", 1, "old");
    Write("2026-12-01T05:59:00Z", 2, "one");
    Write("2026-12-01T05:59:50Z", 2, "two");
    Write("2026-12-01T06:00:00Z", 2, "three");
  }

  void Write(const std::string& time, int64_t attempt, const std::string& text) {
    JobLogs(files_, "/logs")
        .Append(JobUid("uid-1"), {StampLogLine(ParseTime(time).value(), attempt, text)});
  }

  ApiResponse Log(const std::string& query) {
    return Send("GET", "/api/v1/namespaces/default/pods/digits-0/log" + query);
  }
};

TEST_F(LogTest, OfAPodIsThatOfTheLastAttempt) {
  EXPECT_EQ(Log("").body, "one\ntwo\nthree\n");
  EXPECT_EQ(Log("?container=worker").body, "one\ntwo\nthree\n");
  EXPECT_EQ(Log("?previous=true").body, "old\n");
  EXPECT_THAT(Log("").headers.at("Content-Type"), HasSubstr("text/plain"));
}

TEST_F(LogTest, OfTheJobIsWholeAndWithoutStamps) {
  EXPECT_EQ(Send("GET", std::string(kJobs) + "/digits/log").body, "old\none\ntwo\nthree\n");
}

TEST_F(LogTest, ItsOptionsChooseLinesAndBytes) {
  EXPECT_EQ(Log("?tailLines=2").body, "two\nthree\n");
  EXPECT_EQ(Log("?tailLines=0").body, "");
  EXPECT_EQ(Log("?tailLines=100").body, "one\ntwo\nthree\n");
  EXPECT_EQ(Log("?sinceSeconds=15").body, "two\nthree\n");
  EXPECT_EQ(Log("?sinceTime=2026-12-01T05:59:55Z").body, "three\n");
  EXPECT_EQ(Log("?limitBytes=5").body, "one\nt");
  EXPECT_EQ(Log("?timestamps=true&tailLines=1").body, "2026-12-01T06:00:00Z three\n");
}

TEST_F(LogTest, OptionsThatAreNoneAreRefused) {
  for (const char* query :
       {"?tailLines=-1", "?tailLines=x", "?limitBytes=0", "?sinceSeconds=0", "?sinceTime=yesterday",
        "?container=main", "?sinceSeconds=1&sinceTime=2026-12-01T05:59:55Z"}) {
    EXPECT_EQ(FailureOf(Log(query)), "400 BadRequest") << query;
  }
  Change(Kind::kTrainingJob, "digits", [](Object& job) { job.status.Set("attempts", 1); });
  EXPECT_THAT(TextAt(BodyOf(Log("?previous=true")), "message"),
              HasSubstr("previous terminated container \"worker\" in pod \"digits-0\" not found"));
}

TEST_F(LogTest, OnlyPodsThatAreThereHaveOne) {
  EXPECT_EQ(FailureOf(Send("GET", "/api/v1/namespaces/default/pods/digits-1/log")), "404 NotFound");
  EXPECT_EQ(FailureOf(Send("GET", "/api/v1/namespaces/default/pods/none-0/log")), "404 NotFound");
  EXPECT_EQ(FailureOf(Send("POST", "/api/v1/namespaces/default/pods/digits-0/log")),
            "405 MethodNotAllowed");
}

TEST_F(LogTest, AFollowerGetsEachLineOnceUntilTheJobIsOver) {
  const ApiResponse response = Log("?follow=true&tailLines=1");
  ASSERT_TRUE(response.stream);
  EXPECT_EQ(response.stream().bytes, "three\n");
  EXPECT_EQ(response.stream().bytes, "");
  Write("2026-12-01T06:00:01Z", 2, "four");
  Write("2026-12-01T06:00:01Z", 2, "five");
  const StreamPart part = response.stream();
  EXPECT_EQ(part.bytes, "four\nfive\n");
  EXPECT_FALSE(part.end);
  Write("2026-12-01T06:00:02Z", 2, "six");
  SetJobPhase("digits", "Succeeded");
  const StreamPart last = response.stream();
  EXPECT_EQ(last.bytes, "six\n");
  EXPECT_TRUE(last.end);
}

// A pod is one attempt: the next one is another.
TEST_F(LogTest, AFollowerOfAnAttemptIsNotGivenTheNext) {
  const ApiResponse response = Log("?follow=true");
  Change(Kind::kTrainingJob, "digits", [](Object& job) { job.status.Set("attempts", 3); });
  Write("2026-12-01T06:00:02Z", 3, "again");
  const StreamPart part = response.stream();
  EXPECT_EQ(part.bytes, "one\ntwo\nthree\n");
  EXPECT_TRUE(part.end);
}

}  // namespace
}  // namespace octet
