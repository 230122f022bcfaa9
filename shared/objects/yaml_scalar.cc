#include "shared/objects/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace octet {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool IsFloat(std::string_view text) {
  text = WithoutSign(text);
  const size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    fraction = CountDigits(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text = WithoutSign(text.substr(1));
  return !text.empty() && CountDigits(text) == text.size();
}

PlainScalar Integer(std::string_view digits, int base, const std::string& text) {
  int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error == std::errc::result_out_of_range) {
    return {.value = {}, .fault = "the integer " + text.substr(0, 40) + " is out of range"};
  }
  if (error != std::errc() || stop != end) return {.value = Value(text), .fault = {}};
  return {.value = Value(number), .fault = {}};
}

PlainScalar Float(const std::string& text) {
  // from_chars knows no plus sign.
  const std::string_view digits = std::string_view(text).substr(text[0] == '+' ? 1 : 0);
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc()) {
    return {.value = {}, .fault = "the number " + text.substr(0, 40) + " is out of range"};
  }
  return {.value = Value(number), .fault = {}};
}

}  // namespace

PlainScalar ResolvePlainScalar(const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return {};
  if (IsOneOf(text, {"true", "True", "TRUE"})) return {.value = Value(true), .fault = {}};
  if (IsOneOf(text, {"false", "False", "FALSE"})) return {.value = Value(false), .fault = {}};
  if (IsOneOf(WithoutSign(text), {".inf", ".Inf", ".INF"}) ||
      IsOneOf(text, {".nan", ".NaN", ".NAN"})) {
    return {.value = {}, .fault = text + " is no finite number (in quotes it is a string)"};
  }
  // A sign after 0x or 0o is no part of an integer, though from_chars would read it.
  if (text.size() > 2 && text[0] == '0' && text[2] != '-' && text[2] != '+') {
    if (text[1] == 'x') return Integer(std::string_view(text).substr(2), 16, text);
    if (text[1] == 'o') return Integer(std::string_view(text).substr(2), 8, text);
  }
  const std::string_view digits = WithoutSign(text);
  if (!digits.empty() && CountDigits(digits) == digits.size()) {
    return Integer(text[0] == '+' ? digits : std::string_view(text), 10, text);
  }
  if (IsFloat(text)) return Float(text);
  return {.value = Value(text), .fault = {}};
}

}  // namespace octet
