#include "coordinator/api/managed_fields.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "coordinator/api/field_set.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// As Kubernetes bounds it.
constexpr size_t kManagerBytesMax = 128;

// One entry of managedFields.
struct Manager {
  std::string name;
  std::string operation;  // "Apply" or "Update".
  std::string api_version;
  std::string time;
  std::string subresource;
  FieldSet fields;
};
using Managers = std::vector<Manager>;

std::string TextAt(const Value& map, const char* key) {
  const Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->AsString() : "";
}

// What is no entry is left out: it is nobody's.
Managers Decode(const Value& managed) {
  Managers managers;
  if (!managed.is_list()) return managers;
  for (const Value& entry : managed.AsList()) {
    const Value* fields = entry.Find("fieldsV1");
    Result<FieldSet> set = fields == nullptr ? FieldSet() : FieldSet::Decode(*fields);
    if (!set.ok() || set->empty()) continue;
    managers.push_back({.name = TextAt(entry, "manager"),
                        .operation = TextAt(entry, "operation"),
                        .api_version = TextAt(entry, "apiVersion"),
                        .time = TextAt(entry, "time"),
                        .subresource = TextAt(entry, "subresource"),
                        .fields = *std::move(set)});
  }
  return managers;
}

Value Encode(Managers managers) {
  std::erase_if(managers, [](const Manager& manager) { return manager.fields.empty(); });
  if (managers.empty()) return Value();
  std::stable_sort(managers.begin(), managers.end(), [](const Manager& a, const Manager& b) {
    return std::tie(a.operation, a.time, a.name, a.api_version, a.subresource) <
           std::tie(b.operation, b.time, b.name, b.api_version, b.subresource);
  });
  Value::List entries;
  for (const Manager& manager : managers) {
    Value entry = Value::MakeMap();
    entry.Set("manager", manager.name);
    entry.Set("operation", manager.operation);
    entry.Set("apiVersion", manager.api_version);
    if (!manager.time.empty()) entry.Set("time", manager.time);
    entry.Set("fieldsType", "FieldsV1");
    entry.Set("fieldsV1", manager.fields.Encode());
    if (!manager.subresource.empty()) entry.Set("subresource", manager.subresource);
    entries.push_back(std::move(entry));
  }
  return Value::MakeList(std::move(entries));
}

// The entry of `writer`, which is added if there is none.
Manager& EntryOf(Managers& managers, const FieldWriter& writer, const std::string& operation) {
  for (Manager& manager : managers) {
    if (manager.name == writer.manager && manager.operation == operation &&
        manager.api_version == writer.api_version && manager.subresource == writer.subresource) {
      return manager;
    }
  }
  managers.push_back({.name = writer.manager,
                      .operation = operation,
                      .api_version = writer.api_version,
                      .time = {},
                      .subresource = writer.subresource,
                      .fields = {}});
  return managers.back();
}

// Its time is when its fields were last others.
void SetFields(Manager& manager, FieldSet fields, TimePoint now) {
  if (manager.fields == fields) return;
  manager.fields = std::move(fields);
  manager.time = FormatTime(std::chrono::floor<std::chrono::seconds>(now));
}

std::string Describe(const Manager& manager) {
  std::string text = WriteJson(Value(manager.name));
  if (!manager.subresource.empty()) {
    text += " with subresource " + WriteJson(Value(manager.subresource));
  }
  return manager.operation == "Update" ? text + " using " + manager.api_version : text;
}

// Fields that the document does not have any more are nobody's.
void DropFields(Managers& managers, const FieldSet& gone) {
  for (Manager& manager : managers) manager.fields = manager.fields.Difference(gone);
}

}  // namespace

Value NoteUpdate(const Value& managed, const Value& before, const Value& after,
                 const FieldWriter& writer) {
  Managers managers = Decode(managed);
  if (managers.empty() && !before.is_null()) return Value();
  const FieldSet changed = FieldSet::Changed(before, after);
  const FieldSet gone =
      before.is_null()
          ? FieldSet()
          : FieldSet::Changed(after, before).Difference(FieldSet::Changed(Value(), after));
  if (changed.empty() && gone.empty()) return managed;
  DropFields(managers, gone.Union(changed));
  if (!changed.empty()) {
    Manager& own = EntryOf(managers, writer, "Update");
    const FieldSet had = own.fields;
    SetFields(own, had.Union(changed), writer.now);
  }
  return Encode(std::move(managers));
}

AppliedFields ApplyFields(const Value& live, const Value& managed, const Value& applied,
                          const FieldWriter& writer, bool force) {
  Managers managers = Decode(managed);
  if (managers.empty() && !live.is_null()) {
    // Somebody has set what is there; who is not known.
    FieldWriter before = writer;
    before.manager = "before-first-apply";
    before.subresource.clear();
    SetFields(EntryOf(managers, before, "Update"), FieldSet::Changed(Value(), live), writer.now);
  }
  const FieldSet wanted = FieldSet::Of(applied);
  const Manager own = EntryOf(managers, writer, "Apply");
  const auto is_own = [&](const Manager& manager) {
    return manager.name == own.name && manager.operation == "Apply" &&
           manager.subresource == own.subresource;
  };
  AppliedFields result;
  result.document = live.is_null() ? applied : MergeFields(live, applied);
  const FieldSet changed = FieldSet::Changed(live, result.document).Intersection(wanted);
  FieldSet of_others;
  for (Manager& manager : managers) {
    if (is_own(manager)) continue;
    const FieldSet taken = manager.fields.Intersection(changed);
    for (const std::string& path : taken.Paths()) {
      if (!force) result.conflicts.push_back({.manager = Describe(manager), .path = path});
    }
    manager.fields = manager.fields.Difference(taken);
    of_others = of_others.Union(manager.fields);
  }
  const FieldSet dropped = own.fields.Difference(wanted).Difference(of_others);
  result.document = dropped.RemovedFrom(std::move(result.document));
  std::erase_if(managers, is_own);
  Manager& now = EntryOf(managers, writer, "Apply");
  now.time = own.time;
  now.fields = own.fields;
  SetFields(now, wanted, writer.now);
  result.managed = Encode(std::move(managers));
  return result;
}

std::string ConflictMessage(const std::vector<FieldConflict>& conflicts) {
  if (conflicts.size() == 1) {
    return "Apply failed with 1 conflict: conflict with " + conflicts[0].manager + ": " +
           conflicts[0].path;
  }
  std::map<std::string, std::string> paths;
  for (const FieldConflict& conflict : conflicts) {
    paths[conflict.manager] += "\n- " + conflict.path;
  }
  std::string text;
  for (const auto& [manager, lines] : paths) {
    text += (text.empty() ? "" : "\n") + ("conflicts with " + manager) + ":" + lines;
  }
  return "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: " + text;
}

Status CheckManagerName(const std::string& manager) {
  if (manager.size() > kManagerBytesMax) {
    return InvalidArgument("fieldManager may not be more than " + std::to_string(kManagerBytesMax) +
                           " bytes");
  }
  const bool printable = std::none_of(manager.begin(), manager.end(),
                                      [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
  return printable ? Ok()
                   : InvalidArgument("fieldManager should only contain printable characters");
}

std::string ManagerOfUserAgent(const std::string& user_agent) {
  std::string name = user_agent.substr(0, user_agent.find('/')).substr(0, kManagerBytesMax);
  std::erase_if(name, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
  return name.empty() ? "unknown" : name;
}

}  // namespace octet
