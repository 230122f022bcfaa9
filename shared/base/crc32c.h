// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4 has test vectors).
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace octet {

// The checksum of `bytes`, or of a longer text whose beginning had the checksum `before`.
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);

// The same by tables alone, as Crc32c does it where the processor has no CRC instruction.
uint32_t Crc32cByTables(std::string_view bytes, uint32_t before = 0);

}  // namespace octet
