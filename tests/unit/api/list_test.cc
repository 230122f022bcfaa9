// Lists in parts, as they were, and as Tables; and which form a client gets.
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using ::testing::ElementsAre;

class ListTest : public ApiTest {
 protected:
  void Create(const std::string& name) {
    Value job = ReadJson(kJobBody).value();
    job.Find("metadata")->Set("name", name);
    ASSERT_EQ(Send("POST", kJobs, WriteJson(job)).code, 201);
  }
  Value List(const std::string& query, const std::string& accept = "") {
    ApiRequest request = MakeRequest("GET", std::string(kJobs) + query);
    if (!accept.empty()) request.headers["accept"] = accept;
    const ApiResponse response = handler_.Handle(request);
    EXPECT_EQ(response.code, 200) << response.body;
    return BodyOf(response);
  }
  static std::vector<std::string> NamesIn(const Value& list) {
    std::vector<std::string> names;
    for (const Value& item : list.Find("items")->AsList()) {
      names.push_back(item.FindPath("metadata.name")->AsString());
    }
    return names;
  }
};

TEST_F(ListTest, PartsAddUpToTheListAsItWasAtTheFirst) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Create(name);
  const Value first = List("?limit=2");
  EXPECT_THAT(NamesIn(first), ElementsAre("a", "b"));
  EXPECT_EQ(TextAt(first, "metadata.remainingItemCount"), "3");
  const std::string version = TextAt(first, "metadata.resourceVersion");
  // What happens between the parts is not theirs.
  ASSERT_EQ(Send("DELETE", std::string(kJobs) + "/c").code, 200);
  Create("bb");
  const Value second = List("?limit=2&continue=" + TextAt(first, "metadata.continue"));
  EXPECT_THAT(NamesIn(second), ElementsAre("c", "d"));
  EXPECT_EQ(TextAt(second, "metadata.resourceVersion"), version);
  const Value third = List("?limit=2&continue=" + TextAt(second, "metadata.continue"));
  EXPECT_THAT(NamesIn(third), ElementsAre("e"));
  EXPECT_EQ(TextAt(third, "metadata.continue"), "<absent>");
}

TEST_F(ListTest, APartOfAForgottenListIsGone) {
  Create("a");
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?continue=99.default.a")), "410 Expired");
  for (const char* token : {"x", "1", "1.default", "-1.default.a"}) {
    EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?continue=" + token)), "400 BadRequest")
        << token;
  }
}

TEST_F(ListTest, AVersionMayBeAskedFor) {
  Create("a");
  const std::string then = std::to_string(StoreVersion());
  Create("b");
  EXPECT_THAT(NamesIn(List("?resourceVersion=" + then + "&resourceVersionMatch=Exact")),
              ElementsAre("a"));
  EXPECT_THAT(NamesIn(List("?resourceVersion=" + then + "&resourceVersionMatch=NotOlderThan")),
              ElementsAre("a", "b"));
  EXPECT_THAT(NamesIn(List("?resourceVersion=" + then)), ElementsAre("a", "b"));
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?resourceVersion=1000")), "504 Timeout");
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?resourceVersion=x")), "400 BadRequest");
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?resourceVersionMatch=Exact")),
            "400 BadRequest");
}

constexpr char kKubectlAccept[] =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

TEST_F(ListTest, KubectlGetsATable) {
  Create("a");
  SetJobPhase("a", "Running");
  clock_.Advance(std::chrono::minutes(90));
  const Value table = List("?limit=500", kKubectlAccept);
  EXPECT_EQ(TextAt(table, "kind"), "Table");
  EXPECT_EQ(TextAt(table, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(TextAt(table, "metadata.resourceVersion"), std::to_string(StoreVersion()));
  std::vector<std::string> columns;
  for (const Value& column : table.Find("columnDefinitions")->AsList()) {
    columns.push_back(TextAt(column, "name"));
  }
  ASSERT_EQ(columns.front(), "Name");
  const Value& row = table.Find("rows")->AsList().at(0);
  const Value::List& cells = row.Find("cells")->AsList();
  ASSERT_EQ(cells.size(), columns.size());
  EXPECT_EQ(cells.front().AsString(), "a");
  const auto age = std::find(columns.begin(), columns.end(), "Age") - columns.begin();
  EXPECT_EQ(cells.at(static_cast<size_t>(age)).AsString(), "1h 30m");
  EXPECT_EQ(TextAt(row, "object.kind"), "PartialObjectMetadata");
  EXPECT_EQ(TextAt(row, "object.metadata.labels.team"), "vision");
  EXPECT_EQ(TextAt(List("?includeObject=Object", kKubectlAccept).Find("rows")->AsList().at(0),
                   "object.kind"),
            "TrainingJob");
  EXPECT_EQ(
      TextAt(List("?includeObject=None", kKubectlAccept).Find("rows")->AsList().at(0), "object"),
      "<absent>");
}

TEST_F(ListTest, TheFirstFormThatIsServedCounts) {
  Create("a");
  const auto kind = [&](const std::string& accept) { return TextAt(List("", accept), "kind"); };
  EXPECT_EQ(kind("application/json"), "TrainingJobList");
  EXPECT_EQ(kind("*/*"), "TrainingJobList");
  EXPECT_EQ(kind("application/vnd.kubernetes.protobuf, application/json"), "TrainingJobList");
  EXPECT_EQ(kind("application/json;as=Table;v=v9;g=meta.k8s.io, application/json"),
            "TrainingJobList");
  EXPECT_EQ(kind("application/json, " + std::string(kKubectlAccept)), "TrainingJobList");
  ApiRequest request = MakeRequest("GET", kJobs);
  request.headers["accept"] = "text/html";
  EXPECT_EQ(FailureOf(handler_.Handle(request)), "406 NotAcceptable");
}

}  // namespace
}  // namespace octet
