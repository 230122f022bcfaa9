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
// Every fault of the text that can be found is in `faults`: after a fault of syntax, reading goes
// on with the next document. A document with such a fault is left out; one with another (a key that
// is given twice, of which the first counts; a tag; a merge key) is there, so that CheckDocument
// can add its own faults to the same answer. At most kManifestBytesMax are read. Aliases are
// followed up to a bound.
struct YamlDocuments {
  std::vector<Value> documents;
  Faults faults;
};
YamlDocuments ReadYaml(std::string_view text);

// Block style, two spaces, strings quoted only where a reader would take them for something else.
std::string WriteYaml(const Value& value);

}  // namespace octet
