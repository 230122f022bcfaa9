#include <array>

#include "shared/objects/json.h"
#include "shared/objects/utf8.h"
#include "shared/objects/yaml.h"
#include "shared/objects/yaml_scalar.h"

namespace octet {
namespace {

// Words that readers of YAML 1.1, kubectl's among them, take for booleans or give a meaning of
// their own.
bool IsOldWord(const std::string& text) {
  static constexpr std::array<std::string_view, 18> words = {"y",  "Y",   "yes", "Yes", "YES", "n",
                                                             "N",  "no",  "No",  "NO",  "on",  "On",
                                                             "ON", "off", "Off", "OFF", "<<",  "="};
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

// Dates, times, 1_000, 0b11 and 190:20:30 are no strings in YAML 1.1.
bool LooksLikeOldNumber(const std::string& text) {
  constexpr std::string_view kFirst = "0123456789+-.";
  constexpr std::string_view kAny = "0123456789+-._:eExXoObBTtZz, ABCDFabcdf";
  return kFirst.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of(kAny) == std::string::npos;
}

bool MayBePlain(const std::string& text) {
  if (text.empty() || !ResolvePlainScalar(text).value.is_string()) return false;
  if (IsOldWord(text) || LooksLikeOldNumber(text)) return false;
  // Indicators may not begin a plain scalar; '-' and '?' may, but only before a letter.
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`:-? ";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  for (size_t i = 0; i < text.size();) {
    const Utf8Character character = Utf8At(text, i);
    if (character.bytes == 0 || character.code < 0x20) return false;
    if (character.code >= 0x7f && character.code < 0xa0) return false;
    if (character.code == 0x2028 || character.code == 0x2029 || character.code >= 0xfe00) {
      return false;
    }
    i += character.bytes;
  }
  return text.find(": ") == std::string::npos && text.find(" #") == std::string::npos;
}

void AppendEscaped(char32_t code, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  const int digits = code > 0xffff ? 8 : code > 0xff ? 4 : 2;
  out += digits == 8 ? "\\U" : digits == 4 ? "\\u" : "\\x";
  for (int digit = digits - 1; digit >= 0; --digit) out += kHex[(code >> (4 * digit)) & 15];
}

void AppendQuoted(const std::string& text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const Utf8Character character = Utf8At(text, i);
    const char32_t code = character.bytes == 0 ? 0xfffd : character.code;
    if (code == '"' || code == '\\') {
      out += '\\';
      out += static_cast<char>(code);
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
               (code >= 0xfe00 && code < 0x10000)) {
      AppendEscaped(code, out);
    } else {
      out += std::string_view(text).substr(i, character.bytes);
    }
    i += character.bytes == 0 ? 1 : character.bytes;
  }
  out += '"';
}

class Writer {
 public:
  // A value that begins on the line that is being written, after "key:" or "-".
  void AppendInline(const Value& value, size_t depth) {
    if (value.is_map() && !value.AsMap().empty()) return AppendMap(value.AsMap(), depth);
    if (value.is_list() && !value.AsList().empty()) return AppendList(value.AsList(), depth);
    AppendScalar(value);
    out_ += '\n';
  }

  std::string Take() { return std::move(out_); }

 private:
  // The first line stands where the writer is; the others are indented.
  void AppendMap(const Value::Map& map, size_t depth) {
    bool first = true;
    for (const Value::Member& member : map) {
      if (!first) Indent(depth);
      first = false;
      AppendString(member.key);
      out_ += ':';
      const bool nested = (member.value.is_map() && !member.value.AsMap().empty()) ||
                          (member.value.is_list() && !member.value.AsList().empty());
      if (nested) {
        out_ += '\n';
        Indent(depth + 1);
        AppendInline(member.value, depth + 1);
      } else {
        out_ += ' ';
        AppendInline(member.value, depth);
      }
    }
  }

  void AppendList(const Value::List& list, size_t depth) {
    bool first = true;
    for (const Value& item : list) {
      if (!first) Indent(depth);
      first = false;
      out_ += "- ";
      AppendInline(item, depth + 1);
    }
  }

  void AppendScalar(const Value& value) {
    if (value.is_string()) return AppendString(value.AsString());
    // Empty lists and maps, numbers, true, false and null are the same in JSON.
    out_ += WriteJson(value);
  }

  void AppendString(const std::string& text) {
    if (MayBePlain(text)) {
      out_ += text;
    } else {
      AppendQuoted(text, out_);
    }
  }

  void Indent(size_t depth) { out_.append(2 * depth, ' '); }

  std::string out_;
};

}  // namespace

std::string WriteYaml(const Value& value) {
  Writer writer;
  writer.AppendInline(value, 0);
  return writer.Take();
}

}  // namespace octet
