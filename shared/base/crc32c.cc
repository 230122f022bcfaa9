#include "shared/base/crc32c.h"

#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace octet {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;

// Table k gives the effect of a byte that k further bytes follow, so that eight bytes of input are
// one exclusive-or of eight entries ("slicing by 8", Kounavis and Berry, 2005).
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = value;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t shorter = tables[k - 1][i];
      tables[k][i] = shorter >> 8 ^ tables[0][shorter & 0xFF];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();

// The next eight bytes as a number whose lowest byte is the first, on any machine.
uint64_t Load64(const char* bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8; ++i) word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cByInstruction(std::string_view bytes,
                                                               uint32_t before) {
  uint64_t value = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    value = _mm_crc32_u64(value, Load64(bytes.data()));
  }
  auto narrow = static_cast<uint32_t>(value);
  for (const char byte : bytes) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(byte));
  return ~narrow;
}
#endif

}  // namespace

uint32_t Crc32cByTables(std::string_view bytes, uint32_t before) {
  uint32_t value = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const uint64_t word = Load64(bytes.data()) ^ value;
    value = 0;
    for (size_t i = 0; i < 8; ++i) value ^= kTables[7 - i][word >> (8 * i) & 0xFF];
  }
  for (const char byte : bytes) {
    value = value >> 8 ^ kTables[0][(value ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~value;
}

uint32_t Crc32c(std::string_view bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return Crc32cByInstruction(bytes, before);
#endif
  return Crc32cByTables(bytes, before);
}

}  // namespace octet
