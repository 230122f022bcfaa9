// The Table form of objects (meta.k8s.io/v1), in which kubectl asks for what it prints: the columns
// of the kind's description and a row for each object. Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/base/time.h"
#include "shared/objects/kinds.h"

namespace octet {

// How much of an object goes along with its row.
enum class RowObject { kNone, kMetadata, kWhole };

// `objects` as rows; `with_columns` may be false for all but the first Table of a watch. Ages are
// counted to `now`.
Value EncodeTable(const KindInfo& info, const std::vector<Object>& objects, RowObject row_object,
                  bool with_columns, TimePoint now);

}  // namespace octet
