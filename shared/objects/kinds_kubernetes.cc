// Kubernetes' own kinds, as far as kubectl, Helm and client libraries count on them. Their members
// are those of the Kubernetes API reference, v1.34; what the coordinator does not look into is kept
// as it comes.
#include "shared/base/base64.h"
#include "shared/objects/kind_tables.h"

namespace octet {
namespace {

constexpr char kRbacGroup[] = "rbac.authorization.k8s.io";

std::string LowerCase(std::string_view word) {
  std::string lower(word);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

Schema Field(const char* name, FieldType type, const char* doc) {
  return {.name = name, .type = type, .doc = doc};
}

Schema Text(const char* name, const char* doc) {
  Schema schema = Field(name, FieldType::kString, doc);
  schema.bytes_max = 64 * 1024;
  return schema;
}

Schema ListOfAny(const char* name, const char* doc) {
  Schema schema = Field(name, FieldType::kList, doc);
  schema.fields = {{.type = FieldType::kAny}};
  return schema;
}

Schema ListOfText(const char* name, const char* doc) {
  Schema schema = Field(name, FieldType::kList, doc);
  schema.fields = {{.type = FieldType::kString}};
  return schema;
}

Schema Body(const char* doc, std::vector<Schema> fields) {
  return {.type = FieldType::kMap, .doc = doc, .fields = std::move(fields)};
}

Column NameColumn() { return {.name = "NAME", .path = "metadata.name"}; }

Column AgeColumn() { return {.name = "AGE", .path = "metadata.creationTimestamp", .type = "date"}; }

// How many members or items `key` has.
Column CountColumn(const char* name, const char* key) {
  return {.name = name, .path = key, .type = "integer", .cell = [](const Value& value) {
            if (value.is_map()) return Value(static_cast<int64_t>(value.AsMap().size()));
            if (value.is_list()) return Value(static_cast<int64_t>(value.AsList().size()));
            return Value(0);
          }};
}

std::string TextOf(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

// "trainingjob/digits" of an involvedObject, "ClusterRole/admin" of a roleRef.
Column ReferenceColumn(const char* name, const char* key, bool lower) {
  return {.name = name, .path = key, .cell = [lower](const Value& value) {
            std::string kind = TextOf(value, "kind");
            if (lower) kind = LowerCase(kind);
            return Value(kind + "/" + TextOf(value, "name"));
          }};
}

KindInfo Core(Kind kind, const char* name, const char* plural, const char* short_name) {
  KindInfo info{.kind = kind, .name = name, .plural = plural};
  info.singular = LowerCase(info.name);
  info.short_name = short_name;
  info.group = "";
  info.namespaced = true;
  info.has_status = false;
  info.subresources.clear();
  return info;
}

KindInfo Namespace() {
  KindInfo info = Core(Kind::kNamespace, "Namespace", "namespaces", "ns");
  info.namespaced = false;
  info.has_status = true;
  info.verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  info.subresources = {{.name = "status", .verbs = {"get"}}};
  info.spec = Body("A place for objects with names of their own.",
                   {ListOfText("finalizers", "What must let go before the namespace is gone.")});
  info.columns = {NameColumn(), {.name = "STATUS", .path = "status.phase"}, AgeColumn()};
  info.selectable_fields = {"status.phase"};
  info.complete = [](Value& spec, const ObjectMeta&) {
    if (spec.is_map() && spec.Find("finalizers") == nullptr) {
      spec.Set("finalizers", Value::MakeList({Value("kubernetes")}));
    }
  };
  info.initial_status = Value::MakeMap();
  info.initial_status.Set("phase", "Active");
  return info;
}

// What is written as text is kept as bytes, as Kubernetes does.
void TakeStringData(Value& body) {
  const Value* texts = body.Find("stringData");
  if (texts == nullptr) return;
  if (texts->is_map()) {
    Value data = body.Find("data") == nullptr ? Value::MakeMap() : *body.Find("data");
    for (const Value::Member& text : texts->AsMap()) {
      if (data.is_map() && text.value.is_string()) {
        data.Set(text.key, Base64(text.value.AsString()));
      }
    }
    body.Set("data", std::move(data));
  }
  body.Erase("stringData");
}

void CheckBase64(const Value& body, const char* member, Faults& faults) {
  const Value* data = body.Find(member);
  if (data == nullptr || !data->is_map()) return;
  for (const Value::Member& entry : data->AsMap()) {
    if (!entry.value.is_string() || FromBase64(entry.value.AsString()).ok()) continue;
    faults.push_back({.path = std::string(member) + "." + entry.key,
                      .message = "must be base64",
                      .position = entry.value.position});
  }
}

KindInfo ConfigMap() {
  KindInfo info = Core(Kind::kConfigMap, "ConfigMap", "configmaps", "cm");
  info.without_spec = true;
  info.spec = Body("Settings for programs to read.",
                   {Field("data", FieldType::kStrings, "Texts by key."),
                    Field("binaryData", FieldType::kStrings, "Bytes by key, in base64."),
                    Field("immutable", FieldType::kBool, "The data cannot be changed any more.")});
  info.columns = {NameColumn(), CountColumn("DATA", "data"), AgeColumn()};
  info.rules = [](const Value& body, Faults& faults) { CheckBase64(body, "binaryData", faults); };
  return info;
}

KindInfo Secret() {
  KindInfo info = Core(Kind::kSecret, "Secret", "secrets", "");
  info.without_spec = true;
  info.spec = Body("Settings that not everybody may read.",
                   {Field("data", FieldType::kStrings, "Bytes by key, in base64."),
                    Field("stringData", FieldType::kStrings, "Texts by key; written only."),
                    Text("type", "What the data is for."),
                    Field("immutable", FieldType::kBool, "The data cannot be changed any more.")});
  info.spec.fields[2].default_value = Value("Opaque");
  info.columns = {
      NameColumn(), {.name = "TYPE", .path = "type"}, CountColumn("DATA", "data"), AgeColumn()};
  info.selectable_fields = {"type"};
  info.complete = [](Value& body, const ObjectMeta&) { TakeStringData(body); };
  info.rules = [](const Value& body, Faults& faults) { CheckBase64(body, "data", faults); };
  return info;
}

KindInfo ServiceAccount() {
  KindInfo info = Core(Kind::kServiceAccount, "ServiceAccount", "serviceaccounts", "sa");
  info.without_spec = true;
  info.spec = Body(
      "A name that a program acts by.",
      {ListOfAny("secrets", "Secrets that the account may use."),
       ListOfAny("imagePullSecrets", "Of the images of its pods."),
       Field("automountServiceAccountToken", FieldType::kBool, "Whether its pods get a token.")});
  info.columns = {NameColumn(), CountColumn("SECRETS", "secrets"), AgeColumn()};
  info.subresources = {{.name = "token",
                        .verbs = {"create"},
                        .group = "authentication.k8s.io",
                        .version = "v1",
                        .kind = "TokenRequest"}};
  return info;
}

KindInfo Event() {
  KindInfo info = Core(Kind::kEvent, "Event", "events", "ev");
  info.without_spec = true;
  info.spec = Body(
      "Something that happened to an object.",
      {Field("involvedObject", FieldType::kAny, "The object that it is about."),
       Text("reason", "A CamelCase word for machines."), Text("message", "A sentence for people."),
       Field("source", FieldType::kAny, "Who tells it."),
       Text("firstTimestamp", "When it happened first."),
       Text("lastTimestamp", "When it happened last."),
       Field("count", FieldType::kInt, "How often it happened."),
       Text("type", "Normal or Warning."), Text("eventTime", "When it happened."),
       Field("series", FieldType::kAny, "Of an event that goes on."),
       Text("action", "What was done."),
       Field("related", FieldType::kAny, "Another object that it is about."),
       Text("reportingComponent", "The program that tells it."),
       Text("reportingInstance", "The instance of that program.")});
  info.columns = {{.name = "LAST SEEN", .path = "lastTimestamp", .type = "date"},
                  {.name = "TYPE", .path = "type"},
                  {.name = "REASON", .path = "reason"},
                  ReferenceColumn("OBJECT", "involvedObject", /*lower=*/true),
                  {.name = "MESSAGE", .path = "message"},
                  {.name = "FIRST SEEN", .path = "firstTimestamp", .type = "date", .wide = true},
                  {.name = "COUNT", .path = "count", .type = "integer", .wide = true},
                  {.name = "NAME", .path = "metadata.name", .wide = true}};
  info.selectable_fields = {"involvedObject.kind",
                            "involvedObject.namespace",
                            "involvedObject.name",
                            "involvedObject.uid",
                            "involvedObject.apiVersion",
                            "involvedObject.resourceVersion",
                            "reason",
                            "involvedObject.fieldPath",
                            "type",
                            "reportingComponent",
                            "source"};
  return info;
}

KindInfo Lease() {
  KindInfo info = Core(Kind::kLease, "Lease", "leases", "");
  info.group = "coordination.k8s.io";
  info.spec = Body("Who leads, for how long.",
                   {Text("holderIdentity", "Who holds it."),
                    Field("leaseDurationSeconds", FieldType::kInt, "How long others wait."),
                    Text("acquireTime", "When it was taken."),
                    Text("renewTime", "When its holder was last heard."),
                    Field("leaseTransitions", FieldType::kInt, "How often the holder changed."),
                    Text("strategy", "How the holder is chosen."),
                    Text("preferredHolder", "Who shall hold it next.")});
  info.columns = {NameColumn(), {.name = "HOLDER", .path = "spec.holderIdentity"}, AgeColumn()};
  return info;
}

KindInfo Rbac(Kind kind, const char* name, const char* plural, bool binding, bool namespaced) {
  KindInfo info = Core(kind, name, plural, "");
  info.group = kRbacGroup;
  info.without_spec = true;
  info.namespaced = namespaced;
  if (binding) {
    info.spec =
        Body("Who has a role.", {ListOfAny("subjects", "Users, groups and service accounts."),
                                 Field("roleRef", FieldType::kAny, "The role that they have.")});
    info.spec.fields[1].required = true;
    info.columns = {NameColumn(), ReferenceColumn("ROLE", "roleRef", /*lower=*/false), AgeColumn()};
  } else {
    info.spec =
        Body("What may be done.",
             {ListOfAny("rules", "Verbs on resources of groups."),
              Field("aggregationRule", FieldType::kAny, "Roles that this one is made of.")});
    info.columns = {NameColumn(), {.name = "CREATED AT", .path = "metadata.creationTimestamp"}};
  }
  return info;
}

// "Ready", "NotReady", either with ",SchedulingDisabled".
Value NodeState(const Value& node) {
  std::string state = "NotReady";
  if (const Value* conditions = node.FindPath("status.conditions");
      conditions != nullptr && conditions->is_list()) {
    for (const Value& condition : conditions->AsList()) {
      if (TextOf(condition, "type") == "Ready" && TextOf(condition, "status") == "True") {
        state = "Ready";
      }
    }
  }
  const Value* cordoned = node.FindPath("spec.unschedulable");
  if (cordoned != nullptr && *cordoned == Value(true)) state += ",SchedulingDisabled";
  return Value(state);
}

Value PodReadiness(const Value& phase) { return Value(phase == Value("Running") ? "1/1" : "0/1"); }

KindInfo Node() {
  KindInfo info = Core(Kind::kNode, "Node", "nodes", "no");
  info.namespaced = false;
  info.has_status = true;
  info.verbs = {"get", "list", "patch", "update", "watch"};
  info.subresources = {{.name = "status", .verbs = {"get"}}};
  info.view_of = Kind::kBoard;
  info.spec = Body("A board as Kubernetes' tools see it.",
                   {Field("unschedulable", FieldType::kBool, "No new job takes it."),
                    ListOfAny("taints", "What keeps jobs away.")});
  info.columns = {
      NameColumn(),
      {.name = "STATUS", .path = "", .cell = NodeState},
      {.name = "ROLES", .path = "", .cell = [](const Value&) { return Value("worker"); }},
      AgeColumn(),
      {.name = "VERSION", .path = "status.nodeInfo.kubeletVersion"}};
  info.selectable_fields = {"spec.unschedulable"};
  return info;
}

KindInfo Pod() {
  KindInfo info = Core(Kind::kPod, "Pod", "pods", "po");
  info.has_status = true;
  info.verbs = {"delete", "get", "list", "watch"};
  info.subresources = {{.name = "eviction",
                        .verbs = {"create"},
                        .group = "policy",
                        .version = "v1",
                        .kind = "Eviction"},
                       {.name = "log", .verbs = {"get"}},
                       {.name = "status", .verbs = {"get"}}};
  info.view_of = Kind::kTrainingJob;
  info.spec = Body("One board's part of a job, as Kubernetes' tools see it.",
                   {Text("nodeName", "The board."),
                    ListOfAny("containers", "The one program that runs there.")});
  info.columns = {NameColumn(),
                  {.name = "READY", .path = "status.phase", .cell = PodReadiness},
                  {.name = "STATUS", .path = "status.phase"},
                  {.name = "RESTARTS", .path = "", .cell = [](const Value&) { return Value("0"); }},
                  AgeColumn(),
                  {.name = "IP", .path = "status.podIP", .wide = true},
                  {.name = "NODE", .path = "spec.nodeName", .wide = true}};
  info.selectable_fields = {"spec.nodeName", "status.phase", "spec.restartPolicy"};
  return info;
}

}  // namespace

std::vector<KindInfo> DescribeKubernetesKinds() {
  return {Namespace(),
          ConfigMap(),
          Secret(),
          ServiceAccount(),
          Event(),
          Lease(),
          Rbac(Kind::kRole, "Role", "roles", /*binding=*/false, /*namespaced=*/true),
          Rbac(Kind::kClusterRole, "ClusterRole", "clusterroles", false, false),
          Rbac(Kind::kRoleBinding, "RoleBinding", "rolebindings", true, true),
          Rbac(Kind::kClusterRoleBinding, "ClusterRoleBinding", "clusterrolebindings", true, false),
          Node(),
          Pod()};
}

}  // namespace octet
