// Discovery: the documents by which a client learns what this API serves, in the form that every
// Kubernetes client reads (the aggregated form is not served yet). Pure.
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

}  // namespace octet
