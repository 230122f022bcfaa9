// What a command is about: kinds and names as the user typed them. Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/objects/kinds.h"

namespace octet::cli {

struct Target {
  const KindInfo* info = nullptr;
  std::string name;  // Empty: all of the kind.
};

// "tj", "tj,uq", "tj iris digits", "tj/iris uq/alice", as kubectl reads them. kInvalidArgument
// names the word that is no kind, with a did-you-mean.
Result<std::vector<Target>> ParseTargets(const std::vector<std::string>& words);

}  // namespace octet::cli
