#include "coordinator/api/served_resources.h"

#include <algorithm>

namespace octet {
namespace {

ServedResource Review(const char* group, const char* kind, const char* plural) {
  std::string singular = plural;
  singular.pop_back();
  return {.group = group,
          .plural = plural,
          .singular = std::move(singular),
          .kind = kind,
          .verbs = {"create"}};
}

ServedResource Sample(const char* kind, const char* plural, bool namespaced) {
  return {.group = kMetricsGroup,
          .version = "v1beta1",
          .plural = plural,
          .singular = "",
          .kind = kind,
          .namespaced = namespaced,
          .verbs = {"get", "list"}};
}

ServedResource OfKind(const KindInfo& info) {
  return {.group = info.group,
          .version = info.version,
          .plural = info.plural,
          .singular = info.singular,
          .kind = info.name,
          .short_name = info.short_name,
          .category = info.group == kApiGroup ? "octet" : "",
          .namespaced = info.namespaced,
          .verbs = info.verbs,
          .subresources = info.subresources};
}

// The core group first, Octet's next, then by name.
int RankOf(const std::string& group) {
  if (group.empty()) return 0;
  return group == kApiGroup ? 1 : 2;
}

std::vector<ServedResource> MakeResources() {
  std::vector<ServedResource> all;
  for (const KindInfo& info : ServedKinds()) all.push_back(OfKind(info));
  all.push_back(Review(kAuthenticationGroup, "SelfSubjectReview", "selfsubjectreviews"));
  all.push_back(Review(kAuthenticationGroup, "TokenReview", "tokenreviews"));
  all.push_back(Review(kAuthorizationGroup, "SelfSubjectAccessReview", "selfsubjectaccessreviews"));
  all.push_back(Review(kAuthorizationGroup, "SelfSubjectRulesReview", "selfsubjectrulesreviews"));
  all.push_back(Sample("NodeMetrics", "nodes", /*namespaced=*/false));
  all.push_back(Sample("PodMetrics", "pods", /*namespaced=*/true));
  std::stable_sort(all.begin(), all.end(), [](const ServedResource& a, const ServedResource& b) {
    return std::pair(RankOf(a.group), a.group) < std::pair(RankOf(b.group), b.group);
  });
  return all;
}

}  // namespace

const std::vector<ServedResource>& ServedResources() {
  static const std::vector<ServedResource> resources = MakeResources();
  return resources;
}

std::vector<std::string> ServedGroupVersions() {
  std::vector<std::string> versions;
  for (const ServedResource& resource : ServedResources()) {
    if (versions.empty() || versions.back() != resource.api_version()) {
      versions.push_back(resource.api_version());
    }
  }
  return versions;
}

}  // namespace octet
