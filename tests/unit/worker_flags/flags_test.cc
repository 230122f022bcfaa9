#include "worker/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kComplete = {"--board", "local-2",       "--pool",
                                            "local",   "--ordinal=2",   "--home",
                                            "/h",      "--coordinator", "tcp://127.0.0.1:7444"};

std::string FaultOf(std::vector<std::string> extra) {
  std::vector<std::string> arguments = kComplete;
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return ParseWorkerFlags(arguments).status().message();
}

TEST(WorkerFlags, ReadsBothFormsAndFillsInDefaults) {
  const auto flags = ParseWorkerFlags(kComplete);
  ASSERT_TRUE(flags.ok()) << flags.status().ToString();
  EXPECT_EQ(flags->board, BoardId("local-2"));
  EXPECT_EQ(flags->ordinal, 2);
  EXPECT_EQ(flags->home, "/h");
  EXPECT_EQ(flags->data_host, "127.0.0.1");
  EXPECT_EQ(flags->metrics_address, "127.0.0.1:0");
  EXPECT_EQ(flags->threads, 0);
}

TEST(WorkerFlags, AnUnknownFlagIsNamedWithTheOneThatWasMeant) {
  EXPECT_THAT(FaultOf({"--thread", "2"}), HasSubstr("no flag --thread; did you mean --threads?"));
  EXPECT_THAT(FaultOf({"stray"}), HasSubstr("no flag stray"));
}

TEST(WorkerFlags, APodsNameSaysItsPoolAndOrdinal) {
  const auto flags = ParseWorkerFlags({"--board=octet-worker-12", "--home=/h", "--data-port=7445",
                                       "--coordinator=tcp://octet-coordinator:7444"});
  ASSERT_TRUE(flags.ok()) << flags.status().ToString();
  EXPECT_EQ(flags->pool, PoolName("octet-worker"));
  EXPECT_EQ(flags->ordinal, 12);
  EXPECT_EQ(flags->data_port, 7445);
}

TEST(WorkerFlags, ANameWithoutANumberNeedsAnOrdinal) {
  const auto flags = ParseWorkerFlags(
      {"--board=alone", "--home=/h", "--coordinator=tcp://octet-coordinator:7444"});
  EXPECT_THAT(flags.status().message(), HasSubstr("--ordinal is needed"));
}

TEST(WorkerFlags, NumbersAreBounded) {
  EXPECT_THAT(FaultOf({"--threads", "9"}), HasSubstr("--threads is \"9\"; give a whole number"));
  EXPECT_THAT(FaultOf({"--threads", "two"}), HasSubstr("from 0 to 8"));
  EXPECT_THAT(FaultOf({"--ordinal", "-1"}), HasSubstr("--ordinal is \"-1\""));
}

TEST(WorkerFlags, AMissingValueOrFlagIsNamed) {
  EXPECT_EQ(FaultOf({"--threads"}), "--threads needs a value");
  EXPECT_EQ(FaultOf({"--threads="}), "--threads needs a value");
  EXPECT_EQ(ParseWorkerFlags({"--board", "b-1"}).status().message(),
            "--coordinator is needed; see --help");
}

TEST(WorkerFlags, HelpAndVersionNeedNothingElse) {
  EXPECT_TRUE(ParseWorkerFlags({"--help"})->help);
  EXPECT_TRUE(ParseWorkerFlags({"--version"})->version);
  for (const char* flag : {"--board", "--pool", "--ordinal", "--coordinator", "--home",
                           "--data-host", "--data-port", "--metrics-address", "--threads"}) {
    EXPECT_THAT(WorkerUsage(), HasSubstr(flag));
  }
}

}  // namespace
}  // namespace octet
