// Merge patches and selectors: the parts of the API that are functions on values.
#include <gtest/gtest.h>

#include "coordinator/api/api_call.h"
#include "coordinator/api/json_patch.h"
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

// Of RFC 6902, appendix A, and what RFC 6901 says of pointers: document, patch, result ("":
// refused).
TEST(JsonPatch, GivesWhatTheRfcsExamplesSay) {
  const std::string cases[][3] = {
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"baz":"qux","foo":"bar"})"},
      {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
       R"({"foo":["bar","qux","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
      {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
       R"({"foo":["bar","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
       R"({"baz":"boo","foo":"bar"})"},
      {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
      {R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})"},
      {R"({"baz":"qux","foo":["a",2,"c"]})",
       R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
       R"({"baz":"qux","foo":["a",2,"c"]})"},
      {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])", ""},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
       R"({"foo":"bar","child":{"grandchild":{}}})"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])", ""},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})"},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])", ""},
      {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc"]}])",
       R"({"foo":["bar",["abc"]]})"},
      {R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1,"b":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])", ""},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":1}])", ""},
      {R"({"a":[1]})", R"([{"op":"remove","path":"/a/01"}])", ""},
      {R"({"a":[1]})", R"([{"op":"remove","path":"/a/-"}])", ""},
      {R"({"a":1})", R"([{"op":"remove","path":"a"}])", ""},
      {R"({"a":1})", R"([{"op":"remove","path":"/~2"}])", ""},
      {R"({"a":1})", R"([{"op":"steal","path":"/a"}])", ""},
      {R"({"a":1})", R"([{"op":"add","path":"/b"}])", ""},
      {R"({"a":1})", R"({"op":"remove","path":"/a"})", ""},
  };
  for (const auto& [document, patch, result] : cases) {
    const Result<Value> patched = JsonPatch(Json(document), Json(patch));
    ASSERT_EQ(patched.ok(), !result.empty()) << document << " with " << patch;
    if (result.empty()) continue;
    EXPECT_EQ(WriteCanonicalJson(*patched), WriteCanonicalJson(Json(result))) << patch;
  }
}

TEST(JsonPatch, CopiesOfCopiesAreBounded) {
  Value patch = Value::MakeList();
  for (int i = 0; i < 40; ++i) {
    patch.AsList().push_back(
        Json(R"({"op":"copy","from":"","path":"/copy)" + std::to_string(i) + R"("})"));
  }
  EXPECT_EQ(JsonPatch(Json(R"({"a":1})"), patch).status().code(), StatusCode::kInvalidArgument);
}

TEST(ApiCall, IsDescribedInWordsFromABoundedSet) {
  const auto describe = [](const std::string& method, const std::string& target) {
    const RequestTarget parsed = ParseTarget(target).value();
    ApiRequest request;
    request.method = method;
    request.path = parsed.path;
    request.query = parsed.query;
    const ApiCall call = DescribeCall(request);
    return call.verb + " " + call.resource;
  };
  const std::string jobs = "/apis/octet.dev/v1/namespaces/n/trainingjobs";
  EXPECT_EQ(describe("GET", jobs), "list trainingjobs");
  EXPECT_EQ(describe("GET", jobs + "?watch=1"), "watch trainingjobs");
  EXPECT_EQ(describe("GET", jobs + "/x"), "get trainingjobs");
  EXPECT_EQ(describe("GET", jobs + "/x/log"), "get trainingjobs/log");
  EXPECT_EQ(describe("PATCH", "/apis/octet.dev/v1/slicepools/x/scale"), "patch slicepools/scale");
  EXPECT_EQ(describe("POST", jobs), "create trainingjobs");
  EXPECT_EQ(describe("FROBNICATE", "/some/where/else"), "other ");
  EXPECT_EQ(describe("GET", "/healthz"), "get ");
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
