// The Kubernetes-compatible REST API of the coordinator: one request in, one response out.
//
// It reads and writes objects in the Store and nothing else; it has no socket and no thread. Handle
// may be called from several threads at once, but for watches: requests with `watch` in their
// query, the streams that they are answered with and Refresh belong to one thread. Errors are
// Kubernetes Status objects with reason, code and, for an invalid object, every cause.
//
// Who may do what in this version: a peer on the loopback address may write, in the name of the
// Impersonate-User header; any other peer may only read. A request with an Origin header comes from
// a web page in somebody's browser, which is not that somebody: it may only read, too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/api/caller.h"
#include "coordinator/api/change_feed.h"
#include "coordinator/api/openapi.h"
#include "coordinator/api/request.h"
#include "coordinator/api/resource_path.h"
#include "coordinator/api/responses.h"
#include "coordinator/api/write_request.h"
#include "coordinator/store/job_logs.h"
#include "coordinator/store/store.h"
#include "shared/base/clock.h"

namespace octet {

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

// A request about objects: which, and who asks.
struct Call {
  const ApiRequest& request;
  ResourcePath path{};
  Caller caller{};
};

// An object as a write has left it.
struct Written {
  Object object{};
  std::vector<std::string> warnings{};  // For the client's user.
  bool created = false;
};

class ApiHandler {
 public:
  // `store` and `clock` outlive the handler.
  ApiHandler(Store& store, const Clock& clock, ApiOptions options);

  ApiResponse Handle(const ApiRequest& request);

  // Fetches what has changed in the store, for the watches under way.
  void Refresh() { feed_.Refresh(); }

 private:
  struct DeleteOptions;

  // What is answered without looking at objects: health, discovery, OpenAPI.
  std::optional<ApiResponse> AnswerAboutItself(const ApiRequest& request) const;
  ApiResponse HandleResource(const Call& call);
  ApiResponse HandleSubresource(const Call& call);
  ApiResponse HandleCollection(const Call& call);
  ApiResponse HandleObject(const Call& call) const;

  // api_lists.cc
  ApiResponse List(const Call& call) const;
  ApiResponse StartWatch(const Call& call);
  // Objects of the kind of `path` at its namespace, now or (if given) at `version`.
  Result<Snapshot> TakeSnapshot(const ResourcePath& path, std::optional<int64_t> version) const;
  // The object of `path` as it is stored or, of a view, as it is seen.
  Result<Object> GetShown(const ResourcePath& path) const;
  // The stored object of `path`; of a view: the one that it is seen in.
  Result<Object> GetLive(const ResourcePath& path) const;

  // api_logs.cc
  ApiResponse ReadLog(const Call& call) const;
  ApiResponse ReadPodLog(const Call& call) const;
  Result<JobLogPart> ReadLogPart(const std::string& job_uid, int64_t offset) const;

  // api_writes.cc
  ApiResponse HandleScale(const Call& call) const;
  ApiResponse Create(const Call& call) const;
  ApiResponse Replace(const Call& call) const;
  ApiResponse Patch(const Call& call) const;
  OrRefusal<Written> CreateObjectOf(const Call& call, const WriteRequest& write, Value document,
                                    std::optional<Value> managed) const;
  // Patches the object of `path` with the body, again and again while others change it meanwhile.
  OrRefusal<Written> PatchLive(const Call& call, const WriteRequest& write) const;
  // The same for a server-side apply, which also creates.
  OrRefusal<Written> Apply(const Call& call, const WriteRequest& write) const;
  OrRefusal<Written> ApplyOnce(const Call& call, const WriteRequest& write) const;
  // Writes what `document` says over `live` if `live` is still as it was read. `managed`: who owns
  // which fields afterwards; nothing: who writes owns what it changes.
  OrRefusal<Written> Update(const Call& call, const WriteRequest& write, const Object& live,
                            Value document, std::optional<Value> managed) const;
  OrRefusal<Written> UpdateNode(const Call& call, const WriteRequest& write, const Object& board,
                                const Value& document) const;
  // `document` as an object at `path`: checked, with defaults and the job's user.
  OrRefusal<Written> CheckWanted(const Call& call, const WriteRequest& write, Value document) const;
  // Rules over more than one object; nothing: they hold.
  std::optional<ApiResponse> CheckAlone(const Object& object) const;
  std::optional<ApiResponse> CheckNamespace(const Call& call, const std::string& name) const;

  // api_deletes.cc
  ApiResponse Delete(const Call& call) const;
  ApiResponse DeleteCollection(const Call& call) const;
  ApiResponse Evict(const Call& call) const;
  OrRefusal<DeleteOptions> ReadDeleteOptions(const Call& call) const;
  // Deletes the object of this key, or asks those who hold it to let go.
  ApiResponse DeleteOne(const Subject& subject, const ObjectKey& key,
                        const DeleteOptions& options) const;

  Store& store_;
  const Clock& clock_;
  ApiOptions options_;
  const OpenApi openapi_;
  ChangeFeed feed_;
};

}  // namespace octet
