// The Kubernetes-shaped REST API of the coordinator: one request in, one response out.
//
// It reads and writes objects in the Store and nothing else; it has no socket and no thread. All
// calls, those of the streams that it answers with too, are from one thread. Errors are Kubernetes
// Status objects with reason, code and, for an invalid object, every cause.
//
// Who may do what in this version: a peer on the loopback address may write, in the name of the
// Impersonate-User header; any other peer may only read. A request with an Origin header comes from
// a web page in somebody's browser, which is not that somebody: it may only read, too.
#pragma once

#include <functional>
#include <string>

#include "coordinator/api/change_feed.h"
#include "coordinator/api/representation.h"
#include "coordinator/api/request.h"
#include "coordinator/api/resource_path.h"
#include "coordinator/api/responses.h"
#include "coordinator/store/job_logs.h"
#include "coordinator/store/store.h"
#include "shared/base/clock.h"

namespace octet {

inline constexpr char kJsonMediaType[] = "application/json";
inline constexpr char kYamlMediaType[] = "application/yaml";
inline constexpr char kMergeMediaType[] = "application/merge-patch+json";
inline constexpr char kJsonPatchMediaType[] = "application/json-patch+json";

// What a failure about the objects of `path` names.
inline Subject SubjectOf(const ResourcePath& path) {
  return {.info = path.info, .name = path.name};
}

struct ApiOptions {
  std::string version = "0.1.0";    // Of Octet, for /version.
  std::function<Status()> ready{};  // For /readyz; none: always ready.
  // The log of a job from a byte on, at most limits::kLogAnswerBytesMax; none: every log is empty.
  std::function<Result<JobLogPart>(const JobUid& job, int64_t offset)> read_log{};
  std::function<std::string()> new_uid{};  // None: random version 4 UUIDs of the system.
};

class ApiHandler {
 public:
  // `store` and `clock` outlive the handler.
  ApiHandler(Store& store, const Clock& clock, ApiOptions options);

  ApiResponse Handle(const ApiRequest& request);

  // Fetches what has changed in the store, for the watches under way.
  void Refresh() { feed_.Refresh(); }

 private:
  // What a write wants: the options that every write has, and the body.
  struct WriteRequest {
    bool dry_run = false;
    std::string media_type;  // One of those accepted.
    Value body;              // Null: there is none.
  };

  ApiResponse HandleResource(const ApiRequest& request, const ResourcePath& path);
  ApiResponse HandleCollection(const ApiRequest& request, const ResourcePath& path);
  ApiResponse HandleObject(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse HandleScale(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse List(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse StartWatch(const ApiRequest& request, const ResourcePath& path);
  ApiResponse Create(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse Replace(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse Patch(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse Delete(const ApiRequest& request, const ResourcePath& path) const;
  ApiResponse ReadLog(const ApiRequest& request, const ResourcePath& path) const;

  // Reads the body as the first of `accepted` if no type is given, else as the given one of them.
  OrRefusal<WriteRequest> ReadWrite(const ApiRequest& request,
                                    const std::vector<std::string>& accepted) const;
  // `document` as an object at `path`: checked, with defaults and the job's user.
  OrRefusal<Object> CheckWanted(const ApiRequest& request, const ResourcePath& path,
                                Value document) const;
  // Rules over more than one object.
  OrRefusal<Object> CheckAlone(Object object) const;
  // Writes what `document` says over `live` if `live` is still as it was read.
  OrRefusal<Object> Update(const ApiRequest& request, const ResourcePath& path, const Object& live,
                           Value document, bool dry_run) const;
  // Patches the object of `path` with the body, again and again while others change it meanwhile.
  OrRefusal<Object> PatchLive(const ApiRequest& request, const ResourcePath& path,
                              const WriteRequest& write) const;
  Result<Object> GetLive(const ResourcePath& path) const;

  Store& store_;
  const Clock& clock_;
  ApiOptions options_;
  ChangeFeed feed_;
};

}  // namespace octet
