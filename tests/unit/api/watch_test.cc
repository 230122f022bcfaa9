// Watches as a client of Kubernetes sees them: from which version, which events, how they end.
#include "shared/base/limits.h"
#include "tests/unit/api/api_fixture.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WatchTest : public ApiTest {
 protected:
  // Starts `GET /jobs?watch=true&QUERY`.
  std::function<StreamPart()> Start(const std::string& query, const std::string& accept = "") {
    ApiRequest request = MakeRequest("GET", std::string(kJobs) + "?watch=true&" + query);
    if (!accept.empty()) request.headers["accept"] = accept;
    const ApiResponse response = handler_.Handle(request);
    EXPECT_EQ(response.code, 200) << response.body;
    EXPECT_TRUE(response.stream != nullptr);
    return response.stream;
  }

  // What has come since: each event as an object.
  std::vector<Value> Pull(const std::function<StreamPart()>& stream) {
    handler_.Refresh();
    std::vector<Value> events;
    ended_ = false;
    while (true) {
      const StreamPart part = stream();
      for (size_t begin = 0; begin < part.bytes.size();) {
        const size_t end = part.bytes.find('\n', begin);
        EXPECT_NE(end, std::string::npos) << "an event is one whole line";
        events.push_back(ReadJson(part.bytes.substr(begin, end - begin)).value());
        begin = end + 1;
      }
      ended_ = part.end;
      if (part.bytes.empty() || part.end) return events;
    }
  }

  // "ADDED digits" for each.
  std::vector<std::string> Words(const std::vector<Value>& events) {
    std::vector<std::string> words;
    for (const Value& event : events) {
      words.push_back(TextAt(event, "type") + " " + TextAt(event, "object.metadata.name"));
    }
    return words;
  }

  void Create(const std::string& name, const std::string& team = "vision") {
    Value job = ReadJson(kJobBody).value();
    job.Find("metadata")->Set("name", name);
    job.Find("metadata")->Find("labels")->Set("team", team);
    ASSERT_EQ(Send("POST", kJobs, WriteJson(job)).code, 201);
  }
  void Label(const std::string& name, const std::string& team) {
    ASSERT_EQ(MergePatch(std::string(kJobs) + "/" + name,
                         R"({"metadata": {"labels": {"team": ")" + team + R"("}}})")
                  .code,
              200);
  }
  void Delete(const std::string& name) {
    ASSERT_EQ(Send("DELETE", std::string(kJobs) + "/" + name).code, 200);
  }

  bool ended_ = false;
};

TEST_F(WatchTest, WithoutAVersionItBeginsWithWhatIsThere) {
  Create("one");
  for (const std::string query : {"", "resourceVersion=0", "resourceVersion="}) {
    const auto stream = Start(query);
    EXPECT_THAT(Words(Pull(stream)), ElementsAre("ADDED one")) << query;
  }
}

TEST_F(WatchTest, FromAVersionItGivesWhatCameAfter) {
  Create("one");
  const int64_t version = StoreVersion();
  Create("two");
  const auto stream = Start("resourceVersion=" + std::to_string(version));
  EXPECT_THAT(Words(Pull(stream)), ElementsAre("ADDED two"));
  Label("one", "audio");
  Delete("two");
  const std::vector<Value> events = Pull(stream);
  EXPECT_THAT(Words(events), ElementsAre("MODIFIED one", "DELETED two"));
  EXPECT_EQ(TextAt(events[1], "object.metadata.resourceVersion"), std::to_string(StoreVersion()));
  EXPECT_THAT(Pull(stream), IsEmpty());
}

// Whoever lists and watches from the list's version misses nothing and sees nothing twice, wherever
// it breaks off and goes on.
TEST_F(WatchTest, AResumedWatchLosesAndDoublesNothing) {
  Create("before");
  int64_t version = StoreVersion();
  std::vector<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "job-" + std::to_string(i);
    Create(name);
    if (i % 3 == 0) Delete(name);
    const auto stream = Start("resourceVersion=" + std::to_string(version));
    for (const Value& event : Pull(stream)) {
      seen.push_back(TextAt(event, "type") + " " + TextAt(event, "object.metadata.name"));
      version = std::stoll(TextAt(event, "object.metadata.resourceVersion"));
    }
  }
  std::vector<std::string> wanted;
  for (int i = 0; i < 20; ++i) {
    wanted.push_back("ADDED job-" + std::to_string(i));
    if (i % 3 == 0) wanted.push_back("DELETED job-" + std::to_string(i));
  }
  EXPECT_EQ(seen, wanted);
}

TEST_F(WatchTest, OtherKindsAndNamespacesAreNotItsConcern) {
  MakeNamespace("other");
  const auto stream = Start("");
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  ASSERT_EQ(Send("POST", "/apis/octet.dev/v1/namespaces/other/trainingjobs", kJobBody).code, 201);
  EXPECT_THAT(Pull(stream), IsEmpty());
}

// An object that begins to match is ADDED, one that ceases to is DELETED with the state known.
TEST_F(WatchTest, ASelectorMakesAppearAndVanish) {
  Create("job", "audio");
  const auto stream = Start("labelSelector=team%3Dvision");
  EXPECT_THAT(Pull(stream), IsEmpty());
  Label("job", "vision");
  EXPECT_THAT(Words(Pull(stream)), ElementsAre("ADDED job"));
  Label("job", "audio");
  const std::vector<Value> events = Pull(stream);
  EXPECT_THAT(Words(events), ElementsAre("DELETED job"));
  EXPECT_EQ(TextAt(events[0], "object.metadata.labels.team"), "vision");
  EXPECT_EQ(TextAt(events[0], "object.metadata.resourceVersion"), std::to_string(StoreVersion()));
  Delete("job");
  EXPECT_THAT(Pull(stream), IsEmpty());
}

TEST_F(WatchTest, OneObjectIsWatchedByItsName) {
  Create("one");
  Create("two");
  const auto stream = Start("fieldSelector=metadata.name%3Dtwo");
  EXPECT_THAT(Words(Pull(stream)), ElementsAre("ADDED two"));
}

TEST_F(WatchTest, InitialEventsEndWithAMarkedBookmark) {
  Create("one");
  const auto stream =
      Start("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  const std::vector<Value> events = Pull(stream);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(TextAt(events[1], "type"), "BOOKMARK");
  EXPECT_EQ(TextAt(events[1], "object.kind"), "TrainingJob");
  EXPECT_EQ(TextAt(events[1], "object.metadata.resourceVersion"), std::to_string(StoreVersion()));
  const Value* annotations = events[1].FindPath("object.metadata.annotations");
  ASSERT_NE(annotations, nullptr);
  EXPECT_EQ(annotations->Find("k8s.io/initial-events-end")->AsString(), "true");
}

TEST_F(WatchTest, InitialEventsWithoutTheirMatchAreInvalid) {
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?watch=true&sendInitialEvents=true")),
            "422 Invalid");
}

TEST_F(WatchTest, BookmarksComeWithTheMinuteAndBeforeTheEnd) {
  Create("one");
  const auto stream = Start("resourceVersion=" + std::to_string(StoreVersion()) +
                            "&allowWatchBookmarks=true&timeoutSeconds=90");
  ASSERT_EQ(Send("POST", kPools, kPoolBody).code, 201);
  EXPECT_THAT(Pull(stream), IsEmpty());
  clock_.Advance(60s);
  std::vector<Value> events = Pull(stream);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(TextAt(events[0], "type"), "BOOKMARK");
  EXPECT_EQ(TextAt(events[0], "object.metadata.resourceVersion"), std::to_string(StoreVersion()))
      << "changes of other kinds move it on, too";
  EXPECT_FALSE(ended_);
  clock_.Advance(30s);
  events = Pull(stream);
  EXPECT_EQ(events.size(), 1U);
  EXPECT_TRUE(ended_);
}

TEST_F(WatchTest, AVersionTooFarBackIsGone) {
  Create("one");
  const int64_t version = StoreVersion();
  const auto stream = Start("resourceVersion=" + std::to_string(version));
  for (size_t i = 0; i <= limits::kWatchHistoryMax; ++i) {
    Change(Kind::kTrainingJob, "one",
           [i](Object& job) { job.meta.labels["n"] = std::to_string(i); });
  }
  const std::vector<Value> events = Pull(stream);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(TextAt(events[0], "type"), "ERROR");
  EXPECT_EQ(TextAt(events[0], "object.code"), "410");
  EXPECT_EQ(TextAt(events[0], "object.reason"), "Expired");
  EXPECT_TRUE(ended_);
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) +
                                      "?watch=true&resourceVersion=" + std::to_string(version))),
            "410 Expired");
}

TEST_F(WatchTest, AVersionOfTheFutureIsWaitedFor) {
  const auto stream = Start("resourceVersion=" + std::to_string(StoreVersion() + 1));
  Create("one");
  EXPECT_THAT(Pull(stream), IsEmpty());
  Create("two");
  EXPECT_THAT(Words(Pull(stream)), ElementsAre("ADDED two"));
}

TEST_F(WatchTest, ATableWatchNamesItsColumnsOnce) {
  Create("one");
  const auto stream = Start("", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  Label("one", "audio");
  const std::vector<Value> events = Pull(stream);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(TextAt(events[0], "object.kind"), "Table");
  EXPECT_FALSE(events[0].FindPath("object.columnDefinitions")->AsList().empty());
  EXPECT_EQ(events[0].FindPath("object.rows")->AsList().size(), 1U);
  EXPECT_EQ(TextAt(events[1], "type"), "MODIFIED");
}

TEST_F(WatchTest, ManyEventsComeInBoundedParts) {
  for (int i = 0; i < 700; ++i) Create("job-" + std::to_string(i));
  const auto stream = Start("");
  handler_.Refresh();
  size_t parts = 0;
  size_t bytes = 0;
  for (StreamPart part = stream(); !part.bytes.empty(); part = stream()) {
    ++parts;
    bytes += part.bytes.size();
    EXPECT_LT(part.bytes.size(), limits::kWatchPartBytesMax + 10'000);
  }
  EXPECT_GT(parts, 1U);
  EXPECT_GT(bytes, limits::kWatchPartBytesMax);
}

TEST_F(WatchTest, NonsenseIsRefused) {
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?watch=1&resourceVersion=x")),
            "400 BadRequest");
  EXPECT_EQ(FailureOf(Send("GET", std::string(kJobs) + "?watch=1&labelSelector=%3D")),
            "400 BadRequest");
}

}  // namespace
}  // namespace octet
