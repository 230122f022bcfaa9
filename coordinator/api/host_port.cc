#include "coordinator/api/host_port.h"

namespace octet {

Result<HostPort> ParseHostPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string digits = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool number = !digits.empty() && digits.size() <= 5 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::stoi(digits) > 65535) {
    return InvalidArgument("\"" + text +
                           "\" is no address: write an IP address and a port, as 127.0.0.1:7443");
  }
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{.host = std::move(host), .port = static_cast<uint16_t>(std::stoi(digits))};
}

}  // namespace octet
