#include "coordinator/store/job_logs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "shared/base/limits.h"

namespace octet {
namespace {

const JobUid kJob("job-1");
constexpr char kFolder[] = "/logs/jobs";
constexpr size_t kAll = 64 * limits::kJobLogBytesMax;

JobLogPart Read(const FileSystem& files, int64_t offset, size_t bytes_max = kAll) {
  return ReadJobLog(files, kFolder, kJob, offset, bytes_max).value();
}

TEST(JobLogs, LinesAreAppendedAcrossProcesses) {
  MemoryFileSystem files;
  JobLogs(files, kFolder).Append(kJob, {"one"});
  JobLogs(files, kFolder).Append(kJob, {"two", "three"});
  EXPECT_EQ("one\ntwo\nthree\n", Read(files, 0).text);
}

TEST(JobLogs, AJobThatWroteNothingHasAnEmptyLog) {
  const MemoryFileSystem files;
  const JobLogPart part = Read(files, 7);
  EXPECT_EQ("", part.text);
  EXPECT_EQ(7, part.offset);
  EXPECT_TRUE(part.at_end);
}

TEST(JobLogs, AReaderGetsTheLogInPartsFromWhereItIs) {
  MemoryFileSystem files;
  JobLogs(files, kFolder).Append(kJob, {"0123456789"});
  const JobLogPart first = Read(files, 2, 4);
  EXPECT_EQ("2345", first.text);
  EXPECT_FALSE(first.at_end);
  const JobLogPart rest = Read(files, 6, 100);
  EXPECT_EQ("6789\n", rest.text);
  EXPECT_TRUE(rest.at_end);
}

// A follower that adds up what it has read sees each line once while the oldest lines are dropped.
TEST(JobLogs, ALongLogLosesItsOldestLinesAndKeepsTheOffsets) {
  MemoryFileSystem files;
  JobLogs logs(files, kFolder);
  std::string all;
  std::string followed;
  for (int i = 0; i < 9000; ++i) {
    const std::string line = std::to_string(i) + std::string(1000, 'x');
    logs.Append(kJob, {line});
    all += line + '\n';
    if (i % 100 == 0) followed += Read(files, static_cast<int64_t>(followed.size())).text;
  }
  followed += Read(files, static_cast<int64_t>(followed.size())).text;
  EXPECT_EQ(all, followed);

  const JobLogPart kept = Read(files, 0);
  EXPECT_EQ(all.substr(static_cast<size_t>(kept.offset)), kept.text);
  EXPECT_LE(kept.text.size(), limits::kJobLogBytesMax);
  EXPECT_GT(kept.text.size(), limits::kJobLogBytesMax / 2);
  EXPECT_EQ('\n', all[static_cast<size_t>(kept.offset) - 1]) << "a line was cut";
}

// The names were listed and then a part was dropped, for which a link to nowhere stands here.
TEST(JobLogs, WhatIsReadHasNoGapWhenAPartIsDroppedMeanwhile) {
  std::string folder = testing::TempDir() + "octet-logs-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  PosixFileSystem files;
  const std::string logs = JoinPath(folder, kJob.str());
  ASSERT_TRUE(files.CreateDirectories(logs).ok());
  ASSERT_TRUE(files.Write(JoinPath(logs, "00000000000000000000.log"), "one\n").ok());
  std::filesystem::create_symlink("nowhere", JoinPath(logs, "00000000000000000004.log"));
  ASSERT_TRUE(files.Write(JoinPath(logs, "00000000000000000008.log"), "three\n").ok());

  const JobLogPart first = ReadJobLog(files, folder, kJob, 0, kAll).value();
  EXPECT_EQ("one\n", first.text);
  EXPECT_FALSE(first.at_end);
  const JobLogPart rest = ReadJobLog(files, folder, kJob, 4, kAll).value();
  EXPECT_EQ(8, rest.offset);
  EXPECT_EQ("three\n", rest.text);
  EXPECT_TRUE(rest.at_end);
  std::filesystem::remove_all(folder);
}

TEST(JobLogs, ARemovedLogIsGone) {
  MemoryFileSystem files;
  JobLogs logs(files, kFolder);
  logs.Append(kJob, {"one"});
  logs.Remove(kJob);
  logs.Remove(kJob);
  EXPECT_EQ("", Read(files, 0).text);
  logs.Append(kJob, {"two"});
  EXPECT_EQ("two\n", Read(files, 0).text);
}

TEST(JobLogs, ADiskThatFailsCostsOnlyTheLines) {
  MemoryFileSystem base;
  FaultFileSystem files(base);
  JobLogs logs(files, kFolder);
  logs.Append(kJob, {"one"});
  files.FailFrom(0, ResourceExhausted("full"));
  logs.Append(kJob, {"two"});
  files.Heal();
  logs.Append(kJob, {"three"});
  EXPECT_TRUE(Read(base, 0).text.ends_with("three\n"));
}

}  // namespace
}  // namespace octet
