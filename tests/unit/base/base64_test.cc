#include "shared/base/base64.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

// RFC 4648, section 10.
TEST(Base64, GivesTheRfcsVectorsAndReadsThemBack) {
  const std::string cases[][2] = {{"", ""},
                                  {"f", "Zg=="},
                                  {"fo", "Zm8="},
                                  {"foo", "Zm9v"},
                                  {"foob", "Zm9vYg=="},
                                  {"fooba", "Zm9vYmE="},
                                  {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(Base64(bytes), text);
    ASSERT_TRUE(FromBase64(text).ok()) << text;
    EXPECT_EQ(*FromBase64(text), bytes);
    const std::string url = text.substr(0, text.find('='));
    EXPECT_EQ(Base64Url(bytes), url);
    ASSERT_TRUE(FromBase64Url(url).ok()) << url;
    EXPECT_EQ(*FromBase64Url(url), bytes);
  }
}

// The two alphabets differ in the last two letters.
TEST(Base64, TheFormForAddressesHasNoLetterOfTheirs) {
  const std::string bytes = "\xfb\xff\xfe";
  EXPECT_EQ(Base64(bytes), "+//+");
  EXPECT_EQ(Base64Url(bytes), "-__-");
  EXPECT_FALSE(FromBase64("-__-").ok());
  EXPECT_FALSE(FromBase64Url("+//+").ok());
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const std::string part = bytes.substr(0, length);
    EXPECT_EQ(*FromBase64(Base64(part)), part);
    EXPECT_EQ(*FromBase64Url(Base64Url(part)), part);
  }
}

TEST(Base64, WhatIsNotBase64IsRefused) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "=", "Z=g=", "Zm9v Zg==", "Zm9\n", "Zg==Zg=="}) {
    EXPECT_FALSE(FromBase64(text).ok()) << text;
  }
  for (const char* text : {"Z", "Zg==", "Zm9v Zg", "Zm9vZ"}) {
    EXPECT_FALSE(FromBase64Url(text).ok()) << text;
  }
}

}  // namespace
}  // namespace octet
