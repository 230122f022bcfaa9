// OpenApi: the documents by which kubectl explains kinds and learns that the server checks fields:
// OpenAPI v3, one document a group and version, made once from the descriptions of the kinds, and a
// v2 of the smallest legal size, which kubectl fetches as protobuf. Immutable; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/api/request.h"

namespace octet {

class OpenApi {
 public:
  // `version` is Octet's own.
  explicit OpenApi(const std::string& version);

  // The document of /openapi/v2, /openapi/v3 or /openapi/v3/…; nothing for any other path.
  std::optional<ApiResponse> Find(const std::vector<std::string>& path) const;

 private:
  const std::string version_;
  std::string index_;                             // JSON.
  std::map<std::string, std::string> documents_;  // "apis/octet.dev/v1" to JSON.
};

}  // namespace octet
