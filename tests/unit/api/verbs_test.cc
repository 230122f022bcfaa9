// Every kind against every verb: what is served, what is refused, and that discovery says the same.
#include <set>

#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

class VerbsTest : public ApiTest {
 protected:
  // As the coordinator makes it; users cannot.
  void PutIntoStore(Object object) {
    object.meta.uid = "uid-of-" + object.meta.name;
    ASSERT_TRUE(store_->Commit({CreateObject{.object = std::move(object)}}).ok());
  }

  void MakeBoard() {
    Object board{.kind = Kind::kBoard, .meta = {}, .spec = Value::MakeMap(), .status = {}};
    board.meta.name = "local-0";
    board.spec.Set("pool", "local");
    board.spec.Set("ordinal", 0);
    board.spec.Set("unschedulable", false);
    PutIntoStore(std::move(board));
  }

  void MakePool() { ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201); }
};

struct Writable {
  std::string kind;
  std::string collection;
  std::string name;
  std::string body;
  std::string patch;    // Of the spec.
  std::string changed;  // The path that the patch changes,
  std::string value;    // and what it is then.
};

std::vector<Writable> WritableKinds() {
  return {{"TrainingJob", kJobs, "digits", kJobBody, R"({"spec": {"priority": 7}})",
           "spec.priority", "7"},
          {"UserQuota", kQuotas, "alice", kQuotaBody, R"({"spec": {"weekly": "5h"}})",
           "spec.weekly", "5h"},
          {"SlicePool", kPools, "local", kPoolBody, R"({"spec": {"replicas": 5}})", "spec.replicas",
           "5"}};
}

TEST_F(VerbsTest, EveryKindThatUsersWriteGoesThroughAllVerbs) {
  for (const Writable& kind : WritableKinds()) {
    SCOPED_TRACE(kind.kind);
    const std::string target = kind.collection + "/" + kind.name;
    EXPECT_EQ(FailureOf(Send("GET", target)), "404 NotFound");
    const ApiResponse created = Send("POST", kind.collection, kind.body, "application/json");
    EXPECT_EQ(created.code, 201);
    const ApiResponse read = Send("GET", target);
    EXPECT_EQ(read.code, 200);
    EXPECT_EQ(BodyOf(read), BodyOf(created));
    EXPECT_EQ(TextAt(BodyOf(read), "kind"), kind.kind);
    EXPECT_EQ(TextAt(BodyOf(read), "apiVersion"), "octet.dev/v1");
    const Value list = BodyOf(Send("GET", kind.collection));
    EXPECT_EQ(TextAt(list, "kind"), kind.kind + "List");
    ASSERT_EQ(list.Find("items")->AsList().size(), 1U);
    EXPECT_EQ(list.Find("items")->AsList()[0], BodyOf(read));

    const ApiResponse patched = MergePatch(target, kind.patch);
    EXPECT_EQ(patched.code, 200) << patched.body;
    EXPECT_EQ(TextAt(BodyOf(patched), kind.changed), kind.value);
    EXPECT_EQ(TextAt(BodyOf(patched), "metadata.generation"), "2");
    Value document = BodyOf(Send("GET", target));
    document.Find("metadata")->Set("labels", ReadJson(R"({"a": "b"})").value());
    EXPECT_EQ(Send("PUT", target, WriteJson(document), "application/json").code, 200);
    EXPECT_EQ(TextAt(BodyOf(Send("GET", target)), "metadata.labels.a"), "b");
    EXPECT_EQ(TextAt(BodyOf(Send("GET", target)), kind.changed), kind.value);

    EXPECT_EQ(Send("DELETE", target).code, 200);
    EXPECT_EQ(FailureOf(Send("GET", target)), "404 NotFound");
    EXPECT_THAT(BodyOf(Send("GET", kind.collection)).Find("items")->AsList(), IsEmpty());
  }
}

TEST_F(VerbsTest, WhatIsNotThereCanBeNeitherChangedNorDeleted) {
  for (const Writable& kind : WritableKinds()) {
    const std::string target = kind.collection + "/" + kind.name;
    EXPECT_EQ(FailureOf(Send("PUT", target, kind.body)), "404 NotFound") << kind.kind;
    EXPECT_EQ(FailureOf(MergePatch(target, kind.patch)), "404 NotFound") << kind.kind;
    EXPECT_EQ(FailureOf(Send("DELETE", target)), "404 NotFound") << kind.kind;
  }
  EXPECT_EQ(FailureOf(MergePatch(std::string(kPools) + "/none/scale", "{}")), "422 Invalid");
  EXPECT_EQ(
      FailureOf(MergePatch(std::string(kPools) + "/none/scale", R"({"spec": {"replicas": 1}})")),
      "404 NotFound");
}

struct VerbRequest {
  const char* verb;
  const char* method;
  bool of_collection;
};
constexpr VerbRequest kVerbs[] = {{"create", "POST", true},  {"list", "GET", true},
                                  {"get", "GET", false},     {"update", "PUT", false},
                                  {"patch", "PATCH", false}, {"delete", "DELETE", false}};

TEST_F(VerbsTest, DiscoveryNamesTheVerbsThatAreServedAndNoOthers) {
  const Value resources = BodyOf(Send("GET", "/apis/octet.dev/v1"));
  int refused = 0;
  for (const Value& resource : resources.Find("resources")->AsList()) {
    const std::string name = TextAt(resource, "name");
    const std::string plural = name.substr(0, name.find('/'));
    const std::string subresource = name.substr(plural.size());
    const bool namespaced = TextAt(resource, "namespaced") == "true";
    const std::string collection =
        "/apis/octet.dev/v1/" + std::string(namespaced ? "namespaces/default/" : "") + plural;
    std::set<std::string> verbs;
    for (const Value& verb : resource.Find("verbs")->AsList()) verbs.insert(verb.AsString());
    for (const auto& [verb, method, of_collection] : kVerbs) {
      if (of_collection && !subresource.empty()) continue;
      const std::string target = of_collection ? collection : collection + "/x" + subresource;
      const bool served = Send(method, target, "{}").code != 405;
      EXPECT_EQ(served, verbs.contains(verb)) << method << " " << target;
      refused += served ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 10);
}

// RFC 9110, section 15.5.6: a 405 comes with an Allow header that says what is served.
TEST_F(VerbsTest, ARefusedMethodComesWithThoseThatAreServed) {
  const std::string root = "/apis/octet.dev/v1";
  for (const std::string& target :
       {std::string(kJobs), root + "/trainingjobs", std::string(kJobs) + "/x",
        std::string(kJobs) + "/x/log", std::string(kJobs) + "/x/status", std::string(kBoards),
        std::string(kBoards) + "/x", root + "/namespaces/default/sessions",
        root + "/namespaces/default/sessions/x", std::string(kPools) + "/x/scale",
        std::string(kPools), std::string("/healthz"), std::string("/version")}) {
    SCOPED_TRACE(target);
    std::set<std::string> served;
    std::string allow;
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
      const ApiResponse response = Send(method, target, "{}");
      if (response.code != 405) {
        served.insert(method);
        continue;
      }
      EXPECT_EQ(FailureOf(response), "405 MethodNotAllowed");
      const auto header = response.headers.find("Allow");
      ASSERT_NE(header, response.headers.end());
      if (!allow.empty()) {
        EXPECT_EQ(header->second, allow);
      }
      allow = header->second;
    }
    if (served.contains("GET")) served.insert("HEAD");  // The server makes a GET of it.
    std::set<std::string> named;
    for (size_t begin = 0; begin <= allow.size();) {
      const size_t end = std::min(allow.find(", ", begin), allow.size());
      named.insert(allow.substr(begin, end - begin));
      begin = end + 2;
    }
    EXPECT_THAT(named, UnorderedElementsAreArray(served));
  }
}

TEST_F(VerbsTest, OfABoardAUserChangesWhetherItIsUsedAndNothingElse) {
  MakeBoard();
  const std::string board = std::string(kBoards) + "/local-0";
  EXPECT_EQ(MergePatch(board, R"({"spec": {"unschedulable": true}})").code, 200);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", board)), "spec.unschedulable"), "true");
  const ApiResponse moved = MergePatch(board, R"({"spec": {"ordinal": 1, "pool": "other"}})");
  EXPECT_EQ(FailureOf(moved), "422 Invalid");
  EXPECT_THAT(CausesOf(moved), ElementsAre(HasSubstr("spec.pool: cannot be changed"),
                                           HasSubstr("spec.ordinal: cannot be changed")));
  EXPECT_EQ(TextAt(BodyOf(Send("GET", board)), "spec.pool"), "local");
}

// A session is the record that a user is charged by.
TEST_F(VerbsTest, OfASessionAUserChangesNothing) {
  Object session{.kind = Kind::kSession, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  session.meta.name = "digits-1";
  session.meta.ns = "default";
  PutIntoStore(session);
  const std::string target = "/apis/octet.dev/v1/namespaces/default/sessions/digits-1";
  const int64_t before = StoreVersion();
  EXPECT_EQ(Send("GET", target).code, 200);
  EXPECT_EQ(FailureOf(MergePatch(target, R"({"metadata": {"labels": {"a": "b"}}})")),
            "405 MethodNotAllowed");
  EXPECT_EQ(FailureOf(Send("PUT", target, Send("GET", target).body)), "405 MethodNotAllowed");
  EXPECT_EQ(FailureOf(Send("DELETE", target)), "405 MethodNotAllowed");
  EXPECT_EQ(StoreVersion(), before);
}

TEST_F(VerbsTest, ADeletionHoldsToItsPreconditions) {
  MakePool();
  const std::string target = std::string(kPools) + "/local";
  const std::string version = TextAt(BodyOf(Send("GET", target)), "metadata.resourceVersion");
  ASSERT_EQ(MergePatch(target, R"({"spec": {"replicas": 5}})").code, 200);
  const auto remove = [&](const std::string& conditions) {
    return Send("DELETE", target, R"({"preconditions": {)" + conditions + "}}");
  };
  EXPECT_EQ(FailureOf(remove(R"("uid": "another")")), "409 Conflict");
  EXPECT_EQ(FailureOf(remove(R"("resourceVersion": ")" + version + "\"")), "409 Conflict");
  EXPECT_EQ(FailureOf(remove(R"("uid": 5)")), "400 BadRequest") << "not as if it were not there";
  const std::string now = TextAt(BodyOf(Send("GET", target)), "metadata.resourceVersion");
  EXPECT_EQ(remove(R"("uid": "uid-1", "resourceVersion": ")" + now + "\"").code, 200);
  EXPECT_EQ(Send("GET", target).code, 404);
}

TEST_F(VerbsTest, ADryRunOfADeletionSaysAllOrNothing) {
  MakePool();
  const std::string target = std::string(kPools) + "/local";
  for (const char* body : {R"({"dryRun": ["Some"]})", R"({"dryRun": "All"})", R"([])"}) {
    EXPECT_EQ(FailureOf(Send("DELETE", target, body)), "400 BadRequest") << body;
  }
  EXPECT_EQ(FailureOf(Send("DELETE", target + "?dryRun=true")), "400 BadRequest");
  EXPECT_EQ(Send("DELETE", target, R"({"dryRun": ["All"]})").code, 200);
  EXPECT_EQ(Send("GET", target).code, 200);
  EXPECT_EQ(Send("DELETE", target, R"({"dryRun": []})").code, 200) << "an empty list is none";
  EXPECT_EQ(Send("GET", target).code, 404);
}

TEST_F(VerbsTest, ABodyWithAKeyGivenTwiceIsRefusedAndNamed) {
  const ApiResponse refused = Send("POST", kPools, R"({"apiVersion": "octet.dev/v1",
    "kind": "SlicePool", "metadata": {"name": "p"}, "spec": {"replicas": 1, "replicas": 2}})");
  EXPECT_EQ(FailureOf(refused), "400 BadRequest");
  EXPECT_THAT(TextAt(BodyOf(refused), "message"), HasSubstr("spec.replicas"));
  EXPECT_EQ(StoreVersion(), 0);
}

// kubectl sends it with every write; all faults are found whatever it says.
TEST_F(VerbsTest, FieldValidationIsStrict) {
  EXPECT_EQ(
      Send("POST", std::string(kPools) + "?fieldValidation=Strict&fieldManager=kubectl", kPoolBody)
          .code,
      201);
}

TEST_F(VerbsTest, ANameIsTheSameHoweverItIsEncoded) {
  MakePool();
  EXPECT_EQ(Send("GET", std::string(kPools) + "/%6cocal").code, 200);
  EXPECT_EQ(Send("GET", std::string(kPools) + "/local/").code, 200);
  EXPECT_EQ(FailureOf(Send("GET", std::string(kPools) + "/%ff")), "404 NotFound");
  EXPECT_EQ(FailureOf(Send("GET", std::string(kPools) + "/LOCAL")), "404 NotFound");
}

TEST_F(VerbsTest, ANamespaceOrNameThatCannotBeIsAFaultOfTheObject) {
  const ApiResponse refused =
      Send("POST", "/apis/octet.dev/v1/namespaces/No_Such/trainingjobs", kJobBody);
  EXPECT_EQ(FailureOf(refused), "422 Invalid");
  EXPECT_THAT(CausesOf(refused), ElementsAre(HasSubstr("metadata.namespace: ")));
}

// A Scale says which pool it was read from by the version alone; an empty one is any.
TEST_F(VerbsTest, AScaleWithAnEmptyVersionAppliesToWhateverIsThere) {
  MakePool();
  EXPECT_EQ(Send("PUT", std::string(kPools) + "/local/scale",
                 R"({"kind": "Scale", "apiVersion": "autoscaling/v1",
                     "metadata": {"name": "local", "resourceVersion": ""},
                     "spec": {"replicas": 7}})")
                .code,
            200);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", std::string(kPools) + "/local")), "spec.replicas"), "7");
  EXPECT_EQ(FailureOf(Send("PUT", std::string(kPools) + "/local/scale",
                           R"({"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 8}})")),
            "409 Conflict");
}

}  // namespace
}  // namespace octet
