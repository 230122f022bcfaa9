#include "cli/api_client.h"

#include <charconv>
#include <utility>

#include "shared/objects/json.h"

namespace octet::cli {
namespace {

std::string PathOf(Kind kind, const std::string& ns, const std::string& name) {
  const KindInfo& info = InfoOf(kind);
  std::string path = std::string("/apis/") + kApiVersion;
  if (info.namespaced && !ns.empty()) path += "/namespaces/" + PercentEncode(ns);
  path += "/" + info.plural;
  if (!name.empty()) path += "/" + PercentEncode(name);
  return path;
}

std::string TextOf(const Value* value) {
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

StatusCode CodeOf(int http, const std::string& reason) {
  if (reason == "NotFound" || http == 404) return StatusCode::kNotFound;
  if (reason == "AlreadyExists") return StatusCode::kAlreadyExists;
  if (http == 409) return StatusCode::kAborted;
  if (http == 401) return StatusCode::kUnauthenticated;
  if (http == 403) return StatusCode::kPermissionDenied;
  if (http == 405) return StatusCode::kUnimplemented;
  if (http == 507) return StatusCode::kResourceExhausted;
  if (http >= 500) return StatusCode::kUnavailable;
  return StatusCode::kInvalidArgument;
}

// A Kubernetes Status object as ours: its message, and each cause on a line of its own.
Status RefusalOf(const HttpResponse& response) {
  const Result<Value> body = ReadJson(response.body);
  if (!body.ok() || !body->is_map()) {
    return Status(CodeOf(response.code, ""),
                  "the server answered " + std::to_string(response.code) + ": " + response.body);
  }
  std::string message = TextOf(body->Find("message"));
  const Value* causes = body->FindPath("details.causes");
  if (causes != nullptr && causes->is_list() && causes->AsList().size() > 1) {
    message.clear();
    for (const Value& cause : causes->AsList()) {
      if (!message.empty()) message += '\n';
      message += TextOf(cause.Find("field")) + ": " + TextOf(cause.Find("message"));
    }
  }
  if (message.empty()) message = "the server answered " + std::to_string(response.code);
  return Status(CodeOf(response.code, TextOf(body->Find("reason"))), message);
}

}  // namespace

ApiClient::ApiClient(std::string server, UserName user)
    : server_(std::move(server)), user_(std::move(user)) {}

Result<HttpResponse> ApiClient::Send(const std::string& method, const std::string& path,
                                     const std::string& body, const std::string& content_type) {
  HttpRequest request{.method = method,
                      .url = server_ + path,
                      .headers = {"Accept: application/json", "Impersonate-User: " + user_.str()},
                      .body = body};
  if (!body.empty()) request.headers.push_back("Content-Type: " + content_type);
  OCTET_ASSIGN_OR_RETURN(HttpResponse response, http_.Send(request));
  if (response.code >= 400) return RefusalOf(response);
  return response;
}

Result<Value> ApiClient::Call(const std::string& method, const std::string& path,
                              const std::string& body, const std::string& content_type) {
  OCTET_ASSIGN_OR_RETURN(const HttpResponse response, Send(method, path, body, content_type));
  Result<Value> value = ReadJson(response.body);
  if (!value.ok()) return value.status().Annotate(server_ + path + " gave no JSON");
  return value;
}

Result<Value> ApiClient::Get(Kind kind, const std::string& ns, const std::string& name) {
  return Call("GET", PathOf(kind, ns, name));
}

Result<Value> ApiClient::List(Kind kind, const std::string& ns, const std::string& selector) {
  std::string path = PathOf(kind, ns, "");
  if (!selector.empty()) path += "?labelSelector=" + PercentEncode(selector);
  return Call("GET", path);
}

Result<Value> ApiClient::Create(Kind kind, const std::string& ns, const Value& object,
                                bool dry_run) {
  return Call("POST", PathOf(kind, ns, "") + (dry_run ? "?dryRun=All" : ""), WriteJson(object));
}

Result<Value> ApiClient::Replace(Kind kind, const std::string& ns, const std::string& name,
                                 const Value& object, bool dry_run) {
  return Call("PUT", PathOf(kind, ns, name) + (dry_run ? "?dryRun=All" : ""), WriteJson(object));
}

Result<Value> ApiClient::Delete(Kind kind, const std::string& ns, const std::string& name) {
  return Call("DELETE", PathOf(kind, ns, name));
}

Result<Value> ApiClient::Patch(Kind kind, const std::string& ns, const std::string& name,
                               const Value& patch) {
  return Call("PATCH", PathOf(kind, ns, name), WriteJson(patch), "application/merge-patch+json");
}

Result<LogPart> ApiClient::Log(const std::string& ns, const std::string& job, size_t offset) {
  const std::string path =
      PathOf(Kind::kTrainingJob, ns, job) + "/log?offset=" + std::to_string(offset);
  OCTET_ASSIGN_OR_RETURN(HttpResponse response, Send("GET", path, "", ""));
  const auto number = [&](const char* header, size_t fallback) {
    const auto found = response.headers.find(header);
    if (found == response.headers.end()) return fallback;
    const std::string& digits = found->second;
    std::from_chars(digits.data(), digits.data() + digits.size(), fallback);
    return fallback;
  };
  const auto is_true = [&](const char* header) {
    const auto found = response.headers.find(header);
    return found != response.headers.end() && found->second == "true";
  };
  const size_t start = number("octet-log-offset", offset);
  return LogPart{.offset = start,
                 .text = response.body,
                 .next = number("octet-log-next", start + response.body.size()),
                 .more = is_true("octet-log-more"),
                 .at_end = is_true("octet-log-end")};
}

}  // namespace octet::cli
