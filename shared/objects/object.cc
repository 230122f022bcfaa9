#include "shared/objects/object.h"

#include "shared/objects/field_reader.h"
#include "shared/objects/kinds.h"
#include "shared/objects/metadata.h"

namespace octet {

Value BodyOf(const Value& document) {
  Value body = document;
  for (const char* key : {"apiVersion", "kind", "metadata", "status"}) body.Erase(key);
  return body;
}

Value EncodeObject(const Object& object) {
  const KindInfo& info = InfoOf(object.kind);
  Value document = Value::MakeMap();
  document.Set("apiVersion", info.api_version());
  document.Set("kind", info.name);
  Value& metadata = document.Set("metadata", EncodeMetadata(object.meta));
  // Kubernetes counts generations where a spec says what is wanted and somebody follows it.
  if (info.group != kApiGroup) metadata.Erase("generation");
  if (info.without_spec && object.spec.is_map()) {
    for (const Value::Member& member : object.spec.AsMap()) document.Set(member.key, member.value);
  } else if (!info.without_spec) {
    document.Set("spec", object.spec.is_null() ? Value::MakeMap() : object.spec);
  }
  if (!object.status.is_null()) document.Set("status", object.status);
  return document;
}

Result<Object> DecodeObject(const Value& document) {
  FieldReader reader(&document, "document");
  const std::string version = reader.String("apiVersion");
  const std::string kind = reader.String("kind");
  OCTET_RETURN_IF_ERROR(reader.status());
  const KindInfo* info = FindServedKind(version, kind);
  if (info == nullptr) {
    return InvalidArgument("there is no kind \"" + kind + "\" of apiVersion \"" + version + "\"");
  }
  Object object{.kind = info->kind, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  OCTET_ASSIGN_OR_RETURN(object.meta, DecodeMetadata(reader.Find("metadata")));
  if (info->without_spec) {
    object.spec = BodyOf(document);
  } else if (const Value* spec = reader.Find("spec"); spec != nullptr) {
    if (!spec->is_map()) return InvalidArgument("spec must be a map");
    object.spec = *spec;
  }
  if (const Value* status = reader.Find("status"); status != nullptr) {
    if (!status->is_map()) return InvalidArgument("status must be a map");
    object.status = *status;
  }
  return object;
}

}  // namespace octet
