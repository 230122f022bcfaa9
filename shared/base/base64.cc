#include "shared/base/base64.h"

#include <array>
#include <cstdint>

namespace octet {
namespace {

constexpr std::string_view kLettersAndDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// The character of a number below 64; 62 and 63 are `last`.
char CharacterOf(uint32_t number, std::string_view last) {
  return number < 62 ? kLettersAndDigits[number] : last[number - 62];
}

std::string Encode(std::string_view bytes, std::string_view last) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    count += 8;
    for (; count >= 6; count -= 6) text += CharacterOf(bits >> (count - 6) & 63, last);
  }
  if (count > 0) text += CharacterOf(bits << (6 - count) & 63, last);
  return text;
}

// `text` has no padding.
Result<std::string> Decode(std::string_view text, std::string_view last) {
  if (text.size() % 4 == 1) return InvalidArgument("not base64: it is cut off");
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char character : text) {
    size_t number = kLettersAndDigits.find(character);
    if (number == std::string_view::npos && last.find(character) != std::string_view::npos) {
      number = 62 + last.find(character);
    }
    if (number == std::string_view::npos) return InvalidArgument("not base64");
    bits = bits << 6 | static_cast<uint32_t>(number);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

}  // namespace

std::string Base64(std::string_view bytes) {
  std::string text = Encode(bytes, "+/");
  while (text.size() % 4 != 0) text += '=';
  return text;
}

Result<std::string> FromBase64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return InvalidArgument("not base64: its length is no multiple of 4");
  }
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return Decode(text, "+/");
}

std::string Base64Url(std::string_view bytes) { return Encode(bytes, "-_"); }

Result<std::string> FromBase64Url(std::string_view text) { return Decode(text, "-_"); }

}  // namespace octet
