// What the API serves, as discovery tells it and as roles speak of it: the stored kinds and their
// views, and the questions (reviews) and samples (metrics) that Kubernetes' clients ask for and
// that are never stored. Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/objects/kinds.h"

namespace octet {

inline constexpr char kAuthenticationGroup[] = "authentication.k8s.io";
inline constexpr char kAuthorizationGroup[] = "authorization.k8s.io";
inline constexpr char kMetricsGroup[] = "metrics.k8s.io";

struct ServedResource {
  std::string group{};  // Empty: the core group.
  std::string version = "v1";
  std::string plural{};
  std::string singular{};
  std::string kind{};
  std::string short_name{};  // Empty: none.
  std::string category{};    // Empty: none.
  bool namespaced = false;
  std::vector<std::string> verbs{};  // Sorted.
  std::vector<Subresource> subresources{};

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};

// By group, the core group first and Octet's own next; within a group in the order of their
// description.
const std::vector<ServedResource>& ServedResources();

// "", "octet.dev/v1", …: each group and version once, in the order of ServedResources. A group has
// one version.
std::vector<std::string> ServedGroupVersions();

}  // namespace octet
