#include "coordinator/api/request.h"

#include <algorithm>

#include "coordinator/api/text_parts.h"

namespace octet {
namespace {

const std::string kEmpty;

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char byte = text[i];
    if (byte == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return InvalidArgument("a '%' that is not followed by two hexadecimal digits");
      }
      byte = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (byte == '+' && plus_is_space) {
      byte = ' ';
    }
    decoded += byte;
  }
  const auto control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  if (std::any_of(decoded.begin(), decoded.end(), control)) {
    return InvalidArgument("control characters in the address");
  }
  return decoded;
}

Result<std::vector<std::string>> ParsePath(std::string_view path) {
  std::vector<std::string> segments;
  if (!path.starts_with('/')) return InvalidArgument("the path must begin with a slash");
  path.remove_prefix(1);
  // One slash at the end is a habit, not a segment.
  if (path.ends_with('/')) {
    path.remove_suffix(1);
    if (path.empty() || path.ends_with('/')) return InvalidArgument("two slashes in the path");
  }
  while (!path.empty()) {
    OCTET_ASSIGN_OR_RETURN(std::string segment, PercentDecode(TakeUpTo('/', path), false));
    if (segment.empty() || segment == "." || segment == ".." ||
        segment.find('/') != std::string::npos) {
      return InvalidArgument("a part of the path is empty, '.', '..' or contains a slash");
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace

const std::string& ApiRequest::Header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? kEmpty : found->second;
}

const std::string& ApiRequest::Query(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? kEmpty : found->second;
}

bool IsTrueWord(std::string_view word) {
  return word == "1" || word == "t" || word == "T" || word == "true" || word == "True" ||
         word == "TRUE";
}

Result<RequestTarget> ParseTarget(std::string_view target) {
  RequestTarget parsed;
  std::string_view rest = target;
  OCTET_ASSIGN_OR_RETURN(parsed.path, ParsePath(TakeUpTo('?', rest)));
  while (!rest.empty()) {
    std::string_view value = TakeUpTo('&', rest);
    OCTET_ASSIGN_OR_RETURN(const std::string name, PercentDecode(TakeUpTo('=', value), true));
    if (name.empty()) continue;
    OCTET_ASSIGN_OR_RETURN(parsed.query[name], PercentDecode(value, true));
  }
  return parsed;
}

}  // namespace octet
