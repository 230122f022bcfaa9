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

// What may be done with a kind or one of its subresources.
struct Served {
  std::string subresource{};  // Empty: the kind itself.
  std::vector<std::string> verbs{};
};

std::vector<Served> ServedOf(const KindInfo& info) {
  std::vector<std::string> verbs = {"get", "list", "watch"};
  if (info.user_writable) {
    verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  }
  if (info.kind == Kind::kBoard) verbs = {"get", "list", "patch", "update", "watch"};
  std::vector<Served> served = {{"", std::move(verbs)}, {"status", {"get"}}};
  if (info.kind == Kind::kTrainingJob) served.push_back({"log", {"get"}});
  if (info.kind == Kind::kSlicePool) served.push_back({"scale", {"get", "patch", "update"}});
  return served;
}

Value Resource(const KindInfo& info, const Served& served) {
  Value resource = Value::MakeMap();
  const bool whole = served.subresource.empty();
  resource.Set("name", info.plural + (whole ? "" : "/" + served.subresource));
  resource.Set("singularName", whole ? info.singular : "");
  resource.Set("namespaced", info.namespaced);
  resource.Set("kind", info.name);
  resource.Set("verbs", EncodeStrings(served.verbs));
  if (whole) {
    resource.Set("shortNames", EncodeStrings({info.short_name}));
    resource.Set("categories", EncodeStrings({"octet"}));
  }
  if (served.subresource == "scale") {
    resource.Set("group", "autoscaling");
    resource.Set("version", "v1");
    resource.Set("kind", "Scale");
  }
  return resource;
}

Value Resources() {
  Value::List resources;
  for (const KindInfo& info : AllKinds()) {
    for (const Served& served : ServedOf(info)) resources.push_back(Resource(info, served));
  }
  Value list = Typed("v1", "APIResourceList");
  list.Set("groupVersion", kApiVersion);
  list.Set("resources", Value::MakeList(std::move(resources)));
  return list;
}

Value ResponseKind(const std::string& group, const std::string& kind) {
  Value value = Value::MakeMap();
  value.Set("group", group);
  value.Set("version", "v1");
  value.Set("kind", kind);
  return value;
}

Value AggregatedResource(const KindInfo& info) {
  Value resource = Value::MakeMap();
  resource.Set("resource", info.plural);
  resource.Set("responseKind", ResponseKind(kApiGroup, info.name));
  resource.Set("scope", info.namespaced ? "Namespaced" : "Cluster");
  resource.Set("singularResource", info.singular);
  resource.Set("shortNames", EncodeStrings({info.short_name}));
  resource.Set("categories", EncodeStrings({"octet"}));
  Value::List subresources;
  for (const Served& served : ServedOf(info)) {
    if (served.subresource.empty()) {
      resource.Set("verbs", EncodeStrings(served.verbs));
      continue;
    }
    Value subresource = Value::MakeMap();
    subresource.Set("subresource", served.subresource);
    subresource.Set("responseKind", served.subresource == "scale"
                                        ? ResponseKind("autoscaling", "Scale")
                                        : ResponseKind(kApiGroup, info.name));
    subresource.Set("verbs", EncodeStrings(served.verbs));
    subresources.push_back(std::move(subresource));
  }
  resource.Set("subresources", Value::MakeList(std::move(subresources)));
  return resource;
}

Value AggregatedGroup() {
  Value::List resources;
  for (const KindInfo& info : AllKinds()) resources.push_back(AggregatedResource(info));
  Value version = Value::MakeMap();
  version.Set("version", "v1");
  version.Set("freshness", "Current");
  version.Set("resources", Value::MakeList(std::move(resources)));
  Value metadata = Value::MakeMap();
  metadata.Set("name", kApiGroup);
  Value group = Value::MakeMap();
  group.Set("metadata", std::move(metadata));
  group.Set("versions", Value::MakeList({std::move(version)}));
  return group;
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

std::optional<Value> FindGroupDiscovery(const std::vector<std::string>& path) {
  const bool core = path == std::vector<std::string>{"api"};
  if (!core && path != std::vector<std::string>{"apis"}) return std::nullopt;
  Value list = Typed("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList");
  list.Set("metadata", Value::MakeMap());
  list.Set("items", core ? Value::MakeList() : Value::MakeList({AggregatedGroup()}));
  return list;
}

}  // namespace octet
