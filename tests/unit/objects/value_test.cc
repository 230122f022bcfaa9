#include <gtest/gtest.h>

#include <cmath>

#include "shared/objects/json.h"

namespace octet {
namespace {

Value MapOf(std::string_view key, Value value) {
  Value map = Value::MakeMap();
  map.Set(key, std::move(value));
  return map;
}

TEST(Value, MembersInAnotherOrderAreEqualAndOtherTypesAreNot) {
  Value a = MapOf("x", 1);
  a.Set("y", "2");
  Value b = MapOf("y", "2");
  b.Set("x", 1);
  EXPECT_EQ(a, b);
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value("1"), Value(1));
  EXPECT_NE(a, MapOf("x", 1));
}

TEST(Value, APathLeadsThroughMapsOnly) {
  const Value value = MapOf("a", MapOf("b", 3));
  ASSERT_NE(value.FindPath("a.b"), nullptr);
  EXPECT_EQ(value.FindPath("a.b")->AsInt(), 3);
  EXPECT_EQ(value.FindPath("a.b.c"), nullptr);
  EXPECT_EQ(value.FindPath("b"), nullptr);
}

TEST(Value, SettingReplacesAndErasingRemoves) {
  Value value;
  value.Set("a", 1);
  value.Set("a", 2);
  EXPECT_EQ(WriteJson(value), R"({"a":2})");
  value.Erase("a");
  EXPECT_EQ(WriteJson(value), "{}");
}

TEST(Json, ReadsWhatItWrites) {
  const std::string text = R"({"b":[1,-2,0.5,1e+300,true,false,null],"a":{"k":"\"\\\n\u0001ü"},)"
                           R"("n":9223372036854775807})";
  const Result<Value> value = ReadJson(text);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(WriteJson(*value), text);
}

TEST(Json, CanonicalTextOfEqualValuesIsEqual) {
  const Value a = ReadJson(R"({"x": 1, "y": {"b": -0.0, "a": []}})").value();
  const Value b = ReadJson(R"({"y": {"a": [], "b": 0.0}, "x": 1})").value();
  EXPECT_EQ(a, b);
  EXPECT_EQ(WriteCanonicalJson(a), WriteCanonicalJson(b));
  EXPECT_EQ(WriteCanonicalJson(a), R"({"x":1,"y":{"a":[],"b":0.0}})");
}

TEST(Json, AWholeFloatingPointNumberStaysOne) {
  EXPECT_EQ(WriteJson(Value(3.0)), "3.0");
  EXPECT_EQ(ReadJson("3.0").value().type(), Value::Type::kDouble);
  EXPECT_EQ(ReadJson("3").value().type(), Value::Type::kInt);
}

TEST(Json, RefusesWhatIsAmbiguousOrCannotBeHeld) {
  const auto fault = [](const std::string& text) { return ReadJson(text).status().message(); };
  EXPECT_EQ(fault(R"({"a":{"b":1,"b":2}})"), "a.b: the key \"b\" is given twice");
  EXPECT_EQ(fault("[1, 9223372036854775808]"),
            "[1]: the integer 9223372036854775808 is out of range");
  EXPECT_EQ(fault(R"({"a":99999999999999999999999})"),
            "a: the integer 99999999999999999999999 is out of range");
  for (const char* text : {"", "{", "[1,]", "1 2", "1e999", "{'a':1}", "nul", "\"\xff\"", "NaN"}) {
    EXPECT_FALSE(ReadJson(text).ok()) << text;
  }
}

TEST(Json, RefusesNestingBeyondTheLimit) {
  EXPECT_TRUE(ReadJson(std::string(64, '[') + std::string(64, ']')).ok());
  EXPECT_FALSE(ReadJson(std::string(65, '[') + std::string(65, ']')).ok());
  EXPECT_FALSE(ReadJson(std::string(1'000'000, '[')).ok());
}

TEST(Json, WritesJsonWhateverTheValueHolds) {
  EXPECT_EQ(WriteJson(Value(std::nan(""))), "null");
  EXPECT_EQ(WriteJson(Value("a\xff\xc3")), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(Json, PrettyTextIsIndentedByTwo) {
  EXPECT_EQ(WritePrettyJson(ReadJson(R"({"a":[1,{}],"b":[]})").value()),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

}  // namespace
}  // namespace octet
