// How the lists of documents are made of fields: what server-side apply and strategic merge patches
// need to know to merge two of them. Pure.
#pragma once

#include <string>

#include "shared/objects/value.h"

namespace octet {

struct ListForm {
  // kWhole: one field; the later list replaces the earlier. kSet: its values are the fields.
  // kKeyed: its items are, told apart by one of their members.
  enum class Type { kWhole, kSet, kKeyed } type = Type::kWhole;
  const char* key = "";  // Of kKeyed.
};

// Of the list at a path like ".metadata.finalizers". Octet's own lists are single fields: the order
// of layers is one decision.
ListForm ListFormOf(const std::string& path);

// What tells an item of such a list from the others, as managedFields write it: `k:{"uid":"…"}` or
// `v:"…"`; "" if it has nothing.
std::string ListItemKey(const ListForm& form, const Value& item);

}  // namespace octet
