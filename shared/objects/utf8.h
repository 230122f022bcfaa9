// UTF-8: where one character of a text ends, and whether it is one at all (RFC 3629). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace octet {

struct Utf8Character {
  char32_t code = 0;
  size_t bytes = 0;  // 0: what begins there is no UTF-8 (too short, too long a form, a surrogate).
};

// The character that begins at `offset` (below the size of `text`).
Utf8Character Utf8At(std::string_view text, size_t offset);

}  // namespace octet
