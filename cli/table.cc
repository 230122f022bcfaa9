#include "cli/table.h"

#include <algorithm>
#include <cstdio>

#include "shared/objects/json.h"

namespace octet::cli {
namespace {

constexpr size_t kColumnGap = 3;

std::string AgeText(const Value* value, TimePoint now) {
  if (value == nullptr || !value->is_string()) return "<none>";
  const Result<TimePoint> created = ParseTime(value->AsString());
  if (!created.ok()) return value->AsString();
  return FormatDurationShort(std::chrono::floor<std::chrono::seconds>(now - *created));
}

}  // namespace

std::string FormatTable(const Row& header, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::vector<size_t> widths;
  for (const std::string& cell : header) widths.push_back(cell.size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  const auto add = [&](const Row& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] + kColumnGap - row[i].size(), ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + '\n';
  };
  add(header);
  for (const Row& row : rows) add(row);
  return text;
}

std::string CellText(const Value* value) {
  if (value == nullptr || value->is_null()) return "<none>";
  if (value->is_string()) return value->AsString().empty() ? "<none>" : value->AsString();
  if (value->is_list()) {
    std::string joined;
    for (const Value& item : value->AsList()) {
      joined += (joined.empty() ? "" : ",") + CellText(&item);
    }
    return joined.empty() ? "<none>" : joined;
  }
  if (value->type() == Value::Type::kDouble) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", value->AsDouble());
    return text;
  }
  return WriteJson(*value);
}

Row HeaderOf(const KindInfo& info, const ColumnOptions& options) {
  Row header;
  if (options.with_namespace) header.push_back("NAMESPACE");
  header.push_back("NAME");
  for (const Column& column : info.columns) {
    if (column.name == "NAME" || (column.wide && !options.wide)) continue;
    header.push_back(column.name);
  }
  return header;
}

Row RowOf(const KindInfo& info, const Value& object, const ColumnOptions& options, TimePoint now) {
  Row row;
  if (options.with_namespace) row.push_back(CellText(object.FindPath("metadata.namespace")));
  row.push_back(CellText(object.FindPath("metadata.name")));
  for (const Column& column : info.columns) {
    if (column.name == "NAME" || (column.wide && !options.wide)) continue;
    const Value* value = object.FindPath(column.path);
    row.push_back(column.type == "date" ? AgeText(value, now) : CellText(value));
  }
  return row;
}

}  // namespace octet::cli
