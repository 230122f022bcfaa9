#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared/base/crc32c.h"
#include "shared/base/sha256.h"

namespace octet {
namespace {

// The vectors of RFC 3720, appendix B.4, whose CRC is given there as bytes in order of sending.
struct CrcVector {
  std::string bytes;
  uint32_t crc;
};

std::string Ascending() {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(i);
  return bytes;
}

CrcVector ScsiRead() {
  std::string bytes(48, '\0');
  bytes[0] = '\x01';
  bytes[1] = '\xC0';
  bytes[16] = '\x14';
  bytes[22] = '\x04';
  bytes[27] = '\x14';
  bytes[31] = '\x18';
  bytes[32] = '\x28';
  bytes[40] = '\x02';
  return {bytes, 0xD9963A56};
}

std::vector<CrcVector> CrcVectors() {
  const std::string ascending = Ascending();
  return {{std::string(32, '\0'), 0x8A9136AA},
          {std::string(32, '\xFF'), 0x62A8AB43},
          {ascending, 0x46DD794E},
          {std::string(ascending.rbegin(), ascending.rend()), 0x113FDB5C},
          ScsiRead(),
          {"", 0},
          {"123456789", 0xE3069283}};
}

TEST(Crc32c, GivesTheAnswersOfRfc3720) {
  for (const auto& [bytes, crc] : CrcVectors()) EXPECT_EQ(Crc32c(bytes), crc);
}

TEST(Crc32c, GivesTheSameByTablesAlone) {
  for (const auto& [bytes, crc] : CrcVectors()) EXPECT_EQ(Crc32cByTables(bytes), crc);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  EXPECT_EQ(Crc32c("56789", Crc32c("1234")), Crc32c("123456789"));
  EXPECT_EQ(Crc32cByTables("56789", Crc32cByTables("1234")), Crc32c("123456789"));
  EXPECT_EQ(Crc32c("", 17), 17U);
}

// The examples of FIPS 180-4 as NIST publishes them.
TEST(Sha256, GivesTheAnswersOfNist) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheHashOfTheWhole) {
  Sha256 hash;
  hash.Update("a");
  hash.Update("");
  hash.Update("bc");
  EXPECT_EQ(hash.FinishHex(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace octet
