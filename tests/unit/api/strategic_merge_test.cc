// Strategic merge patches, as Kubernetes documents their directives.
#include "coordinator/api/strategic_merge.h"

#include <gtest/gtest.h>

#include "shared/objects/json.h"

namespace octet {
namespace {

std::string Merged(const std::string& target, const std::string& patch) {
  const Result<Value> merged =
      StrategicMergePatch(ReadJson(target).value(), ReadJson(patch).value());
  return merged.ok() ? WriteCanonicalJson(*merged) : merged.status().message();
}

TEST(StrategicMerge, MapsAreMergedAndNullRemoves) {
  EXPECT_EQ(Merged(R"({"data":{"a":"1","b":"2"}})", R"({"data":{"a":null,"c":"3"}})"),
            R"({"data":{"b":"2","c":"3"}})");
}

TEST(StrategicMerge, AListWithoutAKeyIsReplaced) {
  EXPECT_EQ(Merged(R"({"rules":[1,2]})", R"({"rules":[3]})"), R"({"rules":[3]})");
}

TEST(StrategicMerge, ItemsOfAKeyedListAreMergedAddedAndDeleted) {
  EXPECT_EQ(Merged(R"({"secrets":[{"name":"a","x":1},{"name":"b"}]})",
                   R"({"secrets":[{"name":"a","y":2},{"name":"b","$patch":"delete"},{"name":"c"}],
                       "$setElementOrder/secrets":[{"name":"a"},{"name":"c"}]})"),
            R"({"secrets":[{"name":"a","x":1,"y":2},{"name":"c"}]})");
}

TEST(StrategicMerge, FinalizersAreASet) {
  EXPECT_EQ(Merged(R"({"metadata":{"finalizers":["a","b"]}})",
                   R"({"metadata":{"finalizers":["b","c"]}})"),
            R"({"metadata":{"finalizers":["a","b","c"]}})");
  EXPECT_EQ(Merged(R"({"metadata":{"finalizers":["a","b"]}})",
                   R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
}

TEST(StrategicMerge, AMapCanBeReplacedOrEmptied) {
  EXPECT_EQ(Merged(R"({"data":{"a":"1"}})", R"({"data":{"$patch":"replace","b":"2"}})"),
            R"({"data":{"b":"2"}})");
  EXPECT_EQ(Merged(R"({"data":{"a":"1"}})", R"({"data":{"$patch":"delete"}})"), R"({"data":{}})");
}

TEST(StrategicMerge, ADirectiveThatIsNoneIsRefused) {
  EXPECT_EQ(Merged("{}", R"({"$merge":1})"), "unknown directive $merge in the patch");
}

}  // namespace
}  // namespace octet
