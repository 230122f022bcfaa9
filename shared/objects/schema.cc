#include "shared/objects/schema.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "shared/base/limits.h"
#include "shared/base/time.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// Of a value or a key that a message quotes.
constexpr size_t kQuotedBytesMax = 48;
// Of the members that a message lists.
constexpr size_t kListedWordsMax = 16;

std::string Quoted(const std::string& text) {
  if (text.size() <= kQuotedBytesMax) return WriteJson(Value(text));
  size_t end = kQuotedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return WriteJson(Value(text.substr(0, end) + "..."));
}

class Checker {
 public:
  explicit Checker(Faults& faults) : faults_(faults) {}

  void Check(const Schema& schema, const std::string& path, Value& value) {
    if (faults_.size() >= limits::kFaultsCountedMax) return;
    switch (schema.type) {
      case FieldType::kBool:
        return CheckBool(path, value);
      case FieldType::kInt:
        return CheckInt(schema, path, value);
      case FieldType::kNumber:
        return CheckNumber(schema, path, value);
      case FieldType::kString:
        return CheckString(schema, path, value);
      case FieldType::kDuration:
        return CheckDuration(schema, path, value);
      case FieldType::kList:
        return CheckList(schema, path, value);
      case FieldType::kMap:
        return CheckMap(schema, path, value);
      case FieldType::kOneOf:
        return CheckOneOf(schema, path, value);
      case FieldType::kStrings:
        return CheckStrings(path, value);
      case FieldType::kAny:
        return;
    }
  }

 private:
  void Add(const std::string& path, Position position, std::string message,
           std::string reason = "FieldValueInvalid") {
    faults_.push_back({.path = path,
                       .message = std::move(message),
                       .position = position,
                       .reason = std::move(reason)});
  }

  void WrongType(const std::string& path, const Value& value, const std::string& wanted) {
    Add(path, value.position, "must be " + wanted + "; got " + Describe(value));
  }

  void CheckBool(const std::string& path, const Value& value) {
    if (!value.is_bool()) WrongType(path, value, "true or false");
  }

  void CheckInt(const Schema& schema, const std::string& path, const Value& value) {
    if (!value.is_int()) return WrongType(path, value, "a whole number");
    CheckBounds(schema, path, value.position, value.AsDouble(), Describe(value));
  }

  void CheckNumber(const Schema& schema, const std::string& path, Value& value) {
    if (!value.is_number() || !std::isfinite(value.AsDouble())) {
      return WrongType(path, value, "a number");
    }
    if (value.is_int()) {
      const Position position = value.position;
      value = Value(value.AsDouble());
      value.position = position;
    }
    CheckBounds(schema, path, value.position, value.AsDouble(), Describe(value));
  }

  void CheckDuration(const Schema& schema, const std::string& path, Value& value) {
    if (value.is_int() && value.AsInt() == 0) {
      const Position position = value.position;
      value = Value("0s");
      value.position = position;
    }
    if (!value.is_string()) {
      return WrongType(path, value, "a duration with a unit, such as 90s, 30m or 1h30m");
    }
    const Result<Duration> duration = ParseDuration(value.AsString());
    if (!duration.ok()) {
      return WrongType(path, value, "a duration such as 90s, 30m or 1h30m");
    }
    CheckBounds(schema, path, value.position, static_cast<double>(duration->count()),
                value.AsString());
  }

  void CheckBounds(const Schema& schema, const std::string& path, Position position, double number,
                   const std::string& got) {
    const auto bound = [&](double limit) {
      if (schema.type == FieldType::kDuration) {
        return FormatDuration(Duration(static_cast<int64_t>(limit)));
      }
      const auto whole = static_cast<int64_t>(limit);
      if (static_cast<double>(whole) == limit) return std::to_string(whole);
      return WriteJson(Value(limit));
    };
    const bool low = schema.minimum && (schema.exclusive_minimum ? number <= *schema.minimum
                                                                 : number < *schema.minimum);
    const bool high = schema.maximum && (schema.exclusive_maximum ? number >= *schema.maximum
                                                                  : number > *schema.maximum);
    if (!low && !high) return;
    std::string wanted;
    if (schema.minimum) {
      wanted = (schema.exclusive_minimum ? "more than " : "at least ") + bound(*schema.minimum);
    }
    if (schema.maximum) {
      wanted += std::string(wanted.empty() ? "" : " and ") +
                (schema.exclusive_maximum ? "less than " : "at most ") + bound(*schema.maximum);
    }
    Add(path, position, "must be " + wanted + "; got " + got);
  }

  void CheckString(const Schema& schema, const std::string& path, const Value& value) {
    if (!value.is_string()) {
      const bool scalar = value.is_bool() || value.is_number();
      return WrongType(
          path, value,
          scalar ? "a string (in quotes if it looks like something else)" : "a string");
    }
    const std::string& text = value.AsString();
    if (!schema.allowed.empty()) return CheckAllowed(schema, path, value);
    if (text.size() < schema.bytes_min) return Add(path, value.position, "must not be empty");
    if (text.size() > schema.bytes_max) {
      return Add(path, value.position,
                 "must be no longer than " + std::to_string(schema.bytes_max) + " bytes; has " +
                     std::to_string(text.size()));
    }
    const bool control = std::any_of(text.begin(), text.end(), [](char letter) {
      return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
    });
    if (control) Add(path, value.position, "must have no control characters and no line breaks");
  }

  void CheckAllowed(const Schema& schema, const std::string& path, const Value& value) {
    const std::string& text = value.AsString();
    const auto in = [&](const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), text) != words.end();
    };
    if (in(schema.allowed)) return;
    if (in(schema.not_yet)) {
      return Add(
          path, value.position,
          Quoted(text) + " is not supported yet by this version; use " + OneOfWords(schema.allowed),
          "FieldValueNotSupported");
    }
    const std::string meant = DidYouMean(text, schema.allowed);
    Add(path, value.position,
        "must be " + OneOfWords(schema.allowed) + "; got " + Describe(value) +
            (meant.empty() ? "" : "; did you mean " + meant + "?"),
        "FieldValueNotSupported");
  }

  void CheckList(const Schema& schema, const std::string& path, Value& value) {
    if (!value.is_list()) return WrongType(path, value, "a list");
    Value::List& items = value.AsList();
    if (items.size() < schema.items_min) {
      const std::string least =
          schema.items_min == 1 ? "one item" : std::to_string(schema.items_min) + " items";
      return Add(path, value.position, "must have at least " + least,
                 items.empty() ? "FieldValueRequired" : "FieldValueInvalid");
    }
    if (items.size() > schema.items_max) {
      return Add(path, value.position,
                 "must have at most " + std::to_string(schema.items_max) + " items; has " +
                     std::to_string(items.size()));
    }
    for (size_t i = 0; i < items.size(); ++i) {
      Check(schema.fields.front(), ItemPath(path, i), items[i]);
    }
  }

  void CheckMap(const Schema& schema, const std::string& path, Value& value) {
    if (!value.is_map()) return WrongType(path, value, "a map" + ExampleOf(schema));
    std::erase_if(value.AsMap(),
                  [](const Value::Member& member) { return member.value.is_null(); });
    const std::set<std::string> meant = CheckUnknown(schema, path, value);
    for (const Schema& field : schema.fields) {
      Value* member = value.Find(field.name);
      const std::string member_path = MemberPath(path, field.name);
      if (member != nullptr) {
        Check(field, member_path, *member);
      } else if (field.default_value) {
        Value& added = value.Set(field.name, *field.default_value);
        added.position = value.position;
        Check(field, member_path, added);
      } else if (field.required && !meant.contains(field.name)) {
        Add(member_path, value.position, "is required", "FieldValueRequired");
      }
    }
  }

  void CheckStrings(const std::string& path, const Value& value) {
    if (!value.is_map()) return WrongType(path, value, "a map of strings");
    for (const Value::Member& member : value.AsMap()) {
      if (!member.value.is_string()) {
        WrongType(MemberPath(path, member.key), member.value, "a string: put it in quotes");
      }
    }
  }

  // A layer or an optimizer: `{dense: {units: 10}}`. A member without a value stands for one
  // without options: `- flatten:`.
  void CheckOneOf(const Schema& schema, const std::string& path, Value& value) {
    std::vector<std::string> names;
    for (const Schema& field : schema.fields) names.push_back(field.name);
    if (!value.is_map()) {
      return WrongType(
          path, value,
          "a map with one of " + OneOfWords(names) + ", for example {" + names[0] + ": {}}");
    }
    const bool was_empty = value.AsMap().empty();
    CheckUnknown(schema, path, value);
    std::vector<std::string> found;
    for (const Schema& field : schema.fields) {
      Value* member = value.Find(field.name);
      if (member == nullptr) continue;
      found.push_back(field.name);
      if (member->is_null()) {
        const Position position = member->position;
        *member = Value::MakeMap();
        member->position = position;
      }
      Check(field, MemberPath(path, field.name), *member);
    }
    if (found.size() > 1) {
      Add(path, value.position,
          "must have exactly one of " + OneOfWords(names) + "; has " + found[0] + " and " +
              found[1]);
    } else if (found.empty() && was_empty) {
      Add(path, value.position, "must have one of " + OneOfWords(names), "FieldValueRequired");
    }
  }

  // Faults for the members that `schema` does not know. Gives the names that they probably stand
  // for, so that these are not called missing too.
  std::set<std::string> CheckUnknown(const Schema& schema, const std::string& path, Value& value) {
    std::vector<std::string> names;
    for (const Schema& field : schema.fields) names.push_back(field.name);
    std::set<std::string> meant;
    std::vector<std::string> unknown;
    for (const Value::Member& member : value.AsMap()) {
      if (faults_.size() >= limits::kFaultsCountedMax) break;
      if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
      const std::string member_path = MemberPath(path, member.key);
      if (std::find(schema.not_yet.begin(), schema.not_yet.end(), member.key) !=
          schema.not_yet.end()) {
        Add(member_path, member.key_position, "not supported yet by this version",
            "FieldValueNotSupported");
        continue;
      }
      const std::string guess = DidYouMean(member.key, names);
      if (!guess.empty()) meant.insert(guess);
      Add(member_path, member.key_position, UnknownField(schema, member.key, guess, names),
          kUnknownField);
      unknown.push_back(member.key);
    }
    for (const std::string& key : unknown) value.Erase(key);
    return meant;
  }

  static std::string UnknownField(const Schema& schema, const std::string& key,
                                  const std::string& guess, const std::vector<std::string>& names) {
    const std::string unknown = "unknown field " + Quoted(key);
    if (schema.type == FieldType::kOneOf) {
      for (const Schema& choice : schema.fields) {
        for (const Schema& option : choice.fields) {
          // The usual slip of the list item whose options are not indented below their layer.
          if (option.name == key)
            return unknown + "; it belongs inside " + choice.name + ", indented";
        }
      }
    }
    if (!guess.empty()) return unknown + "; did you mean " + guess + "?";
    if (names.empty()) return unknown + "; nothing may stand here";
    if (names.size() > kListedWordsMax) return unknown;
    return unknown + "; known here: " + OneOfWords(names);
  }

  static std::string ExampleOf(const Schema& schema) {
    if (schema.fields.empty()) return ": {}";
    return " with " + schema.fields.front().name + (schema.fields.size() > 1 ? ", ..." : "");
  }

  Faults& faults_;
};

bool IsPlainWord(const std::string& key) {
  return !key.empty() && key.size() <= kQuotedBytesMax &&
         std::all_of(key.begin(), key.end(), [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                  (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
         });
}

}  // namespace

void CheckValue(const Schema& schema, const std::string& path, Value& value, Faults& faults) {
  Checker(faults).Check(schema, path, value);
}

std::string MemberPath(const std::string& path, const std::string& key) {
  if (!IsPlainWord(key)) return path + '[' + Quoted(key) + ']';
  return path.empty() ? key : path + '.' + key;
}

std::string ItemPath(const std::string& path, size_t index) {
  return path + '[' + std::to_string(index) + ']';
}

std::string OneOfWords(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string Describe(const Value& value) {
  switch (value.type()) {
    case Value::Type::kNull:
      return "nothing";
    case Value::Type::kBool:
      return value.AsBool() ? "true" : "false";
    case Value::Type::kInt:
    case Value::Type::kDouble:
      return WriteJson(value);
    case Value::Type::kString:
      return Quoted(value.AsString());
    case Value::Type::kList:
      return "a list";
    case Value::Type::kMap:
      return "a map";
  }
  return "";
}

}  // namespace octet
