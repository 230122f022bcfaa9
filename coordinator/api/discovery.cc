#include "coordinator/api/discovery.h"

#include "shared/objects/field_reader.h"
#include "shared/objects/kinds.h"

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

Value GroupVersion() {
  Value version = Value::MakeMap();
  version.Set("groupVersion", kApiVersion);
  version.Set("version", "v1");
  return version;
}

Value Group(bool alone) {
  Value group = alone ? Typed("v1", "APIGroup") : Value::MakeMap();
  group.Set("name", kApiGroup);
  group.Set("versions", Value::MakeList({GroupVersion()}));
  group.Set("preferredVersion", GroupVersion());
  return group;
}

Value Resource(const KindInfo& info, const std::string& subresource,
               const std::vector<std::string>& verbs) {
  Value resource = Value::MakeMap();
  resource.Set("name", info.plural + (subresource.empty() ? "" : "/" + subresource));
  resource.Set("singularName", subresource.empty() ? info.singular : "");
  resource.Set("namespaced", info.namespaced);
  resource.Set("kind", info.name);
  resource.Set("verbs", EncodeStrings(verbs));
  if (subresource.empty()) {
    resource.Set("shortNames", EncodeStrings({info.short_name}));
    resource.Set("categories", EncodeStrings({"octet"}));
  }
  return resource;
}

Value Resources() {
  Value::List resources;
  for (const KindInfo& info : AllKinds()) {
    std::vector<std::string> verbs = {"get", "list"};
    if (info.user_writable) verbs = {"create", "delete", "get", "list", "patch", "update"};
    if (info.kind == Kind::kBoard) verbs = {"get", "list", "patch", "update"};
    resources.push_back(Resource(info, "", verbs));
    resources.push_back(Resource(info, "status", {"get"}));
    if (info.kind == Kind::kTrainingJob) resources.push_back(Resource(info, "log", {"get"}));
    if (info.kind == Kind::kSlicePool) {
      Value scale = Resource(info, "scale", {"get", "patch", "update"});
      scale.Set("group", "autoscaling");
      scale.Set("version", "v1");
      scale.Set("kind", "Scale");
      resources.push_back(std::move(scale));
    }
  }
  Value list = Typed("v1", "APIResourceList");
  list.Set("groupVersion", kApiVersion);
  list.Set("resources", Value::MakeList(std::move(resources)));
  return list;
}

Value Paths() {
  Value paths = Value::MakeMap();
  paths.Set("paths", EncodeStrings({"/api", "/apis", std::string("/apis/") + kApiGroup,
                                    std::string("/apis/") + kApiVersion, "/healthz", "/livez",
                                    "/readyz", "/version"}));
  return paths;
}

Value Version(const std::string& version) {
  Value value = Value::MakeMap();
  value.Set("major", "1");
  value.Set("minor", "34");
  value.Set("gitVersion", std::string(kKubernetesVersion) + "+octet-" + version);
  value.Set("platform", "linux");
  return value;
}

}  // namespace

std::optional<Value> FindDiscovery(const std::vector<std::string>& path,
                                   const std::string& version) {
  if (path.empty()) return Paths();
  if (path == std::vector<std::string>{"version"}) return Version(version);
  if (path == std::vector<std::string>{"api"}) {
    // Nothing of the core group is served yet.
    Value versions = Typed("", "APIVersions");
    versions.Set("versions", Value::MakeList());
    return versions;
  }
  if (path == std::vector<std::string>{"apis"}) {
    Value list = Typed("v1", "APIGroupList");
    list.Set("groups", Value::MakeList({Group(/*alone=*/false)}));
    return list;
  }
  if (path == std::vector<std::string>{"apis", kApiGroup}) return Group(/*alone=*/true);
  if (path == std::vector<std::string>{"apis", kApiGroup, "v1"}) return Resources();
  return std::nullopt;
}

}  // namespace octet
