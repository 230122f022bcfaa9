#include "shared/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "shared/base/file_system.h"

namespace octet {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Log : public testing::Test {
 protected:
  Log() {
    std::string pattern = JoinPath(testing::TempDir(), "octet-log-XXXXXX");
    folder_ = mkdtemp(pattern.data());
    file_ = JoinPath(folder_, "octet.log");
  }
  ~Log() override {
    InitLog({.component = "test"});
    (void)files_.RemoveAll(folder_);
  }
  std::string Lines() const { return *files_.Read(file_); }

  PosixFileSystem files_;
  std::string folder_;
  std::string file_;
};

TEST_F(Log, ALineHasTimeLevelComponentAndMessage) {
  InitLog({.component = "worker local-3", .file = file_});
  LogWarning("lost board=local-1");
  EXPECT_THAT(Lines(), MatchesRegex("....-..-..T..:..:......Z warning worker local-3 "
                                    "lost board=local-1\n"));
}

TEST_F(Log, DropsWhatIsBelowItsLevel) {
  InitLog({.component = "test", .level = LogLevel::kWarning, .file = file_});
  LogDebug("one");
  LogInfo("two");
  LogWarning("three");
  LogError("four");
  EXPECT_THAT(Lines(), Not(HasSubstr("one")));
  EXPECT_THAT(Lines(), Not(HasSubstr("two")));
  EXPECT_THAT(Lines(), HasSubstr("three"));
  EXPECT_THAT(Lines(), HasSubstr("error test four"));
}

TEST_F(Log, NoMessageCanForgeALine) {
  InitLog({.component = "test", .file = file_});
  LogInfo("name=a\n2026-12-01T00:00:00.000Z error test forged\t\x1b[2J");
  EXPECT_THAT(Lines(),
              HasSubstr("name=a\\n2026-12-01T00:00:00.000Z error test forged\\t\\x1b[2J\n"));
}

TEST_F(Log, TextWithBracesIsNotAFormat) {
  InitLog({.component = "test", .file = file_});
  LogInfo("{} {0} {name");
  EXPECT_THAT(Lines(), HasSubstr("{} {0} {name\n"));
}

TEST_F(Log, AFileThatCannotBeOpenedIsToldOnStandardError) {
  testing::internal::CaptureStderr();
  ASSERT_TRUE(files_.Write(file_, "a file").ok());
  InitLog({.component = "test", .file = JoinPath(file_, "octet.log")});
  LogInfo("still heard");
  const std::string heard = testing::internal::GetCapturedStderr();
  EXPECT_THAT(heard, HasSubstr("cannot write the log file"));
  EXPECT_THAT(heard, HasSubstr("info test still heard"));
}

}  // namespace
}  // namespace octet
