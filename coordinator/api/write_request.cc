#include "coordinator/api/write_request.h"

#include <algorithm>

#include "coordinator/api/managed_fields.h"
#include "coordinator/api/protobuf_body.h"
#include "shared/objects/json.h"
#include "shared/objects/schema.h"
#include "shared/objects/yaml.h"

namespace octet {
namespace {

// "application/json" of "Application/JSON; charset=utf-8".
std::string MediaTypeOf(std::string_view header) {
  std::string type(header.substr(0, header.find(';')));
  while (type.ends_with(' ')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return type;
}

OrRefusal<Value> ReadJsonBody(const std::string& text) {
  Result<Value> body = ReadJson(text);
  if (!body.ok()) return BadRequest("the body is no JSON: " + body.status().message());
  return *std::move(body);
}

OrRefusal<Value> ReadYamlBody(const std::string& text) {
  YamlDocuments read = ReadYaml(text);
  if (!read.faults.empty()) {
    return BadRequest("the body is no YAML: " + FormatFaults("body", read.faults));
  }
  if (read.documents.size() != 1) return BadRequest("the body must be one YAML document");
  return std::move(read.documents.front());
}

OrRefusal<Value> ReadBody(const std::string& media_type, const std::string& text) {
  if (media_type == kYamlMediaType || media_type == kApplyMediaType) return ReadYamlBody(text);
  if (media_type != kProtobufMediaType) return ReadJsonBody(text);
  Result<Value> body = ReadProtobufBody(text);
  if (!body.ok()) return BadRequest(body.status().message());
  return *std::move(body);
}

// The options of the query; the body is read later.
OrRefusal<WriteRequest> ReadOptions(const ApiRequest& request) {
  WriteRequest write;
  const std::string& dry_run = request.Query("dryRun");
  if (!dry_run.empty() && dry_run != "All") {
    return BadRequest("dryRun must be All; got \"" + dry_run + "\"");
  }
  write.dry_run = !dry_run.empty();
  write.force = IsTrueWord(request.Query("force"));
  const std::string& validation = request.Query("fieldValidation");
  if (validation == "Warn") write.validation = FieldValidation::kWarn;
  if (validation == "Ignore") write.validation = FieldValidation::kIgnore;
  if (!validation.empty() && validation != "Strict" && validation != "Warn" &&
      validation != "Ignore") {
    return BadRequest("fieldValidation must be Strict, Warn or Ignore; got \"" + validation + "\"");
  }
  const std::string& manager = request.Query("fieldManager");
  write.manager_given = !manager.empty();
  write.manager = manager.empty() ? ManagerOfUserAgent(request.Header("user-agent")) : manager;
  if (const Status fit = CheckManagerName(write.manager); !fit.ok()) {
    return BadRequest(fit.message());
  }
  return write;
}

}  // namespace

OrRefusal<WriteRequest> ReadWriteRequest(const ApiRequest& request,
                                         const std::vector<std::string>& accepted) {
  auto read = ReadOptions(request);
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
  auto& write = std::get<WriteRequest>(read);
  write.media_type = accepted.front();
  if (request.body.empty()) {
    if (request.method == "DELETE") return std::move(write);
    return BadRequest("the request has no body");
  }
  // A missing type is JSON: a client in the field sends a scale like that.
  const std::string& given = request.Header("content-type");
  if (!given.empty()) {
    write.media_type = MediaTypeOf(given);
    const bool as_json =
        write.media_type == kProtobufMediaType && accepted.front() == kJsonMediaType;
    const bool is_accepted =
        std::find(accepted.begin(), accepted.end(), write.media_type) != accepted.end();
    // What a deletion says is JSON whatever it is called.
    if (request.method == "DELETE" && !as_json) write.media_type = kJsonMediaType;
    if (request.method != "DELETE" && !is_accepted && !as_json) {
      return UnsupportedMediaType(given, accepted);
    }
  }
  auto body = ReadBody(write.media_type, request.body);
  if (auto* refusal = std::get_if<ApiResponse>(&body)) return *std::move(refusal);
  write.body = std::get<Value>(std::move(body));
  if (write.media_type == kJsonPatchMediaType) return std::move(write);
  if (!write.body.is_map()) return BadRequest("the body must be an object");
  return std::move(write);
}

}  // namespace octet
