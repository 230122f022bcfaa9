#include "coordinator/api/resource_path.h"

#include <algorithm>
#include <span>

namespace octet {
namespace {

const KindInfo* FindPlural(const std::string& plural) {
  for (const KindInfo& info : AllKinds()) {
    if (info.plural == plural) return &info;
  }
  return nullptr;
}

bool HasSubresource(Kind kind, const std::string& name) {
  if (name == "status") return true;
  if (name == "scale") return kind == Kind::kSlicePool;
  return name == "log" && kind == Kind::kTrainingJob;
}

}  // namespace

std::optional<ResourcePath> ParseResourcePath(const std::vector<std::string>& path) {
  static const std::vector<std::string> kRoot = {"apis", kApiGroup, "v1"};
  if (path.size() <= kRoot.size() || !std::equal(kRoot.begin(), kRoot.end(), path.begin())) {
    return std::nullopt;
  }
  std::span<const std::string> rest = std::span(path).subspan(kRoot.size());
  ResourcePath parsed;
  const bool with_namespace = rest.front() == "namespaces";
  if (with_namespace) {
    if (rest.size() < 3) return std::nullopt;
    parsed.ns = rest[1];
    rest = rest.subspan(2);
  }
  parsed.info = FindPlural(rest.front());
  if (parsed.info == nullptr || rest.size() > 3) return std::nullopt;
  // A namespaced object is not found without its namespace, a cluster-scoped one not with any.
  if (with_namespace && !parsed.info->namespaced) return std::nullopt;
  if (!with_namespace && parsed.info->namespaced && rest.size() > 1) return std::nullopt;
  if (rest.size() > 1) parsed.name = rest[1];
  if (rest.size() > 2) {
    parsed.subresource = rest[2];
    if (!HasSubresource(parsed.info->kind, parsed.subresource)) return std::nullopt;
  }
  return parsed;
}

}  // namespace octet
