#include "shared/objects/object.h"

#include "shared/objects/field_reader.h"
#include "shared/objects/kinds.h"
#include "shared/objects/metadata.h"

namespace octet {

Value EncodeObject(const Object& object) {
  Value document = Value::MakeMap();
  document.Set("apiVersion", kApiVersion);
  document.Set("kind", InfoOf(object.kind).name);
  document.Set("metadata", EncodeMetadata(object.meta));
  document.Set("spec", object.spec.is_null() ? Value::MakeMap() : object.spec);
  if (!object.status.is_null()) document.Set("status", object.status);
  return document;
}

Result<Object> DecodeObject(const Value& document) {
  FieldReader reader(&document, "document");
  const std::string version = reader.String("apiVersion");
  const std::string kind = reader.String("kind");
  OCTET_RETURN_IF_ERROR(reader.status());
  if (version != kApiVersion) {
    return InvalidArgument("apiVersion must be " + std::string(kApiVersion) + ", not \"" + version +
                           "\"");
  }
  const KindInfo* info = FindKind(kind);
  if (info == nullptr || info->name != kind) {
    return InvalidArgument("there is no kind \"" + kind + "\"");
  }
  Object object{.kind = info->kind, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  OCTET_ASSIGN_OR_RETURN(object.meta, DecodeMetadata(reader.Find("metadata")));
  if (const Value* spec = reader.Find("spec"); spec != nullptr) {
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
