// `octet get`, `octet describe` and the overview of `octet status`.
#include <iostream>
#include <map>

#include "cli/commands.h"
#include "cli/table.h"
#include "shared/objects/conditions.h"
#include "shared/objects/json.h"
#include "shared/objects/yaml.h"

namespace octet::cli {
namespace {

// The objects that the targets name, as whole documents, in order.
Result<std::vector<std::pair<const KindInfo*, Value>>> Fetch(ApiClient& api,
                                                             const std::vector<Target>& targets,
                                                             const std::string& ns,
                                                             const std::string& selector) {
  std::vector<std::pair<const KindInfo*, Value>> objects;
  for (const Target& target : targets) {
    const std::string scope = target.info->namespaced ? ns : "";
    if (!target.name.empty()) {
      OCTET_ASSIGN_OR_RETURN(Value object, api.Get(target.info->kind, scope, target.name));
      objects.emplace_back(target.info, std::move(object));
      continue;
    }
    OCTET_ASSIGN_OR_RETURN(const Value list, api.List(target.info->kind, scope, selector));
    const Value* items = list.Find("items");
    if (items == nullptr || !items->is_list()) continue;
    for (const Value& item : items->AsList()) {
      Value object = item;
      // Items of a list may leave these out, since the list says them.
      object.Set("apiVersion", kApiVersion);
      object.Set("kind", target.info->name);
      objects.emplace_back(target.info, std::move(object));
    }
  }
  return objects;
}

void PrintTables(const std::vector<std::pair<const KindInfo*, Value>>& objects,
                 const ColumnOptions& options, TimePoint now) {
  // One table a kind, in the order in which the kinds were asked for.
  std::vector<const KindInfo*> kinds;
  std::map<const KindInfo*, std::vector<Row>> rows;
  for (const auto& [info, object] : objects) {
    if (rows[info].empty()) kinds.push_back(info);
    ColumnOptions own = options;
    own.with_namespace = options.with_namespace && info->namespaced;
    rows[info].push_back(RowOf(*info, object, own, now));
  }
  bool first = true;
  for (const KindInfo* info : kinds) {
    if (!first) std::cout << '\n';
    first = false;
    ColumnOptions own = options;
    own.with_namespace = options.with_namespace && info->namespaced;
    std::cout << FormatTable(HeaderOf(*info, own), rows[info]);
  }
}

Value AsList(const std::vector<std::pair<const KindInfo*, Value>>& objects, bool single) {
  if (single && objects.size() == 1) return objects[0].second;
  Value::List items;
  for (const auto& [info, object] : objects) items.push_back(object);
  Value list = Value::MakeMap();
  list.Set("apiVersion", "v1");
  list.Set("kind", "List");
  list.Set("items", Value::MakeList(std::move(items)));
  return list;
}

std::string Indented(const std::string& text, const std::string& indent) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    result += indent + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return result;
}

void DescribeConditions(const Value& object, TimePoint now) {
  const Value* list = object.FindPath("status.conditions");
  std::vector<Row> rows;
  for (const Condition& condition : DecodeConditions(list)) {
    rows.push_back({condition.type, condition.status ? "True" : "False", condition.reason,
                    FormatDurationShort(now - condition.last_transition), condition.message});
  }
  if (rows.empty()) return;
  std::cout << "Conditions:\n"
            << Indented(FormatTable({"TYPE", "STATUS", "REASON", "SINCE", "MESSAGE"}, rows), "  ");
}

void DescribeOne(const KindInfo& info, const Value& object, TimePoint now) {
  const Value* meta = object.Find("metadata");
  const auto field = [](const std::string& name, const std::string& text) {
    std::cout << name << ':' << std::string(name.size() < 13 ? 13 - name.size() : 1, ' ') << text
              << '\n';
  };
  field("Name", CellText(meta->Find("name")));
  if (info.namespaced) field("Namespace", CellText(meta->Find("namespace")));
  field("Kind", info.name);
  field("Created", CellText(meta->Find("creationTimestamp")));
  field("UID", CellText(meta->Find("uid")));
  field("Generation", CellText(meta->Find("generation")));
  for (const char* part : {"labels", "annotations"}) {
    if (const Value* map = meta->Find(part);
        map != nullptr && map->is_map() && !map->AsMap().empty()) {
      std::cout << (part[0] == 'l' ? "Labels:\n" : "Annotations:\n")
                << Indented(WriteYaml(*map), "  ");
    }
  }
  if (const Value* spec = object.Find("spec"); spec != nullptr) {
    std::cout << "Spec:\n" << Indented(WriteYaml(*spec), "  ");
  }
  if (const Value* status = object.Find("status"); status != nullptr && status->is_map()) {
    Value rest = *status;
    rest.Erase("conditions");
    std::cout << "Status:\n" << Indented(WriteYaml(rest), "  ");
  }
  DescribeConditions(object, now);
}

}  // namespace

Result<OutputForm> ParseOutputForm(const std::string& word) {
  if (word.empty()) return OutputForm::kTable;
  if (word == "wide") return OutputForm::kWide;
  if (word == "json") return OutputForm::kJson;
  if (word == "yaml") return OutputForm::kYaml;
  if (word == "name") return OutputForm::kName;
  return InvalidArgument("-o " + word + ": write json, yaml, wide or name");
}

Status Get(ApiClient& api, const Clock& clock, const GetOptions& options) {
  OCTET_ASSIGN_OR_RETURN(const std::vector<Target> targets, ParseTargets(options.words));
  OCTET_ASSIGN_OR_RETURN(
      const auto objects,
      Fetch(api, targets, options.all_namespaces ? "" : options.ns, options.selector));
  switch (options.form) {
    case OutputForm::kJson:
      std::cout << WritePrettyJson(AsList(objects, !targets[0].name.empty())) << '\n';
      return Ok();
    case OutputForm::kYaml:
      std::cout << WriteYaml(AsList(objects, !targets[0].name.empty()));
      return Ok();
    case OutputForm::kName:
      for (const auto& [info, object] : objects) {
        std::cout << info->singular << '.' << kApiGroup << '/'
                  << CellText(object.FindPath("metadata.name")) << '\n';
      }
      return Ok();
    case OutputForm::kTable:
    case OutputForm::kWide:
      break;
  }
  if (objects.empty()) {
    std::cerr << "No resources found"
              << (targets[0].info->namespaced && !options.all_namespaces
                      ? " in " + options.ns + " namespace."
                      : ".")
              << '\n';
    return Ok();
  }
  PrintTables(objects,
              {.wide = options.form == OutputForm::kWide, .with_namespace = options.all_namespaces},
              clock.Now());
  return Ok();
}

Status Describe(ApiClient& api, const Clock& clock, const DescribeOptions& options) {
  OCTET_ASSIGN_OR_RETURN(const std::vector<Target> targets, ParseTargets(options.words));
  OCTET_ASSIGN_OR_RETURN(const auto objects, Fetch(api, targets, options.ns, ""));
  bool first = true;
  for (const auto& [info, object] : objects) {
    if (!first) std::cout << "\n\n";
    first = false;
    DescribeOne(*info, object, clock.Now());
  }
  return Ok();
}

Status ShowOverview(ApiClient& api, const Clock& clock) {
  const struct {
    Kind kind;
    const char* title;
    const char* none;
  } parts[] = {
      {Kind::kBoard, "Boards", "none yet"},
      {Kind::kTrainingJob, "Jobs", "none; try: octet apply -f manifests/iris.yaml"},
      {Kind::kUserQuota, "Quota", "every user has the standard one: 30h a week, 3h a session"}};
  for (const auto& part : parts) {
    const KindInfo& info = InfoOf(part.kind);
    OCTET_ASSIGN_OR_RETURN(const auto objects, Fetch(api, {{&info, ""}}, "", ""));
    std::cout << '\n' << part.title << '\n';
    if (objects.empty()) {
      std::cout << "  " << part.none << '\n';
      continue;
    }
    const ColumnOptions columns{.wide = false, .with_namespace = info.namespaced};
    std::vector<Row> rows;
    for (const auto& [unused, object] : objects) {
      rows.push_back(RowOf(info, object, columns, clock.Now()));
    }
    std::cout << Indented(FormatTable(HeaderOf(info, columns), rows), "  ");
  }
  return Ok();
}

}  // namespace octet::cli
