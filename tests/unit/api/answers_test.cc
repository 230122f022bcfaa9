// How answers are worded, and which path means what.
#include "coordinator/api/resource_path.h"
#include "shared/base/limits.h"
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using AnswersTest = ApiTest;

// As the API server of Kubernetes words a Status of several causes.
TEST_F(AnswersTest, AnInvalidObjectIsNamedAndItsCausesAreListed) {
  const ApiResponse one = Send("POST", kPools, R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p"}, "spec": {"replicas": -1}})");
  const Value status = BodyOf(one);
  EXPECT_EQ(TextAt(status, "details.kind"), "SlicePool");
  EXPECT_EQ(TextAt(status, "details.group"), "octet.dev");
  EXPECT_EQ(TextAt(status, "details.name"), "p");
  EXPECT_THAT(TextAt(status, "message"),
              StartsWith("SlicePool.octet.dev \"p\" is invalid: spec.replicas: must be"));
  const Value* cause = &status.FindPath("details.causes")->AsList().at(0);
  EXPECT_EQ(TextAt(*cause, "reason"), "FieldValueInvalid");
  EXPECT_EQ(TextAt(*cause, "field"), "spec.replicas");
  EXPECT_THAT(TextAt(*cause, "message"), StartsWith("must be"));
  const ApiResponse two = Send("POST", kPools, R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p"},
    "spec": {"replicas": -1, "acceleratorType": "v9"}})");
  EXPECT_THAT(TextAt(BodyOf(two), "message"), HasSubstr("is invalid: [spec."));
  EXPECT_EQ(TextAt(BodyOf(two), "message").back(), ']');
}

TEST_F(AnswersTest, ManyFaultsAreToldUpToALimit) {
  std::string labels;
  for (int i = 0; i < 200; ++i)
    labels += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": \"a b\"";
  const ApiResponse refused = Send("POST", kPools,
                                   R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p", "labels": {)" +
                                       labels + R"(}}, "spec": {"replicas": 1}})");
  EXPECT_EQ(FailureOf(refused), "422 Invalid");
  EXPECT_EQ(CausesOf(refused).size(), limits::kFaultsMax);
}

// `octet apply` sends the manifest again, in which nobody states a user.
TEST_F(AnswersTest, AReplacementNeedNotRepeatThePayer) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  const std::string target = std::string(kJobs) + "/digits";
  Value manifest = ReadJson(kJobBody).value();
  manifest.Find("spec")->Set("priority", 9);
  manifest.Find("metadata")
      ->Set("resourceVersion", TextAt(BodyOf(Send("GET", target)), "metadata.resourceVersion"));
  const ApiResponse replaced = Send("PUT", target, WriteJson(manifest), "application/json");
  EXPECT_EQ(replaced.code, 200) << replaced.body;
  EXPECT_EQ(TextAt(BodyOf(replaced), "spec.user"), "alice");
  EXPECT_EQ(TextAt(BodyOf(replaced), "spec.priority"), "9");
}

TEST_F(AnswersTest, AQuotaNeedNotRepeatItsUserEither) {
  const std::string target = std::string(kQuotas) + "/alice";
  const char* of_bert = R"({"apiVersion": "octet.dev/v1", "kind": "UserQuota",
    "metadata": {"name": "alice"}, "spec": {"user": "bert", "weekly": "10h"}})";
  ASSERT_EQ(Send("POST", kQuotas, of_bert).code, 201);
  Value manifest = ReadJson(kQuotaBody).value();
  manifest.Find("metadata")->Set("resourceVersion", "1");
  const ApiResponse replaced = Send("PUT", target, WriteJson(manifest));
  EXPECT_EQ(replaced.code, 200) << replaced.body;
  EXPECT_EQ(TextAt(BodyOf(replaced), "spec.user"), "bert");
}

std::string Meaning(const std::string& target) {
  const std::optional<ResourcePath> path = ParseResourcePath(ParseTarget(target)->path);
  if (!path) return "none";
  return path->info->name + "|" + path->ns + "|" + path->name + "|" + path->subresource;
}

TEST(ResourcePath, MeansACollectionAnObjectOrAPartOfOne) {
  const std::string root = "/apis/octet.dev/v1";
  EXPECT_EQ(Meaning(root + "/boards"), "Board|||");
  EXPECT_EQ(Meaning(root + "/boards/b"), "Board||b|");
  EXPECT_EQ(Meaning(root + "/boards/b/status"), "Board||b|status");
  EXPECT_EQ(Meaning(root + "/slicepools/p/scale"), "SlicePool||p|scale");
  EXPECT_EQ(Meaning(root + "/trainingjobs"), "TrainingJob|||");
  EXPECT_EQ(Meaning(root + "/namespaces/a/trainingjobs"), "TrainingJob|a||");
  EXPECT_EQ(Meaning(root + "/namespaces/a/trainingjobs/j"), "TrainingJob|a|j|");
  EXPECT_EQ(Meaning(root + "/namespaces/a/trainingjobs/j/log"), "TrainingJob|a|j|log");
  // A name may be the word of something else.
  EXPECT_EQ(Meaning(root + "/boards/boards"), "Board||boards|");
  EXPECT_EQ(Meaning(root + "/namespaces/namespaces/sessions/log"), "Session|namespaces|log|");
}

TEST(ResourcePath, MeansNothingWhereKubernetesHasNothing) {
  const std::string root = "/apis/octet.dev/v1";
  for (const std::string& target :
       {root, root + "/namespaces", root + "/namespaces/a", root + "/trainingjobs/j",
        root + "/trainingjobs/j/log", root + "/namespaces/a/boards",
        root + "/namespaces/a/boards/b", root + "/namespaces/a/sessions/s/log",
        root + "/boards/b/scale", root + "/board", root + "/Boards", root + "/boards/b/status/x",
        root + "/tj", std::string("/apis/octet.dev/v1beta1/boards"),
        std::string("/api/v1/trainingjobs"), std::string("/boards")}) {
    EXPECT_EQ(Meaning(target), "none") << target;
  }
}

}  // namespace
}  // namespace octet
