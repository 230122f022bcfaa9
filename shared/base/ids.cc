#include "shared/base/ids.h"

#include <cstdio>

namespace octet {

std::string FormatUuid(uint64_t high, uint64_t low) {
  high = (high & ~uint64_t{0xF000}) | 0x4000;                    // Version 4.
  low = (low & ~(uint64_t{0xC} << 60)) | (uint64_t{0x8} << 60);  // Variant 10.
  char text[37];
  std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<uint32_t>(high >> 32), static_cast<uint32_t>(high >> 16 & 0xFFFF),
                static_cast<uint32_t>(high & 0xFFFF), static_cast<uint32_t>(low >> 48),
                static_cast<unsigned long long>(low & 0xFFFF'FFFF'FFFF));
  return text;
}

}  // namespace octet
