// Discovery: the documents by which a client learns what this API serves, in both forms that
// clients of Kubernetes read: one document a group and version, or all in one (aggregated). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/objects/value.h"

namespace octet {

// The document of /, /api, /apis, /apis/octet.dev, /apis/octet.dev/v1 or /version; nothing
// for any other path. `version` is Octet's own.
std::optional<Value> FindDiscovery(const std::vector<std::string>& path,
                                   const std::string& version);

// The aggregated document of /api (the core group, of which nothing is served yet) or /apis;
// nothing for any other path.
std::optional<Value> FindGroupDiscovery(const std::vector<std::string>& path);

}  // namespace octet
