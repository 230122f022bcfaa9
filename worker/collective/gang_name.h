// How a board names itself to the others of its gang: the routing id of its sockets,
// "JOB-UID/FENCE/RANK". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shared/base/ids.h"

namespace octet {

// One assignment of one job.
struct GangId {
  JobUid job;
  Fence fence;
  bool operator==(const GangId&) const = default;
};

struct GangName {
  GangId gang;
  int rank = 0;
  bool operator==(const GangName&) const = default;
};

std::string FormatGangName(const GangName& name);
// Nothing for any other text.
std::optional<GangName> ParseGangName(std::string_view text);

}  // namespace octet
