// What can be written: creation, replacement, patches, scale, deletion.
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kDigits = std::string(kJobs) + "/digits";
const std::string kLocal = std::string(kPools) + "/local";

class WriteTest : public ApiTest {
 protected:
  void Create(const char* collection, const char* body) {
    const ApiResponse created = Send("POST", collection, body);
    ASSERT_EQ(created.code, 201) << created.body;
  }

  // The live object with `edit` made, sent back as PUT.
  ApiResponse Replace(const std::string& target, const std::function<void(Value&)>& edit) {
    Value document = BodyOf(Send("GET", target));
    edit(document);
    return Send("PUT", target, WriteJson(document), "application/json");
  }
};

TEST_F(WriteTest, ACreatedObjectHasItsIdentityDefaultsAndPayer) {
  Create(kJobs, kJobBody);
  const Value job = BodyOf(Send("GET", kDigits));
  EXPECT_EQ(TextAt(job, "metadata.uid"), "uid-1");
  EXPECT_EQ(TextAt(job, "metadata.namespace"), "default");
  EXPECT_EQ(TextAt(job, "metadata.generation"), "1");
  EXPECT_EQ(TextAt(job, "metadata.creationTimestamp"), "2026-12-01T06:00:00Z");
  EXPECT_EQ(TextAt(job, "metadata.resourceVersion"), std::to_string(StoreVersion()));
  EXPECT_EQ(TextAt(job, "spec.user"), "alice");
  EXPECT_EQ(TextAt(job, "spec.session.duration"), "3h");
  EXPECT_EQ(TextAt(job, "status"), "<absent>");
}

TEST_F(WriteTest, WhatTheServerOwnsIsNotTakenFromABody) {
  Create(kPools, R"({"apiVersion": "octet.dev/v1", "kind": "SlicePool",
    "metadata": {"name": "p", "uid": "mine", "resourceVersion": "77", "generation": 9,
                 "creationTimestamp": "2001-01-01T00:00:00Z",
                 "deletionTimestamp": "2001-01-01T00:00:00Z"},
    "spec": {"replicas": 1}, "status": {"readyBoards": 8}})");
  const Value pool = BodyOf(Send("GET", std::string(kPools) + "/p"));
  EXPECT_EQ(TextAt(pool, "metadata.uid"), "uid-1");
  EXPECT_EQ(TextAt(pool, "metadata.generation"), "1");
  EXPECT_EQ(TextAt(pool, "metadata.creationTimestamp"), "2026-12-01T06:00:00Z");
  EXPECT_EQ(TextAt(pool, "metadata.deletionTimestamp"), "<absent>");
  EXPECT_EQ(TextAt(pool, "status"), "<absent>");
}

// The coordinator holds objects by them: a client that could set one would hold what it owns.
TEST_F(WriteTest, AFinalizerOfTheCoordinatorIsNotForClientsToSet) {
  const ApiResponse refused = Send("POST", kPools, R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p", "finalizers": ["octet.dev/boards"],
    "deletionTimestamp": "2001-01-01T00:00:00Z"}, "spec": {"replicas": 1}})");
  EXPECT_EQ(FailureOf(refused), "422 Invalid");
  EXPECT_THAT(CausesOf(refused), ElementsAre(HasSubstr("set by the coordinator only")));
}

TEST_F(WriteTest, AnExistingNameIsAConflict) {
  Create(kJobs, kJobBody);
  const ApiResponse again = Send("POST", kJobs, kJobBody);
  EXPECT_EQ(FailureOf(again), "409 AlreadyExists");
  EXPECT_EQ(TextAt(BodyOf(again), "message"), "trainingjobs.octet.dev \"digits\" already exists");
}

TEST_F(WriteTest, AnInvalidObjectHasOneCauseForEachFault) {
  const ApiResponse refused = Send("POST", kPools, R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p"},
    "spec": {"acceleratorType": "v3-16", "replicas": -1}})");
  EXPECT_EQ(FailureOf(refused), "422 Invalid");
  EXPECT_THAT(TextAt(BodyOf(refused), "message"),
              HasSubstr("SlicePool.octet.dev \"p\" is invalid"));
  const std::vector<std::string> causes = CausesOf(refused);
  EXPECT_EQ(causes.size(), 2U);
  EXPECT_THAT(causes, Contains(HasSubstr("spec.acceleratorType: ")));
  EXPECT_THAT(causes, Contains(HasSubstr("spec.replicas: ")));
  EXPECT_EQ(StoreVersion(), 0);
}

TEST_F(WriteTest, BodiesThatAreNoObjectAreRefused) {
  for (const char* body : {"", "{", "[]", "null", "\"text\"", "{\"a\":1,\"a\":2}", "{} {}"}) {
    EXPECT_EQ(FailureOf(Send("POST", kPools, body)), "400 BadRequest") << body;
  }
  EXPECT_EQ(FailureOf(Send("POST", kPools, kPoolBody, "text/plain")), "415 UnsupportedMediaType");
  EXPECT_EQ(Send("POST", kPools, kPoolBody, "Application/JSON; charset=utf-8").code, 201);
}

TEST_F(WriteTest, ABodyOfAnotherPathIsRefused) {
  EXPECT_EQ(FailureOf(Send("POST", kQuotas, kPoolBody)), "400 BadRequest");
  EXPECT_EQ(FailureOf(Send("POST", "/apis/octet.dev/v1/namespaces/other/trainingjobs",
                           R"({"kind": "TrainingJob", "metadata": {"namespace": "default"}})")),
            "400 BadRequest");
  Create(kPools, kPoolBody);
  EXPECT_EQ(
      FailureOf(Replace(kLocal, [](Value& pool) { pool.Find("metadata")->Set("name", "other"); })),
      "400 BadRequest");
}

TEST_F(WriteTest, AJobIsPaidByWhoAsksForIt) {
  ApiRequest request = MakeRequest("POST", kJobs, kJobBody);
  request.headers.clear();
  const ApiResponse unnamed = handler_.Handle(request);
  EXPECT_EQ(FailureOf(unnamed), "422 Invalid");
  EXPECT_THAT(CausesOf(unnamed), ElementsAre(HasSubstr("spec.user: is required")));

  Value of_bert = ReadJson(kJobBody).value();
  of_bert.Find("spec")->Set("user", "bert");
  EXPECT_EQ(FailureOf(Send("POST", kJobs, WriteJson(of_bert))), "403 Forbidden");
  Create(kJobs, kJobBody);
  EXPECT_EQ(FailureOf(MergePatch(kDigits, R"({"spec": {"user": "bert"}})")), "422 Invalid");
}

TEST_F(WriteTest, AReplacementNeedsTheVersionThatWasRead) {
  Create(kPools, kPoolBody);
  const Value read = BodyOf(Send("GET", kLocal));
  EXPECT_EQ(Replace(kLocal, [](Value& pool) { pool.Find("spec")->Set("replicas", 3); }).code, 200);
  const ApiResponse stale = Send("PUT", kLocal, WriteJson(read));
  EXPECT_EQ(FailureOf(stale), "409 Conflict");
  EXPECT_THAT(TextAt(BodyOf(stale), "message"), HasSubstr("the object has been modified"));
  const ApiResponse blind =
      Replace(kLocal, [](Value& pool) { pool.Find("metadata")->Erase("resourceVersion"); });
  EXPECT_EQ(FailureOf(blind), "422 Invalid");
  EXPECT_THAT(CausesOf(blind), ElementsAre(HasSubstr("metadata.resourceVersion: ")));
  EXPECT_EQ(FailureOf(Send("PUT", std::string(kPools) + "/none", kPoolBody)), "404 NotFound");
}

TEST_F(WriteTest, AnotherObjectOfTheSameNameIsAConflict) {
  Create(kPools, kPoolBody);
  EXPECT_EQ(
      FailureOf(Replace(kLocal, [](Value& pool) { pool.Find("metadata")->Set("uid", "another"); })),
      "409 Conflict");
}

TEST_F(WriteTest, OnlyAChangeOfTheSpecRaisesTheGeneration) {
  Create(kPools, kPoolBody);
  const int64_t created = StoreVersion();
  EXPECT_EQ(MergePatch(kLocal, "{}").code, 200);
  EXPECT_EQ(StoreVersion(), created) << "nothing changed";
  const Value labelled = BodyOf(MergePatch(kLocal, R"({"metadata": {"labels": {"a": "b"}}})"));
  EXPECT_EQ(TextAt(labelled, "metadata.generation"), "1");
  EXPECT_EQ(TextAt(labelled, "metadata.labels.a"), "b");
  const Value scaled = BodyOf(MergePatch(kLocal, R"({"spec": {"replicas": 5}})"));
  EXPECT_EQ(TextAt(scaled, "metadata.generation"), "2");
  EXPECT_EQ(TextAt(scaled, "metadata.labels.a"), "b");
}

TEST_F(WriteTest, AWriteOfTheSpecLeavesTheStatusAlone) {
  Create(kPools, kPoolBody);
  Change(Kind::kSlicePool, "local", [](Object& pool) {
    pool.status = Value::MakeMap();
    pool.status.Set("boards", 8);
  });
  EXPECT_EQ(TextAt(BodyOf(MergePatch(kLocal, R"({"spec": {"replicas": 5}, "status": null})")),
                   "status.boards"),
            "8");
  EXPECT_EQ(FailureOf(Send("PUT", kLocal + "/status", kPoolBody)), "405 MethodNotAllowed");
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal + "/status")), "status.boards"), "8");
}

TEST_F(WriteTest, APatchHasItsOwnMediaType) {
  Create(kPools, kPoolBody);
  const ApiResponse strategic =
      Send("PATCH", kLocal, "{}", "application/strategic-merge-patch+json");
  EXPECT_EQ(FailureOf(strategic), "415 UnsupportedMediaType");
  EXPECT_THAT(TextAt(BodyOf(strategic), "message"), HasSubstr("application/merge-patch+json"));
}

TEST_F(WriteTest, AJsonPatchIsAppliedWhollyOrNot) {
  Create(kPools, kPoolBody);
  const auto patch = [&](const std::string& operations) {
    return Send("PATCH", kLocal, operations, "application/json-patch+json");
  };
  EXPECT_EQ(TextAt(BodyOf(patch(R"([{"op":"test","path":"/spec/replicas","value":2},
                                    {"op":"replace","path":"/spec/replicas","value":7}])")),
                   "spec.replicas"),
            "7");
  EXPECT_EQ(FailureOf(patch(R"([{"op":"replace","path":"/spec/replicas","value":9},
                                {"op":"test","path":"/spec/replicas","value":2}])")),
            "422 Invalid");
  EXPECT_EQ(FailureOf(patch(R"([{"op":"jump"}])")), "400 BadRequest");
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal)), "spec.replicas"), "7");
}

TEST_F(WriteTest, AnObjectMayBeSentAsYaml) {
  const ApiResponse created = Send("POST", kPools,
                                   "apiVersion: octet.dev/v1\nkind: SlicePool\n"
                                   "metadata: {name: y}\nspec: {replicas: 1}\n",
                                   "application/yaml");
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(FailureOf(Send("POST", kPools, "a: 1\na: 2\n", "application/yaml")), "400 BadRequest");
  EXPECT_EQ(FailureOf(Send("POST", kPools, "a: 1\n---\na: 2\n", "application/yaml")),
            "400 BadRequest");
}

// While a client patches without a version, controllers write the same object again and again.
TEST_F(WriteTest, APatchWithoutAVersionAppliesToWhateverIsThere) {
  Create(kPools, kPoolBody);
  const std::string version = TextAt(BodyOf(Send("GET", kLocal)), "metadata.resourceVersion");
  Change(Kind::kSlicePool, "local", [](Object& pool) {
    pool.status = Value::MakeMap();
    pool.status.Set("boards", 8);
  });
  EXPECT_EQ(MergePatch(kLocal, R"({"spec": {"replicas": 5}})").code, 200);
  EXPECT_EQ(FailureOf(MergePatch(kLocal, R"({"metadata": {"resourceVersion": ")" + version +
                                             R"("}, "spec": {"replicas": 6}})")),
            "409 Conflict");
}

TEST_F(WriteTest, AStartedJobIsFixedButForHowItRuns) {
  Create(kJobs, kJobBody);
  const char* epochs = R"({"spec": {"training": {"epochs": 7}}})";
  EXPECT_EQ(MergePatch(kDigits, epochs).code, 200) << "it has not started";
  SetJobPhase("digits", "Running");
  const ApiResponse refused = MergePatch(kDigits, R"({"spec": {"training": {"epochs": 8}}})");
  EXPECT_EQ(FailureOf(refused), "422 Invalid");
  EXPECT_THAT(CausesOf(refused), ElementsAre(HasSubstr("spec.training: cannot be changed")));
  EXPECT_EQ(MergePatch(kDigits, R"({"spec": {"suspend": true, "priority": 7}})").code, 200);
  SetJobPhase("digits", "Succeeded");
  EXPECT_EQ(FailureOf(MergePatch(kDigits, R"({"spec": {"suspend": false}})")), "422 Invalid");
  EXPECT_EQ(MergePatch(kDigits, R"({"metadata": {"labels": {"kept": "yes"}}})").code, 200);
}

TEST_F(WriteTest, APoolKeepsItsTypeAndAQuotaItsUser) {
  Create(kPools, kPoolBody);
  EXPECT_EQ(FailureOf(MergePatch(kLocal, R"({"spec": {"acceleratorType": "v3-8"}})")),
            "422 Invalid");
  Create(kQuotas, kQuotaBody);
  EXPECT_EQ(FailureOf(MergePatch(std::string(kQuotas) + "/alice", R"({"spec": {"user": "x"}})")),
            "422 Invalid");
  EXPECT_EQ(MergePatch(std::string(kQuotas) + "/alice", R"({"spec": {"weekly": "1h"}})").code, 200);
}

TEST_F(WriteTest, AUserHasOneQuota) {
  Create(kQuotas, kQuotaBody);
  const ApiResponse second = Send("POST", kQuotas, R"({"apiVersion": "octet.dev/v1",
    "kind": "UserQuota", "metadata": {"name": "more"}, "spec": {"user": "alice"}})");
  EXPECT_EQ(FailureOf(second), "422 Invalid");
  EXPECT_THAT(CausesOf(second), ElementsAre(HasSubstr("spec.user: has a quota already: alice")));
}

TEST_F(WriteTest, BoardsAndSessionsAreTheCoordinators) {
  EXPECT_EQ(FailureOf(Send("POST", kBoards, "{}")), "405 MethodNotAllowed");
  EXPECT_EQ(FailureOf(Send("DELETE", std::string(kBoards) + "/local-0")), "405 MethodNotAllowed");
  EXPECT_EQ(FailureOf(Send("POST", "/apis/octet.dev/v1/namespaces/default/sessions", "{}")),
            "405 MethodNotAllowed");
}

TEST_F(WriteTest, ADryRunSaysWhatWouldBeAndChangesNothing) {
  const std::string collection = std::string(kPools) + "?dryRun=All";
  EXPECT_EQ(Send("POST", collection, kPoolBody).code, 201);
  EXPECT_EQ(FailureOf(Send("POST", collection, "{}")), "422 Invalid");
  EXPECT_EQ(StoreVersion(), 0);
  EXPECT_EQ(FailureOf(Send("POST", std::string(kPools) + "?dryRun=Some", kPoolBody)),
            "400 BadRequest");
  Create(kPools, kPoolBody);
  const int64_t before = StoreVersion();
  EXPECT_EQ(FailureOf(Send("POST", collection, kPoolBody)), "409 AlreadyExists");
  EXPECT_EQ(TextAt(BodyOf(MergePatch(kLocal + "?dryRun=All", R"({"spec": {"replicas": 9}})")),
                   "spec.replicas"),
            "9");
  EXPECT_EQ(Send("DELETE", kLocal + "?dryRun=All").code, 200);
  EXPECT_EQ(Send("DELETE", kLocal, R"({"dryRun": ["All"]})").code, 200);
  EXPECT_EQ(StoreVersion(), before);
}

TEST_F(WriteTest, ADeletionIsAnsweredWithTheUid) {
  Create(kPools, kPoolBody);
  EXPECT_EQ(FailureOf(Send("DELETE", kLocal, R"({"preconditions": {"uid": "another"}})")),
            "409 Conflict");
  const Value done = BodyOf(Send("DELETE", kLocal, R"({"propagationPolicy": "Background"})"));
  EXPECT_EQ(TextAt(done, "status"), "Success");
  EXPECT_EQ(TextAt(done, "details.uid"), "uid-1");
  EXPECT_EQ(FailureOf(Send("DELETE", kLocal)), "404 NotFound");
}

TEST_F(WriteTest, AHeldObjectGoesWhenItsHolderLetsGo) {
  Create(kJobs, kJobBody);
  Change(Kind::kTrainingJob, "digits",
         [](Object& job) { job.meta.finalizers = {"octet.dev/boards"}; });
  const Value first = BodyOf(Send("DELETE", kDigits));
  EXPECT_EQ(TextAt(first, "kind"), "TrainingJob");
  EXPECT_EQ(TextAt(first, "metadata.deletionTimestamp"), "2026-12-01T06:00:00Z");
  clock_.Advance(std::chrono::seconds(5));
  const Value second = BodyOf(Send("DELETE", kDigits));
  EXPECT_EQ(TextAt(second, "metadata.deletionTimestamp"), "2026-12-01T06:00:00Z");
  EXPECT_EQ(MergePatch(kDigits, R"({"metadata": {"finalizers": null}})").code, 200);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kDigits)), "metadata.finalizers"), "[\"octet.dev/boards\"]")
      << "users do not let go for the coordinator";
}

TEST_F(WriteTest, AScaleIsReadAndWrittenAsAutoscalingDoes) {
  Create(kPools, kPoolBody);
  Change(Kind::kSlicePool, "local", [](Object& pool) {
    pool.status = Value::MakeMap();
    pool.status.Set("readyBoards", 4);  // One whole slice of v3-32.
  });
  const Value scale = BodyOf(Send("GET", kLocal + "/scale"));
  EXPECT_EQ(TextAt(scale, "kind"), "Scale");
  EXPECT_EQ(TextAt(scale, "apiVersion"), "autoscaling/v1");
  EXPECT_EQ(TextAt(scale, "metadata.name"), "local");
  EXPECT_EQ(TextAt(scale, "spec.replicas"), "2");
  EXPECT_EQ(TextAt(scale, "status.replicas"), "1");
  EXPECT_EQ(MergePatch(kLocal + "/scale", R"({"spec": {"replicas": 4}})").code, 200);
  // kubectl scale --current-replicas sends what it read, and no Content-Type.
  Value read = BodyOf(Send("GET", kLocal + "/scale"));
  read.Find("spec")->Set("replicas", 1);
  EXPECT_EQ(Send("PUT", kLocal + "/scale", WriteJson(read)).code, 200);
  EXPECT_EQ(FailureOf(Send("PUT", kLocal + "/scale", WriteJson(read))), "409 Conflict");
  EXPECT_EQ(TextAt(BodyOf(Send("GET", kLocal)), "spec.replicas"), "1");
  EXPECT_EQ(FailureOf(MergePatch(kLocal + "/scale", R"({"spec": {"replicas": "two"}})")),
            "422 Invalid");
  EXPECT_EQ(FailureOf(MergePatch(kLocal + "/scale", R"({"spec": {"replicas": -2}})")),
            "422 Invalid");
}

}  // namespace
}  // namespace octet
