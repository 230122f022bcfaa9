#include "worker/collective/frame_header.h"

#include <gtest/gtest.h>

#include "worker/collective/gang_name.h"

namespace octet {
namespace {

const FrameHeader kHeader = {.kind = FrameKind::kResult,
                             .source = 0x0102,
                             .plan_hash = 0x0304,
                             .fence = 0x05060708090a0b0c,
                             .operation = 0x0d0e0f10,
                             .chunk = 0x11121314,
                             .type = OperationType::kSumFloat32,
                             .elements = 0x15161718191a1b};

std::string Encoded(const FrameHeader& header) {
  const auto bytes = EncodeFrameHeader(header);
  return std::string(bytes.data(), bytes.size());
}

TEST(FrameHeader, HasTheWrittenLayout) {
  const std::string expected(
      "OC\x01\x02\x02\x01\x04\x03\x0c\x0b\x0a\x09\x08\x07\x06\x05"
      "\x10\x0f\x0e\x0d\x14\x13\x12\x11\x1b\x1a\x19\x18\x17\x16\x15\x03",
      kFrameHeaderBytes);
  EXPECT_EQ(Encoded(kHeader), expected);
}

TEST(FrameHeader, ComesBackAsItWas) { EXPECT_EQ(DecodeFrameHeader(Encoded(kHeader)), kHeader); }

TEST(FrameHeader, CountsBeyondThirtyTwoBitsAreNotCut) {
  FrameHeader header = kHeader;
  header.elements = kElementsMax;
  EXPECT_EQ(DecodeFrameHeader(Encoded(header))->elements, kElementsMax);
}

TEST(FrameHeader, RefusesWhatIsNotOne) {
  const std::string good = Encoded(kHeader);
  EXPECT_FALSE(DecodeFrameHeader(""));
  EXPECT_FALSE(DecodeFrameHeader(good.substr(1)));
  EXPECT_FALSE(DecodeFrameHeader(good + "x"));
  for (const size_t place : {0, 1, 2, 3, 31}) {
    std::string bad = good;
    bad[place] = '\x7f';
    EXPECT_FALSE(DecodeFrameHeader(bad)) << place;
  }
}

TEST(GangName, ComesBackAsItWas) {
  const GangName name = {.gang = {.job = JobUid("2f0c/strange"), .fence = Fence(12)}, .rank = 3};
  EXPECT_EQ(FormatGangName(name), "2f0c/strange/12/3");
  EXPECT_EQ(ParseGangName("2f0c/strange/12/3"), name);
}

TEST(GangName, RefusesOtherTexts) {
  for (const char* text : {"", "/", "a/1", "a//1", "/1/2", "a/1/", "a/1/x", "a/-1/2", "a/1/2 "}) {
    EXPECT_FALSE(ParseGangName(text)) << text;
  }
}

}  // namespace
}  // namespace octet
