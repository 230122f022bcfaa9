// Answers of the API as Kubernetes words them: objects, lists and Status failures. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "coordinator/api/managed_fields.h"
#include "coordinator/api/request.h"
#include "shared/objects/fault.h"
#include "shared/objects/kinds.h"

namespace octet {

// What a failure is about: "trainingjobs.octet.dev \"digits\"". Without a kind: the request itself.
struct Subject {
  const KindInfo* info = nullptr;
  std::string name{};
};

// What was asked for, or the answer that refuses it.
template <typename T>
using OrRefusal = std::variant<T, ApiResponse>;

ApiResponse JsonResponse(int code, const Value& body);
ApiResponse TextResponse(int code, std::string text);

// A Status of the given reason, with its HTTP code: BadRequest 400, Forbidden 403, NotFound 404,
// MethodNotAllowed 405, AlreadyExists and Conflict 409, UnsupportedMediaType 415.
ApiResponse BadRequest(std::string message);
ApiResponse Forbidden(const Subject& subject, const std::string& why);
ApiResponse NotFoundResponse(const Subject& subject);
ApiResponse NoSuchPath();
ApiResponse MethodNotAllowed(const Subject& subject, const std::string& why);
ApiResponse AlreadyExistsResponse(const Subject& subject);
ApiResponse Conflict(const Subject& subject, const std::string& why);
ApiResponse UnsupportedMediaType(const std::string& given,
                                 const std::vector<std::string>& accepted);
// 410: changes or lists of that version are not known any more.
ApiResponse Expired(int64_t version);
// 504: the version is one that the store has not reached.
ApiResponse VersionTooLarge(int64_t asked, int64_t now);
// 406: no form that the API has is among those that the client accepts.
ApiResponse NotAcceptable();
// 403: nothing can be made in a namespace that goes.
ApiResponse NamespaceTerminating(const Subject& subject, const std::string& ns);
// 409 of a server-side apply, with a cause for every field.
ApiResponse FieldConflicts(const std::vector<FieldConflict>& conflicts);
// 400 with a cause for every fault.
ApiResponse BadFields(std::string message, const Faults& faults);
// 422 with a cause for every fault.
ApiResponse Invalid(const Subject& subject, const Faults& faults);
// An error of the store.
ApiResponse StoreError(const Subject& subject, const Status& status);
// An error of HTTP itself, which no handler has seen: too large, too slow, malformed.
ApiResponse TransportError(int code, const std::string& message);
// `bytes` as a chunk of a body that goes on; none: its end (RFC 9112, section 7.1).
std::string HttpChunk(const std::string& bytes);
// The Status of a deletion that is done.
ApiResponse Deleted(const Subject& subject, const std::string& uid, int code = 200);
// `response` with Warning headers (RFC 7234, section 5.5), which kubectl prints.
ApiResponse WithWarnings(ApiResponse response, const std::vector<std::string>& warnings);

}  // namespace octet
