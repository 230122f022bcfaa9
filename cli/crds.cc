// `octet crds`.
#include <iostream>

#include "cli/commands.h"
#include "shared/objects/json_schema.h"
#include "shared/objects/yaml.h"

namespace octet::cli {

Status PrintCrds() {
  std::cout << "# Written by `octet crds`: the kinds as CustomResourceDefinitions.\n";
  for (const KindInfo& info : AllKinds()) {
    std::cout << "---\n" << WriteYaml(CustomResourceDefinitionOf(info));
  }
  return Ok();
}

}  // namespace octet::cli
