// Base64 with padding (RFC 4648, section 4), and its form for addresses and file names without
// padding (section 5). Pure.
#pragma once

#include <string>
#include <string_view>

#include "shared/base/status.h"

namespace octet {

std::string Base64(std::string_view bytes);
// kInvalidArgument: not base64.
Result<std::string> FromBase64(std::string_view text);

std::string Base64Url(std::string_view bytes);
Result<std::string> FromBase64Url(std::string_view text);

}  // namespace octet
