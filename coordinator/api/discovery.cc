#include "coordinator/api/discovery.h"

#include "coordinator/api/served_resources.h"
#include "shared/objects/field_reader.h"

namespace octet {
namespace {

// The API machinery that this one behaves like; clients read it as a semantic version.
constexpr char kKubernetesVersion[] = "v1.34.0";

Value Typed(const char* api_version, const char* kind) {
  Value value = Value::MakeMap();
  value.Set("kind", kind);
  if (*api_version != '\0') value.Set("apiVersion", api_version);
  return value;
}

// "octet.dev" and "v1" of "octet.dev/v1"; of the core group "" and "v1".
std::pair<std::string, std::string> SplitVersion(const std::string& api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

Value GroupVersion(const std::string& api_version) {
  Value version = Value::MakeMap();
  version.Set("groupVersion", api_version);
  version.Set("version", SplitVersion(api_version).second);
  return version;
}

Value Group(const std::string& api_version, bool alone) {
  Value group = alone ? Typed("v1", "APIGroup") : Value::MakeMap();
  group.Set("name", SplitVersion(api_version).first);
  group.Set("versions", Value::MakeList({GroupVersion(api_version)}));
  group.Set("preferredVersion", GroupVersion(api_version));
  return group;
}

Value Resource(const ServedResource& served) {
  Value resource = Value::MakeMap();
  resource.Set("name", served.plural);
  resource.Set("singularName", served.singular);
  resource.Set("namespaced", served.namespaced);
  resource.Set("kind", served.kind);
  resource.Set("verbs", EncodeStrings(served.verbs));
  if (!served.short_name.empty()) resource.Set("shortNames", EncodeStrings({served.short_name}));
  if (!served.category.empty()) resource.Set("categories", EncodeStrings({served.category}));
  return resource;
}

Value SubresourceOf(const ServedResource& served, const Subresource& part) {
  Value resource = Value::MakeMap();
  resource.Set("name", served.plural + "/" + part.name);
  resource.Set("singularName", "");
  resource.Set("namespaced", served.namespaced);
  if (!part.kind.empty()) {
    resource.Set("group", part.group);
    resource.Set("version", part.version);
  }
  resource.Set("kind", part.kind.empty() ? served.kind : part.kind);
  resource.Set("verbs", EncodeStrings(part.verbs));
  return resource;
}

Value ResourceList(const std::string& api_version) {
  Value::List resources;
  for (const ServedResource& served : ServedResources()) {
    if (served.api_version() != api_version) continue;
    resources.push_back(Resource(served));
    for (const Subresource& part : served.subresources) {
      resources.push_back(SubresourceOf(served, part));
    }
  }
  Value list = Typed("v1", "APIResourceList");
  list.Set("groupVersion", api_version);
  list.Set("resources", Value::MakeList(std::move(resources)));
  return list;
}

Value ResponseKind(const std::string& group, const std::string& version, const std::string& kind) {
  Value value = Value::MakeMap();
  value.Set("group", group);
  value.Set("version", version);
  value.Set("kind", kind);
  return value;
}

Value AggregatedResource(const ServedResource& served) {
  const Value own_kind = ResponseKind(served.group, served.version, served.kind);
  Value resource = Value::MakeMap();
  resource.Set("resource", served.plural);
  resource.Set("responseKind", own_kind);
  resource.Set("scope", served.namespaced ? "Namespaced" : "Cluster");
  resource.Set("singularResource", served.singular);
  resource.Set("verbs", EncodeStrings(served.verbs));
  if (!served.short_name.empty()) resource.Set("shortNames", EncodeStrings({served.short_name}));
  if (!served.category.empty()) resource.Set("categories", EncodeStrings({served.category}));
  Value::List parts;
  for (const Subresource& part : served.subresources) {
    Value value = Value::MakeMap();
    value.Set("subresource", part.name);
    value.Set("responseKind",
              part.kind.empty() ? own_kind : ResponseKind(part.group, part.version, part.kind));
    value.Set("verbs", EncodeStrings(part.verbs));
    parts.push_back(std::move(value));
  }
  if (!parts.empty()) resource.Set("subresources", Value::MakeList(std::move(parts)));
  return resource;
}

Value AggregatedGroup(const std::string& api_version) {
  Value::List resources;
  for (const ServedResource& served : ServedResources()) {
    if (served.api_version() == api_version) resources.push_back(AggregatedResource(served));
  }
  Value version = Value::MakeMap();
  version.Set("version", SplitVersion(api_version).second);
  version.Set("resources", Value::MakeList(std::move(resources)));
  version.Set("freshness", "Current");
  Value metadata = Value::MakeMap();
  const std::string name = SplitVersion(api_version).first;
  if (!name.empty()) metadata.Set("name", name);
  Value group = Value::MakeMap();
  group.Set("metadata", std::move(metadata));
  group.Set("versions", Value::MakeList({std::move(version)}));
  return group;
}

Value Paths() {
  std::vector<std::string> paths = {"/api", "/api/v1", "/apis"};
  for (const std::string& api_version : ServedGroupVersions()) {
    const std::string group = SplitVersion(api_version).first;
    if (group.empty()) continue;
    paths.push_back("/apis/" + group);
    paths.push_back("/apis/" + api_version);
  }
  for (const char* path :
       {"/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}) {
    paths.push_back(path);
  }
  Value value = Value::MakeMap();
  value.Set("paths", EncodeStrings(paths));
  return value;
}

Value Version(const std::string& version) {
  Value value = Value::MakeMap();
  value.Set("major", "1");
  value.Set("minor", "34");
  value.Set("gitVersion", std::string(kKubernetesVersion) + "+octet-" + version);
  value.Set("platform", "linux");
  return value;
}

Value GroupList() {
  Value::List groups;
  for (const std::string& api_version : ServedGroupVersions()) {
    if (!SplitVersion(api_version).first.empty()) {
      groups.push_back(Group(api_version, /*alone=*/false));
    }
  }
  Value list = Typed("v1", "APIGroupList");
  list.Set("groups", Value::MakeList(std::move(groups)));
  return list;
}

Value CoreVersions() {
  Value versions = Typed("", "APIVersions");
  versions.Set("versions", EncodeStrings({"v1"}));
  return versions;
}

}  // namespace

std::optional<Value> FindDiscovery(const std::vector<std::string>& path,
                                   const std::string& version) {
  if (path.empty()) return Paths();
  if (path == std::vector<std::string>{"version"}) return Version(version);
  if (path == std::vector<std::string>{"api"}) return CoreVersions();
  if (path == std::vector<std::string>{"apis"}) return GroupList();
  const bool core = path[0] == "api";
  if (path.size() < 2 || path.size() > 3 || (!core && path[0] != "apis")) return std::nullopt;
  for (const std::string& api_version : ServedGroupVersions()) {
    const auto [group, version_word] = SplitVersion(api_version);
    if (core != group.empty()) continue;
    if (core && path.size() == 2 && path[1] == version_word) return ResourceList(api_version);
    if (core || path[1] != group) continue;
    if (path.size() == 2) return Group(api_version, /*alone=*/true);
    if (path[2] == version_word) return ResourceList(api_version);
  }
  return std::nullopt;
}

std::optional<Value> FindGroupDiscovery(const std::vector<std::string>& path) {
  const bool core = path == std::vector<std::string>{"api"};
  if (!core && path != std::vector<std::string>{"apis"}) return std::nullopt;
  Value::List groups;
  for (const std::string& api_version : ServedGroupVersions()) {
    if (core == SplitVersion(api_version).first.empty()) {
      groups.push_back(AggregatedGroup(api_version));
    }
  }
  Value list = Typed("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList");
  list.Set("metadata", Value::MakeMap());
  list.Set("items", Value::MakeList(std::move(groups)));
  return list;
}

}  // namespace octet
