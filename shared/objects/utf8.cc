#include "shared/objects/utf8.h"

namespace octet {

Utf8Character Utf8At(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(offset);
  if (lead < 0x80) return {.code = lead, .bytes = 1};
  // The smallest code of each length: a smaller one would be a second spelling of the same
  // character.
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t bytes = lead >= 0xf0 && lead < 0xf8   ? 4
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xc0 && lead < 0xe0 ? 2
                                                     : 0;
  if (bytes == 0 || text.size() - offset < bytes) return {};
  char32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(offset + i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(offset + i) & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kSmallest[bytes] || code > 0x10ffff || surrogate) return {};
  return {.code = code, .bytes = bytes};
}

}  // namespace octet
