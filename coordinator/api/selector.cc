#include "coordinator/api/selector.h"

#include <algorithm>

#include "coordinator/api/text_parts.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// Splits at commas that are not inside parentheses.
std::vector<std::string_view> SplitParts(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool inside = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') inside = true;
    if (i < text.size() && text[i] == ')') inside = false;
    if (i < text.size() && (inside || text[i] != ',')) continue;
    parts.push_back(Trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

// A key as a label has it; what else it could be is not for a selector to say.
bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

Status Unreadable(std::string_view part) {
  return InvalidArgument("unable to parse the selector \"" + std::string(part) +
                         "\": write key=value, key!=value, key in (a,b), key notin (a,b), key or "
                         "!key");
}

bool IsField(const KindInfo& info, const std::string& key) {
  if (key == "metadata.name" || (key == "metadata.namespace" && info.namespaced)) return true;
  const auto& fields = info.selectable_fields;
  return std::find(fields.begin(), fields.end(), key) != fields.end();
}

// A field as a selector writes it; one that is not set is the empty word.
std::string WordOf(const Value* field) {
  if (field == nullptr || field->is_null()) return "";
  return field->is_string() ? field->AsString() : WriteJson(*field);
}

// The key and value of "a=b", "a==b" or "a!=b"; an empty key if it is none of these.
struct Comparison {
  std::string key{};
  std::string value{};
  bool negated = false;
};
Comparison SplitComparison(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return {};
  const bool negated = text[equals - 1] == '!';
  std::string_view value = text.substr(equals + 1);
  if (!negated && value.starts_with('=')) value.remove_prefix(1);
  return {.key = std::string(Trimmed(text.substr(0, negated ? equals - 1 : equals))),
          .value = std::string(Trimmed(value)),
          .negated = negated};
}

}  // namespace

Result<Selector> Selector::Parse(const KindInfo& info, std::string_view labels,
                                 std::string_view fields) {
  Selector selector;
  if (!Trimmed(labels).empty()) {
    for (const std::string_view part : SplitParts(labels)) {
      OCTET_ASSIGN_OR_RETURN(Requirement requirement, ParseLabel(part));
      selector.labels_.push_back(std::move(requirement));
    }
  }
  if (!Trimmed(fields).empty()) {
    for (const std::string_view part : SplitParts(fields)) {
      OCTET_ASSIGN_OR_RETURN(Requirement requirement, ParseField(info, part));
      selector.fields_.push_back(std::move(requirement));
    }
  }
  return selector;
}

Result<Selector::Requirement> Selector::ParseLabel(std::string_view text) {
  Requirement requirement;
  const Comparison comparison = SplitComparison(text);
  const size_t open = text.find('(');
  if (!comparison.key.empty()) {
    requirement.key = comparison.key;
    requirement.negated = requirement.absent_matches = comparison.negated;
    requirement.values = {comparison.value};
    if (!comparison.value.empty() && !IsWord(comparison.value)) return Unreadable(text);
  } else if (open != std::string_view::npos && text.ends_with(')')) {
    std::string_view head = Trimmed(text.substr(0, open));
    const size_t space = head.rfind(' ');
    const std::string_view word = space == std::string_view::npos ? "" : head.substr(space + 1);
    if (word != "in" && word != "notin") return Unreadable(text);
    requirement.negated = requirement.absent_matches = word == "notin";
    requirement.key = std::string(Trimmed(head.substr(0, space)));
    for (const std::string_view value : SplitParts(text.substr(open + 1, text.size() - open - 2))) {
      requirement.values.emplace_back(value);
    }
  } else {
    requirement.any_value = true;
    requirement.absent_matches = requirement.negated = text.starts_with('!');
    requirement.key = std::string(requirement.negated ? Trimmed(text.substr(1)) : text);
  }
  if (!IsWord(requirement.key)) return Unreadable(text);
  return requirement;
}

Result<Selector::Requirement> Selector::ParseField(const KindInfo& info, std::string_view text) {
  const Comparison comparison = SplitComparison(text);
  if (comparison.key.empty()) {
    return InvalidArgument("invalid field selector \"" + std::string(text) +
                           "\": write field=value or field!=value");
  }
  if (!IsField(info, comparison.key)) {
    return InvalidArgument("field label not supported: " + comparison.key);
  }
  Requirement requirement;
  requirement.key = comparison.key;
  requirement.negated = requirement.absent_matches = comparison.negated;
  requirement.values = {comparison.value};
  return requirement;
}

bool Selector::Holds(const Requirement& requirement, const std::string* value) {
  if (value == nullptr) return requirement.absent_matches;
  if (requirement.any_value) return !requirement.negated;
  const auto& values = requirement.values;
  const bool listed = std::find(values.begin(), values.end(), *value) != values.end();
  return listed != requirement.negated;
}

bool Selector::Matches(const Object& object) const {
  for (const Requirement& requirement : labels_) {
    const auto found = object.meta.labels.find(requirement.key);
    const std::string* value = found == object.meta.labels.end() ? nullptr : &found->second;
    if (!Holds(requirement, value)) return false;
  }
  if (fields_.empty()) return true;
  const Value document = EncodeObject(object);
  for (const Requirement& requirement : fields_) {
    const std::string value = WordOf(document.FindPath(requirement.key));
    if (!Holds(requirement, &value)) return false;
  }
  return true;
}

}  // namespace octet
