// Caller: who asks. Found by authentication, asked for by authorization. A value.
#pragma once

#include <string>
#include <vector>

namespace octet {

// Everybody in this group may do everything.
inline constexpr char kAdminGroup[] = "octet:admins";
inline constexpr char kAuthenticatedGroup[] = "system:authenticated";

struct Caller {
  std::string name{};  // Empty: a program on this machine that does not say for whom it asks.
  std::string uid{};
  std::vector<std::string> groups{};
  // May let another than itself pay for a job.
  bool may_name_others = false;
};

}  // namespace octet
