// OpenAPI documents of the API, as far as kubectl reads them: `explain`, and where the server
// checks fields, so that kubectl need not. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/api/request.h"

namespace octet {

// The answer for /openapi/v3 (which documents there are), /openapi/v3/apis/octet.dev/v1 or
// /openapi/v2 (which kubectl asks for as a protobuf message; a nearly empty one makes it fall back
// to discovery); nothing for any other path.
std::optional<ApiResponse> FindOpenApi(const std::vector<std::string>& path,
                                       const std::string& version);

}  // namespace octet
