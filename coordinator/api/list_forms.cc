#include "coordinator/api/list_forms.h"

#include "shared/objects/json.h"

namespace octet {

ListForm ListFormOf(const std::string& path) {
  using Type = ListForm::Type;
  if (path == ".metadata.finalizers") return {.type = Type::kSet};
  if (path == ".metadata.ownerReferences") return {.type = Type::kKeyed, .key = "uid"};
  if (path == ".imagePullSecrets" || path == ".secrets") {
    return {.type = Type::kKeyed, .key = "name"};
  }
  return {};
}

std::string ListItemKey(const ListForm& form, const Value& item) {
  if (form.type == ListForm::Type::kSet) return "v:" + WriteCanonicalJson(item);
  const Value* key = item.Find(form.key);
  if (key == nullptr) return "";
  Value keys = Value::MakeMap();
  keys.Set(form.key, *key);
  return "k:" + WriteCanonicalJson(keys);
}

}  // namespace octet
