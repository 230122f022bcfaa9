#include "shared/base/crc32c.h"

#include <array>

namespace octet {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

}  // namespace

uint32_t Crc32c(std::string_view bytes, uint32_t before) {
  uint32_t value = ~before;
  for (const char byte : bytes) {
    value = value >> 8 ^ kTable[(value ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~value;
}

}  // namespace octet
