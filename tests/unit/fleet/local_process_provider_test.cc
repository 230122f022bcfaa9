#include "coordinator/fleet/local_process_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "shared/base/clock.h"
#include "shared/base/process.h"

namespace octet {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<WantedBoard> kOneBoard = {
    {.board = BoardId("local-0"), .pool = PoolName("local"), .ordinal = 0}};

// A home with a worker that is a shell script.
class LocalProcessProviderTest : public ::testing::Test {
 protected:
  LocalProcessProviderTest() {
    std::string pattern = ::testing::TempDir() + "/octet-provider-XXXXXX";
    CHECK(mkdtemp(pattern.data()) != nullptr);
    home_ = pattern;
    CHECK(files_.CreateDirectories(home_ + "/run/workers").ok());
    CHECK(files_.CreateDirectories(home_ + "/logs").ok());
  }
  ~LocalProcessProviderTest() override {
    for (const BoardId& board : {BoardId("local-0")}) {
      const int64_t pid = PidOf(board);
      if (pid > 0 && ProcessStartTime(pid) != "") SendKill(pid);
    }
    (void)files_.RemoveAll(home_);
  }
  LocalProcessOptions Options(const std::string& script,
                              const std::string& coordinator = "tcp://127.0.0.1:1") {
    const std::string path = home_ + "/worker.sh";
    CHECK(files_.Write(path, "#!/bin/sh\n" + script + "\n").ok());
    // The script is run by its own interpreter line, as a program would be.
    CHECK(std::system(("chmod 700 " + path).c_str()) == 0);
    return {.home = home_, .program = path, .coordinator = coordinator};
  }
  int64_t PidOf(const BoardId& board) {
    const auto text = files_.Read(home_ + "/run/workers/" + board.str() + ".json");
    if (!text.ok()) return 0;
    return std::strtoll(text->substr(text->find(": ") + 2).c_str(), nullptr, 10);
  }
  // Ticks until a process has ended. Real processes need real time; the clock of the provider is
  // ours.
  std::vector<WorkerExit> AwaitExit(LocalProcessProvider& provider) {
    SystemClock clock;
    const MonotonicTime limit = clock.Monotonic() + seconds(30);
    while (clock.Monotonic() < limit) {
      std::vector<WorkerExit> exits = provider.OnTick(now_);
      if (!exits.empty()) return exits;
      std::this_thread::yield();
    }
    return {};
  }

  PosixFileSystem files_;
  std::string home_;
  MonotonicTime now_{seconds(1000)};
};

TEST_F(LocalProcessProviderTest, StartsOneProcessABoardWithItsArguments) {
  LocalProcessProvider provider(Options("echo \"$@\""), files_, Random(1));
  provider.SetWanted(kOneBoard);
  EXPECT_THAT(provider.OnTick(now_), IsEmpty());
  EXPECT_THAT(provider.Running(), ElementsAre(BoardId("local-0")));
  const auto exits = AwaitExit(provider);
  ASSERT_EQ(1u, exits.size());
  EXPECT_EQ("exited with code 0", exits[0].how);
  EXPECT_THAT(files_.Read(home_ + "/logs/local-0.log").value(),
              HasSubstr("--board local-0 --pool local --ordinal 0 --coordinator tcp://127.0.0.1:1 "
                        "--home " +
                        home_));
}

TEST_F(LocalProcessProviderTest, AProcessThatDiesIsStartedAgainAfterABackOff) {
  LocalProcessProvider provider(Options("exit 3"), files_, Random(1));
  provider.SetWanted(kOneBoard);
  (void)provider.OnTick(now_);
  ASSERT_EQ(1u, AwaitExit(provider).size());
  EXPECT_THAT(provider.Message(BoardId("local-0")), HasSubstr("exited with code 3"));
  EXPECT_THAT(provider.Running(), IsEmpty());
  (void)provider.OnTick(now_);
  EXPECT_THAT(provider.Running(), IsEmpty());
  now_ += seconds(1);
  (void)provider.OnTick(now_);
  EXPECT_THAT(provider.Running(), ElementsAre(BoardId("local-0")));
  AwaitExit(provider);
}

TEST_F(LocalProcessProviderTest, AnUnwantedProcessIsStoppedAndItsPidFileRemoved) {
  LocalProcessProvider provider(Options("exec sleep 1000"), files_, Random(1));
  provider.SetWanted(kOneBoard);
  (void)provider.OnTick(now_);
  ASSERT_GT(PidOf(BoardId("local-0")), 0);
  provider.SetWanted({});
  const auto exits = AwaitExit(provider);
  ASSERT_EQ(1u, exits.size());
  EXPECT_EQ("was ended by signal 15", exits[0].how);
  EXPECT_EQ(0, PidOf(BoardId("local-0")));
  (void)provider.OnTick(now_);
  EXPECT_THAT(provider.Running(), IsEmpty());
}

TEST_F(LocalProcessProviderTest, AProcessThatIgnoresTheStopIsKilledAfterTheLimit) {
  LocalProcessProvider provider(
      Options("trap '' TERM; echo ready; while :; do read line < /dev/zero; done"), files_,
      Random(1));
  provider.SetWanted(kOneBoard);
  (void)provider.OnTick(now_);
  while (files_.Read(home_ + "/logs/local-0.log").value().empty()) std::this_thread::yield();
  provider.SetWanted({});
  (void)provider.OnTick(now_);
  EXPECT_THAT(provider.Running(), ElementsAre(BoardId("local-0")));
  now_ += seconds(10);
  const auto exits = AwaitExit(provider);
  ASSERT_EQ(1u, exits.size());
  EXPECT_EQ("was ended by signal 9", exits[0].how);
}

TEST_F(LocalProcessProviderTest, AnotherProviderAdoptsALivingProcess) {
  const LocalProcessOptions options = Options("exec sleep 1000");
  int64_t pid = 0;
  {
    LocalProcessProvider provider(options, files_, Random(1));
    provider.SetWanted(kOneBoard);
    (void)provider.OnTick(now_);
    pid = PidOf(BoardId("local-0"));
  }
  LocalProcessProvider provider(options, files_, Random(2));
  provider.SetWanted(kOneBoard);
  EXPECT_THAT(provider.OnTick(now_), IsEmpty());
  EXPECT_EQ(pid, PidOf(BoardId("local-0")));
  SendKill(pid);
  EXPECT_EQ(1u, AwaitExit(provider).size());
  while (!ChildExit(pid)) std::this_thread::yield();  // Only here is it still our own child.
}

TEST_F(LocalProcessProviderTest, AProcessThatTalksToAnotherAddressIsReplaced) {
  {
    LocalProcessProvider provider(Options("exec sleep 1000", "tcp://127.0.0.1:2"), files_,
                                  Random(1));
    provider.SetWanted(kOneBoard);
    (void)provider.OnTick(now_);
  }
  const int64_t pid = PidOf(BoardId("local-0"));
  LocalProcessProvider provider(Options("exec sleep 1000"), files_, Random(2));
  provider.SetWanted(kOneBoard);
  (void)provider.OnTick(now_);
  while (!ChildExit(pid)) std::this_thread::yield();
  EXPECT_EQ(1u, AwaitExit(provider).size());
  (void)provider.OnTick(now_);
  EXPECT_NE(pid, PidOf(BoardId("local-0")));
}

TEST_F(LocalProcessProviderTest, AStalePidOfAnotherProcessIsNotAdopted) {
  ASSERT_TRUE(files_
                  .Write(home_ + "/run/workers/local-0.json",
                         "{\"pid\": " + std::to_string(getpid()) +
                             ", \"startTime\": \"1\", \"coordinator\": \"tcp://127.0.0.1:1\"}")
                  .ok());
  LocalProcessProvider provider(Options("exec sleep 1000"), files_, Random(1));
  EXPECT_THAT(provider.Running(), IsEmpty());
  EXPECT_FALSE(files_.Exists(home_ + "/run/workers/local-0.json"));
}

TEST_F(LocalProcessProviderTest, AProgramThatCannotBeStartedIsSaidSo) {
  LocalProcessOptions options = Options("true");
  options.program = home_ + "/none";
  LocalProcessProvider provider(options, files_, Random(1));
  provider.SetWanted(kOneBoard);
  (void)provider.OnTick(now_);
  EXPECT_THAT(provider.Running(), IsEmpty());
  EXPECT_THAT(provider.Message(BoardId("local-0")), HasSubstr("cannot start"));
}

}  // namespace
}  // namespace octet
