// What can be read: objects, lists, logs, discovery, health; and by whom.
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using ReadTest = ApiTest;

std::vector<std::string> NamesIn(const Value& list) {
  std::vector<std::string> names;
  for (const Value& item : list.Find("items")->AsList()) {
    names.push_back(item.FindPath("metadata.name")->AsString());
  }
  return names;
}

TEST_F(ReadTest, AListHasTheShapeOfKubernetes) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  const ApiResponse response = Send("GET", kJobs);
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(response.headers.at("Content-Type"), "application/json");
  const Value list = BodyOf(response);
  EXPECT_EQ(TextAt(list, "kind"), "TrainingJobList");
  EXPECT_EQ(TextAt(list, "apiVersion"), "octet.dev/v1");
  EXPECT_EQ(TextAt(list, "metadata.resourceVersion"), std::to_string(StoreVersion()));
  EXPECT_THAT(NamesIn(list), ElementsAre("digits"));
}

TEST_F(ReadTest, ANamespaceHoldsItsOwnAndTheCollectionHoldsAll) {
  const std::string other = "/apis/octet.dev/v1/namespaces/team-a/trainingjobs";
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  MakeNamespace("team-a");
  ASSERT_EQ(Send("POST", other, kJobBody).code, 201);
  EXPECT_EQ(NamesIn(BodyOf(Send("GET", other))).size(), 1U);
  EXPECT_EQ(NamesIn(BodyOf(Send("GET", "/apis/octet.dev/v1/trainingjobs"))).size(), 2U);
  EXPECT_EQ(TextAt(BodyOf(Send("GET", other + "/digits")), "metadata.namespace"), "team-a");
}

TEST_F(ReadTest, SelectorsNarrowAList) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  const std::string jobs = kJobs;
  EXPECT_EQ(NamesIn(BodyOf(Send("GET", jobs + "?labelSelector=team%3Dvision"))).size(), 1U);
  EXPECT_EQ(NamesIn(BodyOf(Send("GET", jobs + "?labelSelector=team%3Daudio"))).size(), 0U);
  EXPECT_EQ(NamesIn(BodyOf(Send("GET", jobs + "?fieldSelector=metadata.name%3Dx"))).size(), 0U);
  EXPECT_EQ(FailureOf(Send("GET", jobs + "?labelSelector=%3D")), "400 BadRequest");
}

TEST_F(ReadTest, WhatIsNotThereIsNotFound) {
  const ApiResponse missing = Send("GET", std::string(kJobs) + "/none");
  EXPECT_EQ(FailureOf(missing), "404 NotFound");
  EXPECT_EQ(TextAt(BodyOf(missing), "message"), "trainingjobs.octet.dev \"none\" not found");
  EXPECT_EQ(TextAt(BodyOf(missing), "details.name"), "none");
  EXPECT_EQ(TextAt(BodyOf(missing), "details.kind"), "trainingjobs");
  for (const char* path :
       {"/nowhere", "/apis/octet.dev/v2/boards", "/apis/octet.dev/v1/tpus",
        "/apis/octet.dev/v1/trainingjobs/digits", "/apis/other.dev/v1/boards",
        "/apis/octet.dev/v1/namespaces/default/boards/b", "/apis/octet.dev/v1/boards/b/scale",
        "/apis/octet.dev/v1/boards/b/status/more"}) {
    EXPECT_EQ(FailureOf(Send("GET", path)), "404 NotFound") << path;
  }
}

TEST_F(ReadTest, ALogIsReadFromAnOffsetAndEndsWithTheJob) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  const std::string log = std::string(kJobs) + "/digits/log";
  EXPECT_EQ(Send("GET", log).body, "");
  JobLogs(files_, "/logs").Append(JobUid("uid-1"), {"epoch 1", "epoch 2"});
  const ApiResponse first = Send("GET", log);
  EXPECT_EQ(first.body, "epoch 1\nepoch 2\n");
  EXPECT_THAT(first.headers.at("Content-Type"), HasSubstr("text/plain"));
  EXPECT_EQ(first.headers.at("Octet-Log-Offset"), "0");
  EXPECT_EQ(first.headers.at("Octet-Log-End"), "false");
  SetJobPhase("digits", "Succeeded");
  const ApiResponse rest = Send("GET", log + "?offset=8");
  EXPECT_EQ(rest.body, "epoch 2\n");
  EXPECT_EQ(rest.headers.at("Octet-Log-Offset"), "8");
  EXPECT_EQ(rest.headers.at("Octet-Log-End"), "true");
}

TEST_F(ReadTest, ALogHasNoOtherVerbAndNoOtherOffset) {
  ASSERT_EQ(Send("POST", kJobs, kJobBody).code, 201);
  const std::string log = std::string(kJobs) + "/digits/log";
  EXPECT_EQ(FailureOf(Send("DELETE", log)), "405 MethodNotAllowed");
  for (const char* offset : {"-1", "x", "1x", "99999999999999999999"}) {
    EXPECT_EQ(FailureOf(Send("GET", log + "?offset=" + offset)), "400 BadRequest") << offset;
  }
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "/none/log")), "404 NotFound");
}

TEST_F(ReadTest, DiscoveryNamesEveryKindAsClientsOfKubernetesReadIt) {
  EXPECT_EQ(TextAt(BodyOf(Send("GET", "/api")), "kind"), "APIVersions");
  const Value groups = BodyOf(Send("GET", "/apis"));
  EXPECT_EQ(TextAt(groups, "kind"), "APIGroupList");
  EXPECT_EQ(TextAt(groups.Find("groups")->AsList().at(0), "preferredVersion.groupVersion"),
            "octet.dev/v1");
  EXPECT_EQ(TextAt(BodyOf(Send("GET", "/apis/octet.dev")), "kind"), "APIGroup");
  const Value resources = BodyOf(Send("GET", "/apis/octet.dev/v1"));
  EXPECT_EQ(TextAt(resources, "kind"), "APIResourceList");
  EXPECT_EQ(TextAt(resources, "groupVersion"), "octet.dev/v1");
  std::vector<std::string> names;
  for (const Value& resource : resources.Find("resources")->AsList()) {
    names.push_back(TextAt(resource, "name") + " " + TextAt(resource, "kind"));
  }
  EXPECT_THAT(names,
              testing::IsSupersetOf({"trainingjobs TrainingJob", "userquotas UserQuota",
                                     "slicepools SlicePool", "boards Board", "sessions Session",
                                     "slicepools/scale Scale", "trainingjobs/status TrainingJob"}));
}

constexpr char kAggregatedAccept[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

TEST_F(ReadTest, AggregatedDiscoveryIsOneDocumentWithItsOwnType) {
  ApiRequest request = MakeRequest("GET", "/apis");
  request.headers["accept"] = kAggregatedAccept;
  const ApiResponse response = handler_.Handle(request);
  EXPECT_EQ(response.headers.at("Content-Type"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  const Value document = BodyOf(response);
  EXPECT_EQ(TextAt(document, "kind"), "APIGroupDiscoveryList");
  const Value& version = document.Find("items")->AsList().at(0).Find("versions")->AsList().at(0);
  EXPECT_EQ(TextAt(version, "freshness"), "Current");
  const Value::List& resources = version.Find("resources")->AsList();
  ASSERT_EQ(resources.size(), AllKinds().size());
  EXPECT_EQ(TextAt(resources[0], "resource"), "trainingjobs");
  EXPECT_EQ(TextAt(resources[0], "responseKind.kind"), "TrainingJob");
  EXPECT_EQ(TextAt(resources[0], "scope"), "Namespaced");
  request.path = {"api"};
  const Value core = BodyOf(handler_.Handle(request));
  ASSERT_EQ(core.Find("items")->AsList().size(), 1U);
  EXPECT_EQ(TextAt(core.Find("items")->AsList()[0].Find("versions")->AsList().at(0), "version"),
            "v1");
}

// Without x-kubernetes-group-version-kind and a parameter fieldValidation on the patch, kubectl
// refuses to apply.
TEST_F(ReadTest, OpenApiHasWhatKubectlLooksFor) {
  const Value index = BodyOf(Send("GET", "/openapi/v3"));
  const Value* entry = index.Find("paths")->Find("apis/octet.dev/v1");
  ASSERT_NE(entry, nullptr);
  const std::string url = TextAt(*entry, "serverRelativeURL");
  EXPECT_THAT(url, testing::StartsWith("/openapi/v3/apis/octet.dev/v1?hash="));
  const Value document = BodyOf(Send("GET", url));
  const Value* path =
      document.Find("paths")->Find("/apis/octet.dev/v1/namespaces/{namespace}/trainingjobs/{name}");
  ASSERT_NE(path, nullptr);
  EXPECT_EQ(path->FindPath("patch.x-kubernetes-group-version-kind.kind")->AsString(),
            "TrainingJob");
  std::vector<std::string> parameters;
  for (const Value& parameter : path->FindPath("patch.parameters")->AsList()) {
    parameters.push_back(TextAt(parameter, "name"));
  }
  EXPECT_THAT(parameters, testing::Contains("fieldValidation"));
  const Value* schema = document.FindPath("components.schemas")->Find("dev.octet.v1.TrainingJob");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(TextAt(*schema, "properties.spec.properties.suspend.type"), "boolean");
  const ApiResponse swagger = Send("GET", "/openapi/v2");
  EXPECT_THAT(swagger.headers.at("Content-Type"), HasSubstr("protobuf"));
  EXPECT_EQ(swagger.body.substr(0, 5),
            "\x0a\x03"
            "2.0");
}

TEST_F(ReadTest, TheVersionIsASemanticOneWithOctetsInside) {
  EXPECT_THAT(TextAt(BodyOf(Send("GET", "/version")), "gitVersion"),
              testing::MatchesRegex("v1\\.[0-9]+\\.[0-9]+\\+octet-1\\.2\\.3"));
}

TEST_F(ReadTest, HealthIsOneWordAndReadinessSaysWhatIsMissing) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    EXPECT_EQ(Send("GET", path).code, 200) << path;
    EXPECT_EQ(Send("GET", path).body, "ok") << path;
  }
  ready_ = Unavailable("the store is being read");
  EXPECT_EQ(Send("GET", "/readyz").code, 503);
  EXPECT_THAT(Send("GET", "/readyz").body, HasSubstr("the store is being read"));
  EXPECT_EQ(Send("GET", "/livez").code, 200);
}

TEST_F(ReadTest, APeerOnAnotherMachineMayOnlyRead) {
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  ApiRequest request = MakeRequest("GET", kPools);
  request.peer_is_loopback = false;
  EXPECT_EQ(handler_.Handle(request).code, 200);
  const int64_t before = StoreVersion();
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    ApiRequest write = MakeRequest(method, std::string(kPools) + "/local", "{}");
    write.peer_is_loopback = false;
    EXPECT_EQ(FailureOf(handler_.Handle(write)), "403 Forbidden") << method;
  }
  EXPECT_EQ(StoreVersion(), before);
}

// A page of another site makes the browser send a POST to the loopback address, with its Origin.
TEST_F(ReadTest, AWebPageMayNotWrite) {
  ApiRequest request = MakeRequest("POST", kPools, kPoolBody);
  request.headers["origin"] = "http://evil.example";
  EXPECT_EQ(FailureOf(handler_.Handle(request)), "403 Forbidden");
  EXPECT_EQ(Send("GET", std::string(kPools) + "/local").code, 404);
}

}  // namespace
}  // namespace octet
