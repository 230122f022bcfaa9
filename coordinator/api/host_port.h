// HostPort: "host:port" of a flag, taken apart. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/status.h"

namespace octet {

struct HostPort {
  std::string host;  // Without the brackets of "[::1]:7443".
  uint16_t port = 0;
};

// kInvalidArgument: no colon, or no port from 0 to 65535 behind the last one.
Result<HostPort> ParseHostPort(const std::string& text);

}  // namespace octet
