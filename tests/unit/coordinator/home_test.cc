#include "coordinator/home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "coordinator/controllers/pools.h"
#include "coordinator/first_pool.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

class HomeTest : public ::testing::Test {
 protected:
  HomeTest() {
    std::string pattern = ::testing::TempDir() + "/octet-home-XXXXXX";
    CHECK(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~HomeTest() override { (void)files_.RemoveAll(path_); }
  PosixFileSystem files_;
  std::string path_;
};

TEST_F(HomeTest, ASecondOneIsRefusedAndNamesTheHolder) {
  {
    const Result<Home> first = Home::Open(files_, path_);
    ASSERT_TRUE(first.ok()) << first.status().ToString();
    const Result<Home> second = Home::Open(files_, path_);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.status().message(), HasSubstr("process " + std::to_string(getpid())));
    EXPECT_THAT(second.status().message(), HasSubstr("octet down"));
  }
  EXPECT_TRUE(Home::Open(files_, path_).ok());  // The lock goes with its holder.
}

TEST_F(HomeTest, AFolderThatCannotBeMadeIsNamedWithTheFix) {
  ASSERT_TRUE(files_.Write(path_ + "/file", "").ok());
  const Result<Home> home = Home::Open(files_, path_ + "/file/home");
  ASSERT_FALSE(home.ok());
  EXPECT_THAT(home.status().message(), HasSubstr(path_ + "/file/home"));
  EXPECT_THAT(home.status().message(), HasSubstr("OCTET_HOME"));
}

TEST_F(HomeTest, TheNoteOfACrashedCoordinatorIsReadOnceAndRemoved) {
  Home home = Home::Open(files_, path_).value();
  ASSERT_TRUE(home.WriteNote({.pid = 7,
                              .start_time = "1",
                              .api = "http://127.0.0.1:1",
                              .control = "tcp://127.0.0.1:2",
                              .metrics = "http://127.0.0.1:3/metrics",
                              .boards = 4})
                  .ok());
  const std::optional<ReadyNote> note = home.TakeStaleNote();
  ASSERT_TRUE(note);
  EXPECT_EQ(7, note->pid);
  EXPECT_EQ("tcp://127.0.0.1:2", note->control);
  EXPECT_FALSE(home.TakeStaleNote());
}

TEST(Ports, AnyPortBecomesTheOneThatACrashedCoordinatorHad) {
  EXPECT_EQ("127.0.0.1:5", WithPortOf("127.0.0.1:0", "tcp://127.0.0.1:5"));
  EXPECT_EQ("127.0.0.1:5", WithPortOf("127.0.0.1:0", "http://127.0.0.1:5/metrics"));
  EXPECT_EQ("127.0.0.1:0", WithPortOf("127.0.0.1:0", "tcp://127.0.0.2:5"));
  EXPECT_EQ("127.0.0.1:7", WithPortOf("127.0.0.1:7", "tcp://127.0.0.1:5"));
  EXPECT_EQ("127.0.0.1:0", WithPortOf("127.0.0.1:0", ""));
}

TEST(FirstPool, IsMadeOnceAndThenFollowsTheFlag) {
  const std::unique_ptr<Store> store = MakeMemoryStore();
  CoordinatorFlags flags{.boards = 4};
  ASSERT_TRUE(EnsurePool(*store, flags, "uid", TimePoint()).ok());
  EXPECT_EQ(4, CountBoards(*store).value());
  flags.boards = 2;
  ASSERT_TRUE(EnsurePool(*store, flags, "other", TimePoint()).ok());
  EXPECT_EQ(2, CountBoards(*store).value());
  flags.boards.reset();
  ASSERT_TRUE(EnsurePool(*store, flags, "other", TimePoint()).ok());
  const Object pool = store->Get({.kind = Kind::kSlicePool, .name = "local"}).value();
  EXPECT_EQ("uid", pool.meta.uid);
  EXPECT_EQ(2, CountBoards(*store).value());
}

}  // namespace
}  // namespace octet
