// Merge patches and selectors: the parts of the API that are functions on values.
#include <gtest/gtest.h>

#include "coordinator/api/merge_patch.h"
#include "coordinator/api/selector.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

Value Json(const std::string& text) { return ReadJson(text).value(); }

// The table of RFC 7386, appendix A: original, patch, result.
TEST(MergePatch, GivesWhatTheRfcsTableSays) {
  const std::string cases[][3] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& [original, patch, result] : cases) {
    EXPECT_EQ(WriteCanonicalJson(MergePatch(Json(original), Json(patch))),
              WriteCanonicalJson(Json(result)))
        << original << " with " << patch;
  }
}

Object Labelled(std::map<std::string, std::string> labels) {
  Object object{.kind = Kind::kTrainingJob, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  object.meta.name = "digits";
  object.meta.ns = "default";
  object.meta.labels = std::move(labels);
  object.spec.Set("user", "alice");
  object.status = Value::MakeMap();
  object.status.Set("phase", "Queued");
  return object;
}

Result<Selector> Parse(std::string_view labels, std::string_view fields = "") {
  return Selector::Parse(InfoOf(Kind::kTrainingJob), labels, fields);
}

// The semantics of Kubernetes' label selectors: an object without the key matches "!=" and "notin".
TEST(Selector, LabelsMatchAsInKubernetes) {
  const Object prod = Labelled({{"env", "prod"}, {"example.com/tier", "web"}});
  const Object bare = Labelled({});
  const std::tuple<const char*, bool, bool> cases[] = {
      {"", true, true},
      {"env=prod", true, false},
      {"env==prod", true, false},
      {"env=dev", false, false},
      {"env!=prod", false, true},
      {"env!=dev", true, true},
      {"env", true, false},
      {"!env", false, true},
      {"env in (dev, prod)", true, false},
      {"env in (dev)", false, false},
      {"env notin (prod)", false, true},
      {"env notin (dev)", true, true},
      {"env=prod,example.com/tier=web", true, false},
      {"env=prod,example.com/tier=db", false, false},
      {"env in (dev,prod), !other", true, false},
      {"env=", false, false},
  };
  for (const auto& [text, matches_prod, matches_bare] : cases) {
    const Result<Selector> selector = Parse(text);
    ASSERT_TRUE(selector.ok()) << text << ": " << selector.status().ToString();
    EXPECT_EQ(selector->Matches(prod), matches_prod) << text;
    EXPECT_EQ(selector->Matches(bare), matches_bare) << text;
  }
}

TEST(Selector, WhatCannotBeReadIsRefused) {
  for (const char* text : {"a b", "=b", "a in b", "a in (b", "a isin (b)", "a=b c", "a,,b", "!"}) {
    EXPECT_EQ(Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(Selector, FieldsAreThoseOfTheKind) {
  const Object job = Labelled({});
  EXPECT_TRUE(Parse("", "metadata.name=digits")->Matches(job));
  EXPECT_FALSE(Parse("", "metadata.name=other")->Matches(job));
  EXPECT_TRUE(Parse("", "status.phase!=Running,spec.user=alice")->Matches(job));
  EXPECT_EQ(Parse("", "spec.priority=1").status().message(),
            "field label not supported: spec.priority");
  EXPECT_EQ(Selector::Parse(InfoOf(Kind::kBoard), "", "status.phase=x").status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace octet
