// The command line of octet-coordinator: strict, so that a typing mistake is never a silent
// default. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/status.h"

namespace octet {

enum class ProviderKind { kLocal, kNone };

struct CoordinatorFlags {
  std::string home{};
  // "host:port" with an IP address; port 0 takes a free one.
  std::string api_address = "127.0.0.1:7443";
  std::string control_address = "127.0.0.1:7444";
  std::string metrics_address = "127.0.0.1:7446";
  // Of the pool that the coordinator makes or updates at its start; none: the pools in the store
  // decide.
  std::optional<int64_t> boards{};
  std::string pool = "local";
  std::string pool_type = "v3-8";
  ProviderKind provider = ProviderKind::kLocal;
  std::string worker{};  // The worker's program; empty: octet-worker beside the coordinator.
  bool help = false;
  bool version = false;
};

// `arguments` without the program's name; "--flag value" and "--flag=value". kInvalidArgument names
// the flag and the fix.
Result<CoordinatorFlags> ParseCoordinatorFlags(const std::vector<std::string>& arguments);

// The text of --help.
std::string CoordinatorUsage();

// Slices of a type that have so many boards; kInvalidArgument names the type and the boards of a
// slice if they do not divide.
Result<int64_t> SlicesFor(const std::string& pool_type, int64_t boards);

}  // namespace octet
