#include "coordinator/api/api_call.h"

#include "coordinator/api/resource_path.h"

namespace octet {
namespace {

std::string VerbOf(const ApiRequest& request, bool of_collection) {
  if (request.method == "GET" && !of_collection) return "get";
  if (request.method == "GET") return IsTrueWord(request.Query("watch")) ? "watch" : "list";
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return "delete";
  return "other";
}

}  // namespace

ApiCall DescribeCall(const ApiRequest& request) {
  const std::optional<ResourcePath> path = ParseResourcePath(request.path);
  if (!path) return {.verb = VerbOf(request, /*of_collection=*/false), .resource = ""};
  std::string resource = path->info->plural;
  if (!path->subresource.empty()) resource += "/" + path->subresource;
  return {.verb = VerbOf(request, path->name.empty()), .resource = std::move(resource)};
}

}  // namespace octet
