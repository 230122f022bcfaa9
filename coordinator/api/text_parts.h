// How the texts of headers and queries are taken apart. Pure.
#pragma once

#include <string_view>

namespace octet {

// Without spaces at either end.
std::string_view Trimmed(std::string_view text);

// The text up to `separator`, which is taken from `rest` with it; all of it if there is none.
std::string_view TakeUpTo(char separator, std::string_view& rest);

}  // namespace octet
