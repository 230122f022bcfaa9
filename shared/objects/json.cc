#include "shared/objects/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "shared/base/limits.h"
#include "shared/objects/utf8.h"

namespace octet {
namespace {

// Builds a Value from nlohmann's SAX events. The first fault ends the parse.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(Value()); }
  bool boolean(bool value) override { return Add(Value(value)); }
  bool number_integer(number_integer_t value) override { return Add(Value(int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) {
      return Fail("the integer " + std::to_string(value) + " is out of range");
    }
    return Add(Value(static_cast<int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    // nlohmann turns an integer of more than 64 bits into a floating point number.
    if (text.find_first_of(".eE") == string_t::npos) {
      return Fail("the integer " + text.substr(0, 40) + " is out of range");
    }
    return Add(Value(double{value}));
  }
  bool string(string_t& value) override { return Add(Value(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return Fail("binary values are no JSON"); }

  bool start_object(size_t /*members*/) override { return Open(Value::MakeMap()); }
  bool start_array(size_t /*items*/) override { return Open(Value::MakeList()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    Frame& frame = open_.back();
    if (!frame.keys.insert(name).second) {
      frame.key = name;
      return Fail("the key \"" + name + "\" is given twice");
    }
    frame.key = std::move(name);
    return true;
  }

  bool parse_error(size_t offset, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …".
    std::string cause = error.what();
    const size_t bracket = cause.find("] ");
    if (bracket != std::string::npos) cause.erase(0, bracket + 2);
    return Fail("byte " + std::to_string(offset) + ": " + cause);
  }

  const std::string& fault() const { return fault_; }
  Value TakeRoot() { return std::move(root_); }

 private:
  struct Frame {
    Value value;
    std::string key;  // Of the member that comes next.
    std::unordered_set<std::string> keys;
  };

  bool Fail(std::string cause) {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.value.is_map()) {
        path += (path.empty() ? "" : ".") + frame.key;
      } else {
        path += '[' + std::to_string(frame.value.AsList().size()) + ']';
      }
    }
    fault_ = (path.empty() ? "" : path + ": ") + cause;
    return false;
  }

  bool Add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = open_.back();
    if (frame.value.is_list()) {
      frame.value.AsList().push_back(std::move(value));
    } else {
      // Keys are known to differ, so that the member need not be looked for.
      frame.value.AsMap().push_back(
          {.key = frame.key, .key_position = {}, .value = std::move(value)});
    }
    return true;
  }

  bool Open(Value container) {
    if (open_.size() >= static_cast<size_t>(limits::kManifestDepthMax)) {
      return Fail("nested deeper than " + std::to_string(limits::kManifestDepthMax));
    }
    open_.push_back({.value = std::move(container), .key = {}, .keys = {}});
    return true;
  }

  bool Close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  std::vector<Frame> open_;
  Value root_;
  std::string fault_;
};

struct Style {
  bool pretty = false;
  bool sorted = false;
};

// What is no UTF-8 (a program's output in a message) becomes U+FFFD, so that the text is always
// JSON.
void AppendString(const std::string& text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = Utf8At(text, i).bytes;
    if (bytes != 1) {
      out += bytes == 0 ? "\xef\xbf\xbd" : std::string_view(text).substr(i, bytes);
      i += bytes == 0 ? 1 : bytes;
      continue;
    }
    const char letter = text[i++];
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\t') {
      out += "\\t";
    } else if (letter == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += letter;
    }
  }
  out += '"';
}

// The shortest text that reads back as the same floating point number, and as no integer. JSON
// knows no infinity and no NaN: they become null.
void AppendDouble(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  if (number == 0) number = 0;  // The two zeros are equal, so that their text must be.
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

class Writer {
 public:
  explicit Writer(Style style) : style_(style) {}

  void Append(const Value& value) {
    switch (value.type()) {
      case Value::Type::kNull:
        out_ += "null";
        break;
      case Value::Type::kBool:
        out_ += value.AsBool() ? "true" : "false";
        break;
      case Value::Type::kInt:
        out_ += std::to_string(value.AsInt());
        break;
      case Value::Type::kDouble:
        AppendDouble(value.AsDouble(), out_);
        break;
      case Value::Type::kString:
        AppendString(value.AsString(), out_);
        break;
      case Value::Type::kList:
        AppendList(value.AsList());
        break;
      case Value::Type::kMap:
        AppendMap(value.AsMap());
        break;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void NewLine() {
    if (!style_.pretty) return;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  void AppendList(const Value::List& list) {
    out_ += '[';
    ++depth_;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      NewLine();
      Append(list[i]);
    }
    --depth_;
    if (!list.empty()) NewLine();
    out_ += ']';
  }

  void AppendMap(const Value::Map& map) {
    std::vector<const Value::Member*> members;
    members.reserve(map.size());
    for (const Value::Member& member : map) members.push_back(&member);
    if (style_.sorted) {
      std::sort(members.begin(), members.end(),
                [](const Value::Member* a, const Value::Member* b) { return a->key < b->key; });
    }
    out_ += '{';
    ++depth_;
    for (size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      NewLine();
      AppendString(members[i]->key, out_);
      out_ += style_.pretty ? ": " : ":";
      Append(members[i]->value);
    }
    --depth_;
    if (!members.empty()) NewLine();
    out_ += '}';
  }

  Style style_;
  size_t depth_ = 0;
  std::string out_;
};

std::string Write(const Value& value, Style style) {
  Writer writer(style);
  writer.Append(value);
  return writer.Take();
}

}  // namespace

Result<Value> ReadJson(std::string_view text) {
  Builder builder;
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.TakeRoot();
  } catch (const std::exception& error) {
    return InvalidArgument(std::string("no JSON: ") + error.what());
  }
  return InvalidArgument(builder.fault());
}

std::string WriteJson(const Value& value) { return Write(value, {}); }
std::string WritePrettyJson(const Value& value) { return Write(value, {.pretty = true}); }
std::string WriteCanonicalJson(const Value& value) { return Write(value, {.sorted = true}); }

}  // namespace octet
