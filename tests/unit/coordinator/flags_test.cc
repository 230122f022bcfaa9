#include "coordinator/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::vector<std::string>& arguments) {
  const Result<CoordinatorFlags> flags = ParseCoordinatorFlags(arguments);
  return flags.ok() ? "" : flags.status().message();
}

TEST(CoordinatorFlags, AreReadInBothForms) {
  const auto flags = ParseCoordinatorFlags({"--home=/h", "--boards", "8", "--pool-type=v3-32",
                                            "--provider", "none", "--pool", "octet-worker"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_EQ("/h", flags->home);
  EXPECT_EQ(8, flags->boards);
  EXPECT_EQ("octet-worker", flags->pool);
  EXPECT_EQ(ProviderKind::kNone, flags->provider);
  EXPECT_EQ("127.0.0.1:7443", flags->api_address);
}

TEST(CoordinatorFlags, AnUnknownFlagIsNamedWithTheOneThatWasMeant) {
  EXPECT_THAT(ErrorOf({"--home", "/h", "--bords", "4"}), HasSubstr("--boards"));
}

TEST(CoordinatorFlags, EveryBadValueNamesItsFlag) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("--home"));
  EXPECT_THAT(ErrorOf({"--home"}), HasSubstr("--home needs a value"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--boards", "four"}), HasSubstr("--boards"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--api-address", "7443"}), HasSubstr("--api-address"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--metrics-address", "127.0.0.1:99999"}),
              HasSubstr("--metrics-address"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--provider", "cloud"}), HasSubstr("--provider"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--boards", "4", "--pool-type", "v3-16"}),
              HasSubstr("v3-8"));
  EXPECT_THAT(ErrorOf({"--home", "/h", "--boards", "6", "--pool-type", "v3-32"}),
              HasSubstr("multiple"));
}

TEST(CoordinatorFlags, HelpIsAnsweredWhateverElseIsWrong) {
  EXPECT_TRUE(ParseCoordinatorFlags({"--help", "--bords"})->help);
}

}  // namespace
}  // namespace octet
