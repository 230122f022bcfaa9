#include "shared/objects/json_schema.h"

#include "shared/objects/field_reader.h"

namespace octet {
namespace {

// One or more numbers with their units in falling order; ParseDuration says the rest.
constexpr char kDurationPattern[] = "^(0|([0-9]+(d|h|m|s|ms))+)$";

const char* TypeName(FieldType type) {
  switch (type) {
    case FieldType::kBool:
      return "boolean";
    case FieldType::kInt:
      return "integer";
    case FieldType::kNumber:
      return "number";
    case FieldType::kString:
    case FieldType::kDuration:
      return "string";
    case FieldType::kList:
      return "array";
    case FieldType::kMap:
    case FieldType::kOneOf:
    case FieldType::kStrings:
    case FieldType::kAny:
      break;
  }
  return "object";
}

Value NumberBound(FieldType type, double bound) {
  return type == FieldType::kInt ? Value(static_cast<int64_t>(bound)) : Value(bound);
}

void AddNumberBounds(const Schema& schema, Value& value) {
  if (schema.type == FieldType::kInt) value.Set("format", "int64");
  if (schema.minimum) {
    value.Set("minimum", NumberBound(schema.type, *schema.minimum));
    if (schema.exclusive_minimum) value.Set("exclusiveMinimum", true);
  }
  if (schema.maximum) {
    value.Set("maximum", NumberBound(schema.type, *schema.maximum));
    if (schema.exclusive_maximum) value.Set("exclusiveMaximum", true);
  }
}

void AddStringBounds(const Schema& schema, Value& value) {
  if (schema.bytes_min > 0) value.Set("minLength", static_cast<int64_t>(schema.bytes_min));
  value.Set("maxLength", static_cast<int64_t>(schema.bytes_max));
  if (!schema.allowed.empty()) value.Set("enum", EncodeStrings(schema.allowed));
}

void AddMembers(const Schema& schema, Value& value) {
  Value properties = Value::MakeMap();
  std::vector<std::string> required;
  for (const Schema& field : schema.fields) {
    properties.Set(field.name, JsonSchemaOf(field));
    if (field.required) required.push_back(field.name);
  }
  value.Set("properties", std::move(properties));
  if (!required.empty()) value.Set("required", EncodeStrings(required));
}

Value OpenObject(const char* description) {
  Value value = Value::MakeMap();
  value.Set("type", "object");
  value.Set("description", description);
  value.Set("x-kubernetes-preserve-unknown-fields", true);
  return value;
}

Value TypeMeta(const char* description) {
  Value value = Value::MakeMap();
  value.Set("type", "string");
  value.Set("description", description);
  return value;
}

// Where kubectl finds a column's cell.
Value PrinterColumn(const Column& column) {
  Value value = Value::MakeMap();
  value.Set("name", column.name);
  value.Set("type", column.type);
  value.Set("jsonPath", "." + column.path);
  if (column.wide) value.Set("priority", 1);
  return value;
}

Value Subresources(const KindInfo& info) {
  Value subresources = Value::MakeMap();
  subresources.Set("status", Value::MakeMap());
  if (info.FindSubresource("scale") != nullptr) {
    Value scale = Value::MakeMap();
    scale.Set("specReplicasPath", ".spec.replicas");
    scale.Set("statusReplicasPath", ".status.readySlices");
    subresources.Set("scale", std::move(scale));
  }
  return subresources;
}

}  // namespace

Value JsonSchemaOf(const Schema& schema) {
  Value value = Value::MakeMap();
  value.Set("type", TypeName(schema.type));
  if (!schema.doc.empty()) value.Set("description", schema.doc);
  if (schema.default_value) value.Set("default", *schema.default_value);
  switch (schema.type) {
    case FieldType::kBool:
      break;
    case FieldType::kInt:
    case FieldType::kNumber:
      AddNumberBounds(schema, value);
      break;
    case FieldType::kString:
      AddStringBounds(schema, value);
      break;
    case FieldType::kDuration:
      value.Set("pattern", kDurationPattern);
      value.Set("maxLength", 64);
      break;
    case FieldType::kList:
      value.Set("items", JsonSchemaOf(schema.fields.front()));
      if (schema.items_min > 0) value.Set("minItems", static_cast<int64_t>(schema.items_min));
      value.Set("maxItems", static_cast<int64_t>(schema.items_max));
      break;
    case FieldType::kOneOf:
      value.Set("minProperties", 1);
      value.Set("maxProperties", 1);
      AddMembers(schema, value);
      break;
    case FieldType::kMap:
      AddMembers(schema, value);
      break;
    case FieldType::kStrings: {
      Value strings = Value::MakeMap();
      strings.Set("type", "string");
      value.Set("additionalProperties", std::move(strings));
      break;
    }
    case FieldType::kAny:
      value.Set("x-kubernetes-preserve-unknown-fields", true);
      break;
  }
  return value;
}

Value ObjectSchemaOf(const KindInfo& info, Value metadata) {
  Value properties = Value::MakeMap();
  properties.Set(
      "apiVersion",
      TypeMeta(("The version of this form of the object: " + info.api_version() + ".").c_str()));
  properties.Set("kind", TypeMeta("The kind of the object."));
  properties.Set("metadata", std::move(metadata));
  if (info.without_spec) {
    for (const Schema& field : info.spec.fields) properties.Set(field.name, JsonSchemaOf(field));
  } else {
    properties.Set("spec", JsonSchemaOf(info.spec));
  }
  if (info.has_status) {
    properties.Set("status", OpenObject("What the coordinator says of the object."));
  }
  Value schema = Value::MakeMap();
  schema.Set("type", "object");
  schema.Set("description", info.spec.doc);
  schema.Set("properties", std::move(properties));
  return schema;
}

Value CustomResourceDefinitionOf(const KindInfo& info) {
  Value names = Value::MakeMap();
  names.Set("kind", info.name);
  names.Set("listKind", info.name + "List");
  names.Set("plural", info.plural);
  names.Set("singular", info.singular);
  names.Set("shortNames", EncodeStrings({info.short_name}));
  names.Set("categories", EncodeStrings({"octet"}));
  Value metadata_schema = Value::MakeMap();
  metadata_schema.Set("type", "object");
  Value schema = Value::MakeMap();
  schema.Set("openAPIV3Schema", ObjectSchemaOf(info, std::move(metadata_schema)));
  Value::List columns;
  for (const Column& column : info.columns) {
    // Kubernetes prints the name by itself.
    if (column.path != "metadata.name") columns.push_back(PrinterColumn(column));
  }
  Value version = Value::MakeMap();
  version.Set("name", "v1");
  version.Set("served", true);
  version.Set("storage", true);
  version.Set("schema", std::move(schema));
  version.Set("subresources", Subresources(info));
  version.Set("additionalPrinterColumns", Value::MakeList(std::move(columns)));
  if (!info.selectable_fields.empty()) {
    Value::List fields;
    for (const std::string& path : info.selectable_fields) {
      Value field = Value::MakeMap();
      field.Set("jsonPath", "." + path);
      fields.push_back(std::move(field));
    }
    version.Set("selectableFields", Value::MakeList(std::move(fields)));
  }
  Value spec = Value::MakeMap();
  spec.Set("group", kApiGroup);
  spec.Set("names", std::move(names));
  spec.Set("scope", info.namespaced ? "Namespaced" : "Cluster");
  spec.Set("versions", Value::MakeList({std::move(version)}));
  Value annotations = Value::MakeMap();
  // Taking a definition away would take all objects with it.
  annotations.Set("helm.sh/resource-policy", "keep");
  Value metadata = Value::MakeMap();
  metadata.Set("name", info.plural + "." + kApiGroup);
  metadata.Set("annotations", std::move(annotations));
  Value definition = Value::MakeMap();
  definition.Set("apiVersion", "apiextensions.k8s.io/v1");
  definition.Set("kind", "CustomResourceDefinition");
  definition.Set("metadata", std::move(metadata));
  definition.Set("spec", std::move(spec));
  return definition;
}

}  // namespace octet
