#include "coordinator/api/resource_path.h"

#include <span>

namespace octet {
namespace {

const KindInfo* FindPlural(const std::string& group, const std::string& version,
                           const std::string& plural) {
  for (const KindInfo& info : ServedKinds()) {
    if (info.plural == plural && info.group == group && info.version == version) return &info;
  }
  return nullptr;
}

bool IsOneOfItsParts(const KindInfo& info, const std::string& word) {
  return info.FindSubresource(word) != nullptr;
}

}  // namespace

std::optional<ResourcePath> ParseResourcePath(const std::vector<std::string>& path) {
  const bool core = !path.empty() && path[0] == "api";
  const size_t root = core ? 2 : 3;
  if (path.size() <= root || (!core && path[0] != "apis")) return std::nullopt;
  const std::string group = core ? "" : path[1];
  const std::string& version = path[root - 1];
  if (!core && group.empty()) return std::nullopt;
  std::span<const std::string> rest = std::span(path).subspan(root);
  ResourcePath parsed;
  // "namespaces/NAME" and "namespaces/NAME/status" are a namespace itself, a third word else is a
  // kind in it.
  const bool itself =
      core && (rest.size() < 3 || IsOneOfItsParts(InfoOf(Kind::kNamespace), rest[2]));
  const bool with_namespace = rest.front() == "namespaces" && !itself;
  if (with_namespace) {
    if (rest.size() < 3) return std::nullopt;
    parsed.ns = rest[1];
    rest = rest.subspan(2);
  }
  parsed.info = FindPlural(group, version, rest.front());
  if (parsed.info == nullptr || rest.size() > 3) return std::nullopt;
  // A namespaced object is not found without its namespace, a cluster-scoped one not with any.
  if (with_namespace && !parsed.info->namespaced) return std::nullopt;
  if (!with_namespace && parsed.info->namespaced && rest.size() > 1) return std::nullopt;
  if (rest.size() > 1) parsed.name = rest[1];
  if (rest.size() > 2) {
    parsed.subresource = rest[2];
    if (!IsOneOfItsParts(*parsed.info, parsed.subresource)) return std::nullopt;
  }
  return parsed;
}

}  // namespace octet
