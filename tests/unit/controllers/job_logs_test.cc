#include "coordinator/controllers/job_logs.h"

#include <gtest/gtest.h>

#include "shared/base/limits.h"

namespace octet {
namespace {

const JobUid kJob("job-1");

TEST(JobLogs, LinesAreAppendedAcrossProcesses) {
  MemoryFileSystem files;
  JobLogs(files, "/logs/jobs").Append(kJob, {"one"});
  JobLogs(files, "/logs/jobs").Append(kJob, {"two", "three"});
  EXPECT_EQ("one\ntwo\nthree\n", files.Read("/logs/jobs/job-1.log").value());
}

TEST(JobLogs, ALongLogKeepsItsYoungerHalfInWholeLines) {
  MemoryFileSystem files;
  JobLogs logs(files, "/logs/jobs");
  const std::string line(1023, 'x');
  const std::vector<std::string> lines(1024, line);  // A megabyte with the line ends.
  for (int i = 0; i < 4; ++i) logs.Append(kJob, lines);
  EXPECT_EQ(limits::kJobLogBytesMax, files.Read("/logs/jobs/job-1.log")->size());
  logs.Append(kJob, {"last"});
  const std::string text = files.Read("/logs/jobs/job-1.log").value();
  EXPECT_LE(text.size(), limits::kJobLogBytesMax / 2);
  EXPECT_GT(text.size(), limits::kJobLogBytesMax / 3);
  EXPECT_EQ(line + "\n", text.substr(0, 1024));
  EXPECT_TRUE(text.ends_with("\nlast\n"));
}

TEST(JobLogs, ARemovedLogIsGone) {
  MemoryFileSystem files;
  JobLogs logs(files, "/logs/jobs");
  logs.Append(kJob, {"one"});
  logs.Remove(kJob);
  logs.Remove(kJob);
  EXPECT_FALSE(files.Exists("/logs/jobs/job-1.log"));
}

TEST(JobLogs, ADiskThatFailsCostsOnlyTheLines) {
  MemoryFileSystem base;
  FaultFileSystem files(base);
  JobLogs logs(files, "/logs/jobs");
  logs.Append(kJob, {"one"});
  files.FailFrom(0, ResourceExhausted("full"));
  logs.Append(kJob, {"two"});
  files.Heal();
  logs.Append(kJob, {"three"});
  EXPECT_TRUE(base.Read("/logs/jobs/job-1.log")->ends_with("three\n"));
}

}  // namespace
}  // namespace octet
