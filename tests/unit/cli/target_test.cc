#include "cli/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet::cli {
namespace {

using ::testing::HasSubstr;

std::string Shown(const std::vector<std::string>& words) {
  const auto targets = ParseTargets(words);
  if (!targets.ok()) return targets.status().message();
  std::string text;
  for (const Target& target : *targets) text += target.info->plural + "/" + target.name + " ";
  return text;
}

TEST(Target, AKindStandsForAllOfIt) { EXPECT_EQ(Shown({"tj"}), "trainingjobs/ "); }

TEST(Target, NamesFollowTheKind) {
  EXPECT_EQ(Shown({"trainingjob", "iris", "digits"}), "trainingjobs/iris trainingjobs/digits ");
}

TEST(Target, SeveralKindsAreSeparatedByCommas) {
  EXPECT_EQ(Shown({"tj,uq"}), "trainingjobs/ userquotas/ ");
}

TEST(Target, KindAndNameMayBeOneWord) {
  EXPECT_EQ(Shown({"tj/iris", "uq/alice"}), "trainingjobs/iris userquotas/alice ");
}

TEST(Target, AWrongKindIsNamedWithAGuess) {
  EXPECT_THAT(Shown({"traningjob"}), HasSubstr("did you mean trainingjob"));
}

TEST(Target, FormsAreNotMixed) {
  EXPECT_THAT(Shown({"tj/iris", "digits"}), HasSubstr("KIND/NAME"));
  EXPECT_THAT(Shown({"tj/"}), HasSubstr("KIND/NAME"));
}

TEST(Target, NothingAtAllIsExplained) { EXPECT_THAT(Shown({}), HasSubstr("which kind")); }

}  // namespace
}  // namespace octet::cli
