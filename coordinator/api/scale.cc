#include "coordinator/api/scale.h"

#include "shared/objects/accelerator_type.h"
#include "shared/objects/board.h"
#include "shared/objects/metadata.h"

namespace octet {

Value EncodeScale(const Object& pool) {
  Value scale = Value::MakeMap();
  scale.Set("kind", "Scale");
  scale.Set("apiVersion", "autoscaling/v1");
  Value metadata = EncodeMetadata(pool.meta);
  for (const char* key : {"labels", "annotations", "finalizers", "generation"}) metadata.Erase(key);
  scale.Set("metadata", std::move(metadata));
  int64_t wanted = 0;
  int64_t ready = 0;
  if (const Result<SlicePool> typed = DecodeSlicePool(pool); typed.ok()) {
    wanted = typed->replicas;
    const AcceleratorType* type = FindAcceleratorType(typed->accelerator_type);
    if (type != nullptr) ready = typed->ready_boards / type->boards().count();
  }
  Value spec = Value::MakeMap();
  spec.Set("replicas", wanted);
  scale.Set("spec", std::move(spec));
  Value status = Value::MakeMap();
  status.Set("replicas", ready);
  status.Set("selector", "octet.dev/pool=" + pool.meta.name);
  scale.Set("status", std::move(status));
  return scale;
}

Result<Value> PatchOfScale(const Value& scale) {
  const Value* replicas = scale.FindPath("spec.replicas");
  if (replicas == nullptr || !replicas->is_int()) {
    return InvalidArgument("must be a whole number of slices");
  }
  Value spec = Value::MakeMap();
  spec.Set("replicas", *replicas);
  Value patch = Value::MakeMap();
  patch.Set("spec", std::move(spec));
  const Value* version = scale.FindPath("metadata.resourceVersion");
  // An empty one stands for the newest.
  const bool any = version == nullptr || (version->is_string() && version->AsString().empty());
  if (!any) {
    Value metadata = Value::MakeMap();
    metadata.Set("resourceVersion", *version);
    patch.Set("metadata", std::move(metadata));
  }
  return patch;
}

}  // namespace octet
