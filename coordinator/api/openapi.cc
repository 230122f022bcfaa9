#include "coordinator/api/openapi.h"

#include "coordinator/api/served_resources.h"
#include "shared/base/sha256.h"
#include "shared/objects/field_reader.h"
#include "shared/objects/json.h"
#include "shared/objects/json_schema.h"

namespace octet {
namespace {

constexpr char kMetaName[] = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

Value GroupVersionKind(const KindInfo& info) {
  Value value = Value::MakeMap();
  value.Set("group", info.group);
  value.Set("version", info.version);
  value.Set("kind", info.name);
  return value;
}

// As the documents of Kubernetes name them: "io.k8s.api.rbac.v1.Role".
std::string SchemaName(const KindInfo& info) {
  if (info.group == kApiGroup) return "dev.octet." + info.version + "." + info.name;
  const std::string area = info.group.empty() ? "core" : info.group.substr(0, info.group.find('.'));
  return "io.k8s.api." + area + "." + info.version + "." + info.name;
}

Value Reference(const std::string& schema) {
  Value value = Value::MakeMap();
  value.Set("$ref", "#/components/schemas/" + schema);
  return value;
}

Value QueryParameter(const char* name, const char* description) {
  Value schema = Value::MakeMap();
  schema.Set("type", "string");
  schema.Set("uniqueItems", true);
  Value parameter = Value::MakeMap();
  parameter.Set("name", name);
  parameter.Set("in", "query");
  parameter.Set("description", description);
  parameter.Set("schema", std::move(schema));
  return parameter;
}

Value Content(const KindInfo& info, const std::vector<std::string>& media_types) {
  Value content = Value::MakeMap();
  for (const std::string& media_type : media_types) {
    Value entry = Value::MakeMap();
    entry.Set("schema", Reference(SchemaName(info)));
    content.Set(media_type, std::move(entry));
  }
  return content;
}

Value Operation(const KindInfo& info, const char* action, const char* doc) {
  Value answer = Value::MakeMap();
  answer.Set("description", "OK");
  answer.Set("content", Content(info, {"application/json"}));
  Value responses = Value::MakeMap();
  responses.Set("200", std::move(answer));
  Value operation = Value::MakeMap();
  operation.Set("description", std::string(doc) + " " + info.name);
  operation.Set("operationId", std::string(action) + info.name);
  operation.Set("responses", std::move(responses));
  operation.Set("x-kubernetes-action", action);
  operation.Set("x-kubernetes-group-version-kind", GroupVersionKind(info));
  return operation;
}

Value WriteOperation(const KindInfo& info, const char* action, const char* doc,
                     const std::vector<std::string>& media_types) {
  Value operation = Operation(info, action, doc);
  Value body = Value::MakeMap();
  body.Set("content", Content(info, media_types));
  operation.Set("requestBody", std::move(body));
  // Its presence tells kubectl that the server checks fields.
  operation.Set("parameters",
                Value::MakeList({QueryParameter("dryRun", "All: check and change nothing."),
                                 QueryParameter("fieldManager", "The name of who writes."),
                                 QueryParameter("fieldValidation", "Ignore, Warn or Strict.")}));
  return operation;
}

Value CollectionPath(const KindInfo& info) {
  Value many = Value::MakeMap();
  many.Set("get", Operation(info, "list", "list objects of kind"));
  if (info.Takes("create")) {
    many.Set("post", WriteOperation(info, "post", "create a", {"application/json"}));
  }
  if (info.Takes("deletecollection")) {
    many.Set("delete", Operation(info, "deletecollection", "delete a collection of"));
  }
  return many;
}

Value ObjectPath(const KindInfo& info) {
  Value one = Value::MakeMap();
  one.Set("get", Operation(info, "get", "read the specified"));
  if (info.Takes("update")) {
    one.Set("put", WriteOperation(info, "put", "replace the specified", {"application/json"}));
  }
  if (info.Takes("patch")) {
    one.Set("patch", WriteOperation(info, "patch", "partially update the specified",
                                    {"application/apply-patch+yaml", "application/json-patch+json",
                                     "application/merge-patch+json"}));
  }
  if (info.Takes("delete")) one.Set("delete", Operation(info, "delete", "delete a"));
  return one;
}

Value PathsOf(const std::string& api_version) {
  Value paths = Value::MakeMap();
  for (const KindInfo& info : ServedKinds()) {
    if (info.api_version() != api_version) continue;
    const std::string collection =
        std::string(info.group.empty() ? "/api/" : "/apis/") + api_version +
        (info.namespaced ? "/namespaces/{namespace}/" : "/") + info.plural;
    paths.Set(collection, CollectionPath(info));
    paths.Set(collection + "/{name}", ObjectPath(info));
  }
  return paths;
}

Value StringSchema(const char* description) {
  Value value = Value::MakeMap();
  value.Set("type", "string");
  value.Set("description", description);
  return value;
}

Value StringMapSchema(const char* description) {
  Value strings = Value::MakeMap();
  strings.Set("type", "string");
  Value value = Value::MakeMap();
  value.Set("type", "object");
  value.Set("description", description);
  value.Set("additionalProperties", std::move(strings));
  return value;
}

Value ListSchema(const char* item_type, const char* description) {
  Value items = Value::MakeMap();
  items.Set("type", item_type);
  Value value = Value::MakeMap();
  value.Set("type", "array");
  value.Set("description", description);
  value.Set("items", std::move(items));
  return value;
}

Value MetaSchema() {
  Value properties = Value::MakeMap();
  properties.Set("name", StringSchema("Unique among its kind in its namespace; never changes."));
  properties.Set("namespace", StringSchema("Where the object lives; default: default."));
  properties.Set("labels", StringMapSchema("Words to select objects by."));
  properties.Set("annotations", StringMapSchema("Anything else that tools want to keep."));
  properties.Set("uid", StringSchema("Unique in time and space; set by the server."));
  properties.Set("resourceVersion",
                 StringSchema("Changes with every write; send back what you read."));
  properties.Set("creationTimestamp", StringSchema("Set by the server."));
  properties.Set("deletionTimestamp",
                 StringSchema("Set when deletion was asked for and something still holds it."));
  properties.Set("generateName",
                 StringSchema("What the server makes a name from, if none is given."));
  properties.Set("finalizers", ListSchema("string", "Who must let go before the object is gone."));
  properties.Set("ownerReferences", ListSchema("object", "The objects that this one goes with."));
  properties.Set("managedFields", ListSchema("object", "Who has set which fields."));
  Value schema = Value::MakeMap();
  schema.Set("type", "object");
  schema.Set("description", "What every object has.");
  schema.Set("properties", std::move(properties));
  return schema;
}

Value Document(const std::string& api_version, const std::string& version) {
  Value schemas = Value::MakeMap();
  schemas.Set(kMetaName, MetaSchema());
  for (const KindInfo& info : ServedKinds()) {
    if (info.api_version() != api_version) continue;
    Value metadata = Value::MakeMap();
    metadata.Set("description", "What every object has.");
    metadata.Set("allOf", Value::MakeList({Reference(kMetaName)}));
    Value schema = ObjectSchemaOf(info, std::move(metadata));
    schema.Set("x-kubernetes-group-version-kind", Value::MakeList({GroupVersionKind(info)}));
    schemas.Set(SchemaName(info), std::move(schema));
  }
  Value components = Value::MakeMap();
  components.Set("schemas", std::move(schemas));
  Value info = Value::MakeMap();
  info.Set("title", "Octet");
  info.Set("version", version);
  Value document = Value::MakeMap();
  document.Set("openapi", "3.0.0");
  document.Set("info", std::move(info));
  document.Set("paths", PathsOf(api_version));
  document.Set("components", std::move(components));
  return document;
}

// The message openapi.v2.Document of the gnostic project with its two required fields: swagger
// (field 1) is "2.0", info (field 2) has a title (1) and a version (2). All are shorter than 128
// bytes, so that a length is one byte.
std::string ProtobufField(char number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}

ApiResponse SwaggerResponse(const std::string& version) {
  const std::string info = ProtobufField(1, "Octet") + ProtobufField(2, version);
  return {
      .code = 200,
      .headers = {{"Content-Type", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}},
      .body = ProtobufField(1, "2.0") + ProtobufField(2, info)};
}

}  // namespace

OpenApi::OpenApi(const std::string& version) : version_(version) {
  Value paths = Value::MakeMap();
  for (const std::string& api_version : ServedGroupVersions()) {
    const std::string root = api_version.find('/') == std::string::npos ? "api" : "apis";
    const std::string path = root + "/" + api_version;
    std::string text = WriteJson(Document(api_version, version)) + "\n";
    Sha256 hash;
    hash.Update(text);
    // The address of the document names its content, so that clients may keep it.
    Value entry = Value::MakeMap();
    entry.Set("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash.FinishHex());
    paths.Set(path, std::move(entry));
    documents_[path] = std::move(text);
  }
  Value index = Value::MakeMap();
  index.Set("paths", std::move(paths));
  index_ = WriteJson(index) + "\n";
}

std::optional<ApiResponse> OpenApi::Find(const std::vector<std::string>& path) const {
  if (path.size() < 2 || path[0] != "openapi") return std::nullopt;
  if (path == std::vector<std::string>{"openapi", "v2"}) return SwaggerResponse(version_);
  if (path[1] != "v3") return std::nullopt;
  std::string rest;
  for (size_t i = 2; i < path.size(); ++i) rest += (rest.empty() ? "" : "/") + path[i];
  const auto found = documents_.find(rest);
  if (!rest.empty() && found == documents_.end()) return std::nullopt;
  return ApiResponse{.code = 200,
                     .headers = {{"Content-Type", "application/json"}},
                     .body = rest.empty() ? index_ : found->second};
}

}  // namespace octet
