// ResourcePath: which objects a path of the API means. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/objects/kinds.h"

namespace octet {

struct ResourcePath {
  const KindInfo* info = nullptr;
  std::string ns{};           // Empty: of all namespaces, or the kind has none.
  std::string name{};         // Empty: the collection.
  std::string subresource{};  // "status", "scale", "log", or empty.
};

// /apis/octet.dev/v1/namespaces/NS/PLURAL[/NAME[/SUBRESOURCE]] of a namespaced kind,
// /apis/octet.dev/v1/PLURAL[/NAME[/SUBRESOURCE]] of a cluster-scoped one, and
// /apis/octet.dev/v1/PLURAL for a namespaced kind in all namespaces. Nothing: there is no such
// path.
std::optional<ResourcePath> ParseResourcePath(const std::vector<std::string>& path);

}  // namespace octet
