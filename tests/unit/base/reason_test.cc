#include "shared/base/reason.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace octet {
namespace {

const Reason kWeek{.scope = ReasonScope::kQuota, .code = "WeeklyQuotaUsed", .message = "48m left"};
const Reason kBoards{.code = "NoFreeSlice", .message = "3 boards free"};

TEST(Decision, GivesItsValue) {
  const Decision<std::string> decision(std::string("granted"));
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(*decision, "granted");
  EXPECT_EQ(decision->size(), 7U);
}

TEST(Decision, GivesAllReasonsTheWeightiestFirst) {
  const Decision<int> decision(std::vector<Reason>{kWeek, kBoards});
  ASSERT_FALSE(decision.ok());
  EXPECT_EQ(decision.reason(), kWeek);
  EXPECT_EQ(decision.reasons(), (std::vector<Reason>{kWeek, kBoards}));
}

TEST(DecisionDeathTest, ARefusalNeedsAReason) {
  EXPECT_DEATH((void)Decision<int>(std::vector<Reason>{}), "a refusal needs a reason");
}

TEST(DecisionDeathTest, ReadingWhatIsNotThereStops) {
  EXPECT_DEATH((void)Decision<int>(std::vector<Reason>{kWeek}).value(), "refused: 48m left");
  EXPECT_DEATH((void)Decision<int>(1).reasons(), "no reason against it");
}

}  // namespace
}  // namespace octet
