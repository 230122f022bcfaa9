#include "shared/base/ids.h"

#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>
#include <unordered_set>

namespace octet {
namespace {

static_assert(!std::is_convertible_v<UserName, BoardId>);
static_assert(!std::is_convertible_v<std::string, UserName>);

TEST(Name, ComparesByItsText) {
  EXPECT_EQ(BoardId("local-0"), BoardId("local-0"));
  EXPECT_LT(BoardId("local-0"), BoardId("local-1"));
  EXPECT_TRUE(BoardId().empty());
}

TEST(Name, PrintsAndHashesAsItsText) {
  std::ostringstream out;
  out << UserName("alice");
  EXPECT_EQ(out.str(), "alice");
  const std::unordered_set<UserName> users = {UserName("alice"), UserName("bob"),
                                              UserName("alice")};
  EXPECT_EQ(users.size(), 2U);
}

TEST(Fence, TheNextIsGreater) {
  const Fence first;
  EXPECT_LT(first, first.Next());
  EXPECT_EQ(Fence(4).Next(), Fence(5));
}

TEST(FormatUuid, SetsVersionAndVariantAndKeepsTheRest) {
  EXPECT_EQ(FormatUuid(0, 0), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(FormatUuid(~uint64_t{0}, ~uint64_t{0}), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(FormatUuid(0x0123456789ABCDEF, 0x0123456789ABCDEF),
            "01234567-89ab-4def-8123-456789abcdef");
}

}  // namespace
}  // namespace octet
