// YAML text to Values and back. Reading is strict: yaml-cpp's event parser under our own builder,
// so that duplicate keys, anchors' misuse, tabs, unterminated quotes and merge keys are faults with
// a line and a column, and `yes`/`no` are strings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/objects/fault.h"
#include "shared/objects/value.h"

namespace octet {

// The documents of a text with `---` between them (JSON is YAML too); empty documents are dropped.
// Every fault of the text that can be found is in `faults`; documents with a fault may be partial.
struct YamlDocuments {
  std::vector<Value> documents;
  Faults faults;
};
YamlDocuments ReadYaml(std::string_view text);

// Block style, two spaces, strings quoted only where a reader would take them for something else.
std::string WriteYaml(const Value& value);

}  // namespace octet
