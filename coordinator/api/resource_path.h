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
  std::string subresource{};  // "status", "scale", "log", …, or empty.
};

// ROOT is /apis/GROUP/VERSION, or /api/v1 of the core group:
// ROOT/namespaces/NS/PLURAL[/NAME[/SUBRESOURCE]] of a namespaced kind,
// ROOT/PLURAL[/NAME[/SUBRESOURCE]] of a cluster-scoped one, and ROOT/PLURAL for a namespaced kind
// in all namespaces. Nothing: there is no such path.
std::optional<ResourcePath> ParseResourcePath(const std::vector<std::string>& path);

}  // namespace octet
