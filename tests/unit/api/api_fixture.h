// An ApiHandler over a store in memory, and requests as a client would make them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/api/api_handler.h"
#include "shared/objects/json.h"

namespace octet {

inline constexpr char kJobs[] = "/apis/octet.dev/v1/namespaces/default/trainingjobs";
inline constexpr char kQuotas[] = "/apis/octet.dev/v1/userquotas";
inline constexpr char kPools[] = "/apis/octet.dev/v1/slicepools";
inline constexpr char kBoards[] = "/apis/octet.dev/v1/boards";

inline constexpr char kJobBody[] = R"({
  "apiVersion": "octet.dev/v1", "kind": "TrainingJob",
  "metadata": {"name": "digits", "labels": {"team": "vision"}},
  "spec": {
    "model": {"layers": [{"dense": {"units": 10, "activation": "softmax"}}]},
    "data": {"train": {"format": "csv", "files": ["/data/digits.csv"], "target": "digit"}},
    "training": {"batchSize": 64, "loss": "sparse_categorical_crossentropy"}
  }
})";
inline constexpr char kPoolBody[] = R"({
  "apiVersion": "octet.dev/v1", "kind": "SlicePool", "metadata": {"name": "local"},
  "spec": {"acceleratorType": "v3-32", "replicas": 2}
})";
inline constexpr char kQuotaBody[] = R"({
  "apiVersion": "octet.dev/v1", "kind": "UserQuota", "metadata": {"name": "alice"},
  "spec": {"weekly": "10h"}
})";

class ApiTest : public testing::Test {
 protected:
  ApiTest() : handler_(MakeHandler()) {}

  ApiHandler MakeHandler() {
    ApiOptions options;
    options.version = "1.2.3";
    options.new_uid = [this] { return "uid-" + std::to_string(++uids_); };
    options.ready = [this] { return ready_; };
    options.read_log = [this](const JobUid& job, int64_t offset) -> Result<JobLogPart> {
      return ReadJobLog(files_, "/logs", job, offset, 1000);
    };
    return ApiHandler(*store_, clock_, std::move(options));
  }

  // A request of alice on this machine.
  static ApiRequest MakeRequest(const std::string& method, const std::string& target,
                                const std::string& body = "") {
    const RequestTarget parsed = ParseTarget(target).value();
    return {.method = method,
            .path = parsed.path,
            .query = parsed.query,
            .headers = {{"impersonate-user", "alice"}},
            .body = body,
            .peer_is_loopback = true};
  }

  ApiResponse Send(const std::string& method, const std::string& target,
                   const std::string& body = "", const std::string& type = "") {
    ApiRequest request = MakeRequest(method, target, body);
    if (!type.empty()) request.headers["content-type"] = type;
    return handler_.Handle(request);
  }

  void MakeNamespace(const std::string& name) {
    const ApiResponse made =
        Send("POST", "/api/v1/namespaces", R"({"metadata": {"name": ")" + name + R"("}})");
    ASSERT_EQ(made.code, 201) << made.body;
  }

  ApiResponse MergePatch(const std::string& target, const std::string& body) {
    return Send("PATCH", target, body, "application/merge-patch+json");
  }

  static Value BodyOf(const ApiResponse& response) {
    const Result<Value> body = ReadJson(response.body);
    EXPECT_TRUE(body.ok()) << response.body;
    return body.ok() ? *body : Value::MakeMap();
  }

  static std::string TextAt(const Value& document, const std::string& path) {
    const Value* value = document.FindPath(path);
    if (value == nullptr) return "<absent>";
    return value->is_string() ? value->AsString() : WriteJson(*value);
  }

  // What a client reads of a failure: "404 NotFound".
  static std::string FailureOf(const ApiResponse& response) {
    const Value status = BodyOf(response);
    EXPECT_EQ(TextAt(status, "kind"), "Status") << response.body;
    EXPECT_EQ(TextAt(status, "apiVersion"), "v1");
    EXPECT_EQ(TextAt(status, "status"), "Failure");
    EXPECT_EQ(TextAt(status, "code"), std::to_string(response.code));
    return std::to_string(response.code) + " " + TextAt(status, "reason");
  }

  // "field: message" of each cause.
  static std::vector<std::string> CausesOf(const ApiResponse& response) {
    std::vector<std::string> lines;
    const Value status = BodyOf(response);
    const Value* causes = status.FindPath("details.causes");
    if (causes == nullptr) return lines;
    for (const Value& cause : causes->AsList()) {
      lines.push_back(TextAt(cause, "field") + ": " + TextAt(cause, "message"));
    }
    return lines;
  }

  int64_t StoreVersion() const { return store_->All()->resource_version; }

  // Changes a stored object as a controller does.
  void Change(Kind kind, const std::string& name, const std::function<void(Object&)>& edit) {
    const std::string ns = InfoOf(kind).namespaced ? "default" : "";
    Object object = store_->Get({.kind = kind, .ns = ns, .name = name}).value();
    edit(object);
    ASSERT_TRUE(store_->Commit({UpdateObject{.object = object}}).ok());
  }

  // As if the job had started once and were in `phase` now.
  void SetJobPhase(const std::string& name, const std::string& phase) {
    Change(Kind::kTrainingJob, name, [&](Object& job) {
      job.status = Value::MakeMap();
      job.status.Set("phase", phase);
      job.status.Set("attempts", 1);
    });
  }

  std::unique_ptr<Store> store_ = MakeMemoryStore();
  FakeClock clock_{ParseTime("2026-12-01T06:00:00.250Z").value()};
  MemoryFileSystem files_;
  Status ready_ = Ok();
  int uids_ = 0;
  ApiHandler handler_;
};

}  // namespace octet
