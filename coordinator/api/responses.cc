#include "coordinator/api/responses.h"

#include <cstdio>

#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// "trainingjobs.octet.dev", "configmaps".
std::string WithGroup(const std::string& word, const KindInfo& info) {
  return info.group.empty() ? word : word + "." + info.group;
}

std::string Named(const Subject& subject) {
  if (subject.info == nullptr) return "the request";
  std::string named = WithGroup(subject.info->plural, *subject.info);
  if (!subject.name.empty()) named += " \"" + subject.name + "\"";
  return named;
}

Value Details(const Subject& subject) {
  Value details = Value::MakeMap();
  if (!subject.name.empty()) details.Set("name", subject.name);
  if (subject.info != nullptr) {
    if (!subject.info->group.empty()) details.Set("group", subject.info->group);
    details.Set("kind", subject.info->plural);
  }
  return details;
}

Value StatusObject(const char* outcome) {
  Value status = Value::MakeMap();
  status.Set("kind", "Status");
  status.Set("apiVersion", "v1");
  status.Set("metadata", Value::MakeMap());
  status.Set("status", outcome);
  return status;
}

ApiResponse Failure(int code, const std::string& reason, std::string message, Value details) {
  Value status = StatusObject("Failure");
  status.Set("message", std::move(message));
  status.Set("reason", reason);
  if (!details.AsMap().empty()) status.Set("details", std::move(details));
  status.Set("code", code);
  return JsonResponse(code, status);
}

Value Cause(const std::string& reason, const std::string& message, const std::string& field) {
  Value cause = Value::MakeMap();
  cause.Set("reason", reason);
  cause.Set("message", message);
  cause.Set("field", field);
  return cause;
}

Value CausesOf(const Faults& faults) {
  Value::List causes;
  for (const Fault& fault : faults) {
    if (causes.size() == limits::kFaultsMax) break;
    // Kubernetes has no word for an unknown field.
    causes.push_back(Cause(fault.reason == kUnknownField ? "FieldValueInvalid" : fault.reason,
                           fault.message, fault.path));
  }
  return Value::MakeList(std::move(causes));
}

}  // namespace

ApiResponse JsonResponse(int code, const Value& body) {
  return {.code = code,
          .headers = {{"Content-Type", "application/json"}},
          .body = WriteJson(body) + "\n"};
}

ApiResponse TextResponse(int code, std::string text) {
  return {.code = code,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(text)};
}

ApiResponse BadRequest(std::string message) {
  return Failure(400, "BadRequest", std::move(message), Value::MakeMap());
}

ApiResponse Forbidden(const Subject& subject, const std::string& why) {
  return Failure(403, "Forbidden", Named(subject) + " is forbidden: " + why, Details(subject));
}

ApiResponse NotFoundResponse(const Subject& subject) {
  return Failure(404, "NotFound", Named(subject) + " not found", Details(subject));
}

ApiResponse NoSuchPath() {
  return Failure(404, "NotFound", "the server could not find the requested resource",
                 Value::MakeMap());
}

ApiResponse MethodNotAllowed(const Subject& subject, const std::string& why) {
  return Failure(405, "MethodNotAllowed", Named(subject) + ": " + why, Details(subject));
}

ApiResponse AlreadyExistsResponse(const Subject& subject) {
  return Failure(409, "AlreadyExists", Named(subject) + " already exists", Details(subject));
}

ApiResponse Conflict(const Subject& subject, const std::string& why) {
  return Failure(409, "Conflict", "Operation cannot be fulfilled on " + Named(subject) + ": " + why,
                 Details(subject));
}

ApiResponse UnsupportedMediaType(const std::string& given,
                                 const std::vector<std::string>& accepted) {
  std::string types;
  for (const std::string& type : accepted) types += (types.empty() ? "" : ", ") + type;
  return Failure(415, "UnsupportedMediaType",
                 "the body of the request was in an unknown format (" + given +
                     ") - accepted media types include: " + types,
                 Value::MakeMap());
}

ApiResponse Expired(int64_t version) {
  return Failure(410, "Expired",
                 "The resourceVersion " + std::to_string(version) +
                     " is too old, its changes are not known any more: list again",
                 Value::MakeMap());
}

ApiResponse VersionTooLarge(int64_t asked, int64_t now) {
  Value cause = Value::MakeMap();
  cause.Set("reason", "ResourceVersionTooLarge");
  cause.Set("message", "Too large resource version");
  Value details = Value::MakeMap();
  details.Set("causes", Value::MakeList({cause}));
  details.Set("retryAfterSeconds", 1);
  return Failure(
      504, "Timeout",
      "Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(now),
      std::move(details));
}

ApiResponse NotAcceptable() {
  return Failure(406, "NotAcceptable", "only application/json is served, also as=Table",
                 Value::MakeMap());
}

ApiResponse NamespaceTerminating(const Subject& subject, const std::string& ns) {
  Value details = Details(subject);
  details.Set("causes", Value::MakeList({Cause("NamespaceTerminating",
                                               "namespace " + ns + " is being terminated",
                                               "metadata.namespace")}));
  return Failure(403, "Forbidden",
                 Named(subject) + " is forbidden: unable to create new content in namespace " + ns +
                     " because it is being terminated",
                 std::move(details));
}

ApiResponse FieldConflicts(const std::vector<FieldConflict>& conflicts) {
  Value::List causes;
  for (const FieldConflict& conflict : conflicts) {
    causes.push_back(
        Cause("FieldManagerConflict", "conflict with " + conflict.manager, conflict.path));
  }
  Value details = Value::MakeMap();
  details.Set("causes", Value::MakeList(std::move(causes)));
  return Failure(409, "Conflict", ConflictMessage(conflicts), std::move(details));
}

ApiResponse BadFields(std::string message, const Faults& faults) {
  Value details = Value::MakeMap();
  details.Set("causes", CausesOf(faults));
  return Failure(400, "BadRequest", std::move(message), std::move(details));
}

ApiResponse Invalid(const Subject& subject, const Faults& faults) {
  Value causes = CausesOf(faults);
  std::string text;
  for (size_t i = 0; i < causes.AsList().size(); ++i) {
    const Fault& fault = faults[i];
    text += (text.empty() ? "" : ", ") + fault.path + ": " + fault.message;
  }
  if (faults.size() > 1) text = "[" + text + "]";
  Value details = Details(subject);
  std::string named = "the object";
  if (subject.info != nullptr) {
    details.Set("kind", subject.info->name);
    named = WithGroup(subject.info->name, *subject.info) + " \"" + subject.name + "\"";
  }
  details.Set("causes", std::move(causes));
  return Failure(422, "Invalid", named + " is invalid: " + text, std::move(details));
}

ApiResponse StoreError(const Subject& subject, const Status& status) {
  switch (status.code()) {
    case StatusCode::kNotFound:
      return NotFoundResponse(subject);
    case StatusCode::kAlreadyExists:
      return AlreadyExistsResponse(subject);
    case StatusCode::kAborted:
      return Conflict(subject,
                      "the object has been modified; please apply your changes to the latest "
                      "version and try again");
    case StatusCode::kResourceExhausted:
      return Failure(507, "InsufficientStorage",
                     "the coordinator's disk is full, nothing was changed: " + status.message(),
                     Details(subject));
    case StatusCode::kUnavailable:
      return Failure(503, "ServiceUnavailable", status.message(), Details(subject));
    default:
      return Failure(500, "InternalError", "Internal error occurred: " + status.ToString(),
                     Details(subject));
  }
}

ApiResponse TransportError(int code, const std::string& message) {
  const char* reason = "BadRequest";
  if (code == 408) reason = "Timeout";
  if (code == 413 || code == 431) reason = "RequestEntityTooLarge";
  if (code >= 500) reason = "InternalError";
  return Failure(code, reason, message, Value::MakeMap());
}

std::string HttpChunk(const std::string& bytes) {
  char size[32];
  std::snprintf(size, sizeof(size), "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

ApiResponse WithWarnings(ApiResponse response, const std::vector<std::string>& warnings) {
  std::string line;
  for (const std::string& warning : warnings) {
    line += line.empty() ? "299 - \"" : ", 299 - \"";
    for (const char letter : warning) {
      if (letter == '"' || letter == '\\') line += '\\';
      // A header is one line of plain text.
      line += letter >= 0 && letter < 0x20 ? ' ' : letter;
    }
    line += '"';
  }
  if (!line.empty()) response.headers["Warning"] = line;
  return response;
}

ApiResponse Deleted(const Subject& subject, const std::string& uid, int code) {
  Value status = StatusObject("Success");
  Value details = Details(subject);
  details.Set("uid", uid);
  status.Set("details", std::move(details));
  return JsonResponse(code, status);
}

}  // namespace octet
