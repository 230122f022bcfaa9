#include "coordinator/api/table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "shared/objects/metadata.h"

namespace octet {
namespace {

// A column whose cell is a time, shown as the age; as kube-apiserver does, the cell is text.
Value AgeCell(const Value* value, TimePoint now) {
  if (value == nullptr || !value->is_string()) return Value("<unknown>");
  const Result<TimePoint> time = ParseTime(value->AsString());
  if (!time.ok()) return Value("<invalid>");
  return Value(FormatDurationShort(
      std::max(std::chrono::floor<std::chrono::seconds>(now - *time), std::chrono::seconds(0))));
}

// Four digits are what a person reads; the object has them all.
double Rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return std::strtod(text, nullptr);
}

Value Cell(const Column& column, const Value& document, TimePoint now) {
  const Value* value = column.path.empty() ? &document : document.FindPath(column.path);
  if (column.cell) return column.cell(value == nullptr ? Value() : *value);
  if (column.type == "date") return AgeCell(value, now);
  if (value != nullptr && value->is_number() && !value->is_int()) return Rounded(value->AsDouble());
  return value == nullptr ? Value() : *value;
}

Value Columns(const KindInfo& info) {
  Value::List columns;
  for (const Column& column : info.columns) {
    Value definition = Value::MakeMap();
    // kubectl prints names in upper case itself.
    std::string name = column.name;
    std::transform(name.begin() + 1, name.end(), name.begin() + 1, [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    definition.Set("name", name);
    definition.Set("type", column.type);
    // The name column tells kubectl what -o name prints.
    definition.Set("format", column.path == "metadata.name" ? "name" : "");
    definition.Set("description", column.path);
    definition.Set("priority", column.wide ? 1 : 0);
    columns.push_back(std::move(definition));
  }
  return Value::MakeList(std::move(columns));
}

Value PartialMetadata(const Object& object) {
  Value partial = Value::MakeMap();
  partial.Set("kind", "PartialObjectMetadata");
  partial.Set("apiVersion", "meta.k8s.io/v1");
  partial.Set("metadata", EncodeMetadata(object.meta));
  return partial;
}

}  // namespace

Value EncodeTable(const KindInfo& info, const std::vector<Object>& objects, RowObject row_object,
                  bool with_columns, TimePoint now) {
  Value table = Value::MakeMap();
  table.Set("kind", "Table");
  table.Set("apiVersion", "meta.k8s.io/v1");
  table.Set("metadata", Value::MakeMap());
  table.Set("columnDefinitions", with_columns ? Columns(info) : Value::MakeList());
  Value::List rows;
  for (const Object& object : objects) {
    const Value document = EncodeObject(object);
    Value::List cells;
    for (const Column& column : info.columns) cells.push_back(Cell(column, document, now));
    Value row = Value::MakeMap();
    row.Set("cells", Value::MakeList(std::move(cells)));
    if (row_object == RowObject::kMetadata) row.Set("object", PartialMetadata(object));
    if (row_object == RowObject::kWhole) row.Set("object", document);
    rows.push_back(std::move(row));
  }
  table.Set("rows", Value::MakeList(std::move(rows)));
  return table;
}

}  // namespace octet
