// The coordinator's REST API as calls on objects. One thread.
//
// A refusal of the server comes back as a Status: kNotFound, kAlreadyExists, kAborted (409
// Conflict), kInvalidArgument (400, 422: every cause on its own line), kPermissionDenied,
// kUnavailable (no server, or 5xx).
#pragma once

#include <string>

#include "cli/http_client.h"
#include "shared/base/ids.h"
#include "shared/objects/kinds.h"

namespace octet::cli {

struct LogPart {
  size_t offset =
      0;  // Of the first byte of `text`; above the one asked for if older lines are gone.
  std::string text;
  size_t next = 0;      // Where to read on: a log keeps more of a line than its text.
  bool more = false;    // There is something after `text` already.
  bool at_end = false;  // The job is over and nothing more will come.
};

class ApiClient {
 public:
  // `server` as "http://127.0.0.1:7443"; requests are made in the name of `user`.
  ApiClient(std::string server, UserName user);

  const std::string& server() const { return server_; }

  Result<Value> Get(Kind kind, const std::string& ns, const std::string& name);
  // All namespaces if `ns` is empty; `selector` may be empty.
  Result<Value> List(Kind kind, const std::string& ns, const std::string& selector);
  Result<Value> Create(Kind kind, const std::string& ns, const Value& object, bool dry_run);
  Result<Value> Replace(Kind kind, const std::string& ns, const std::string& name,
                        const Value& object, bool dry_run);
  Result<Value> Delete(Kind kind, const std::string& ns, const std::string& name);
  // A merge patch (RFC 7386).
  Result<Value> Patch(Kind kind, const std::string& ns, const std::string& name,
                      const Value& patch);
  // The job's log from a byte on.
  Result<LogPart> Log(const std::string& ns, const std::string& job, size_t offset);

 private:
  Result<HttpResponse> Send(const std::string& method, const std::string& path,
                            const std::string& body, const std::string& content_type);
  Result<Value> Call(const std::string& method, const std::string& path,
                     const std::string& body = "",
                     const std::string& content_type = "application/json");

  HttpClient http_;
  std::string server_;
  UserName user_;
};

}  // namespace octet::cli
