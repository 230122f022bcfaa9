#include "coordinator/api/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StatusCode CodeOf(std::string_view target) { return ParseTarget(target).status().code(); }

TEST(RequestTarget, SplitsPathAndQueryAndDecodesThem) {
  const RequestTarget target =
      ParseTarget("/apis/octet.dev/v1/boards?labelSelector=a%3Db,c&limit=500&x=1+2&x=3").value();
  EXPECT_THAT(target.path, ElementsAre("apis", "octet.dev", "v1", "boards"));
  EXPECT_EQ(target.query.at("labelSelector"), "a=b,c");
  EXPECT_EQ(target.query.at("limit"), "500");
  EXPECT_EQ(target.query.at("x"), "3");
}

TEST(RequestTarget, AQueryMayHaveEmptyPartsAndNamesWithoutAValue) {
  const RequestTarget target = ParseTarget("/a?&=x&watch&b=&c=d=e&").value();
  EXPECT_EQ(target.query,
            (std::map<std::string, std::string>{{"b", ""}, {"c", "d=e"}, {"watch", ""}}));
}

TEST(RequestTarget, TheRootAndASlashAtTheEndAreNoSegments) {
  EXPECT_THAT(ParseTarget("/")->path, IsEmpty());
  EXPECT_THAT(ParseTarget("/apis/")->path, ElementsAre("apis"));
}

TEST(RequestTarget, APlusIsASpaceInTheQueryAlone) {
  const RequestTarget target = ParseTarget("/a+b?c=d+e").value();
  EXPECT_THAT(target.path, ElementsAre("a+b"));
  EXPECT_EQ(target.query.at("c"), "d e");
}

// RFC 3986, section 2.1: a percent sign is followed by two hexadecimal digits.
TEST(RequestTarget, BadEscapesAreRefused) {
  for (const char* target : {"/%", "/%4", "/%zz", "/a?b=%", "/a?b=%g1"}) {
    EXPECT_EQ(CodeOf(target), StatusCode::kInvalidArgument) << target;
  }
}

TEST(RequestTarget, NothingLeavesItsFolder) {
  for (const char* target : {"/..", "/a/../b", "/%2e%2e/b", "/a/./b", "/a//b", "//", "/a//", "//a",
                             "/a%2fb", "/a%00b", "/a%0ab", "a", "", "http://host/a"}) {
    EXPECT_EQ(CodeOf(target), StatusCode::kInvalidArgument) << target;
  }
}

}  // namespace
}  // namespace octet
