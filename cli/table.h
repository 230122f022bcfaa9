// Text tables as kubectl prints them: columns three spaces apart, as wide as their widest cell.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/base/time.h"
#include "shared/objects/kinds.h"

namespace octet::cli {

using Row = std::vector<std::string>;

// The header and the rows, each line ended; "" without rows. Rows have as many cells as the header.
std::string FormatTable(const Row& header, const std::vector<Row>& rows);

struct ColumnOptions {
  bool wide = false;
  bool with_namespace = false;
};

// The header and rows of `items` (whole objects) by their kind's columns. Ages are counted to
// `now`.
Row HeaderOf(const KindInfo& info, const ColumnOptions& options);
Row RowOf(const KindInfo& info, const Value& object, const ColumnOptions& options, TimePoint now);

// A scalar for people: "0.1235", "3", "true"; "<none>" for null and absent.
std::string CellText(const Value* value);

}  // namespace octet::cli
