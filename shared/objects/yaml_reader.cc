// The strict builder over yaml-cpp's events. yaml-cpp 0.7 is lenient in ways that would lose a
// user's words without a sound; each has its check here, against the source text where the event
// does not tell:
// - a quoted string that is never closed ends at the end of the text without an error;
// - text behind the root of a document begins another document, even without `---`;
// - a line without a colon in a block map is a key with the value null;
// - the byte 4 ends the stream.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "shared/base/limits.h"
#include "shared/base/units.h"
#include "shared/objects/schema.h"
#include "shared/objects/utf8.h"
#include "shared/objects/yaml.h"
#include "shared/objects/yaml_scalar.h"

namespace octet {
namespace {

// Thrown through yaml-cpp to end the parse of a document whose fault is already recorded.
struct StopParsing {};

// The text from one document on, and where in the file it stands.
class Source {
 public:
  Source(std::string_view text, int lines_before) : text_(text), lines_before_(lines_before) {}

  std::string_view text() const { return text_; }
  size_t Offset(const YAML::Mark& mark) const {
    return std::min(static_cast<size_t>(std::max(mark.pos, 0)), text_.size());
  }

  // yaml-cpp counts columns in bytes; people count characters. Events come in the order of the
  // text, so that counting on from the last place keeps even a file of one long line linear.
  Position Place(const YAML::Mark& mark) {
    const size_t offset = Offset(mark);
    if (mark.line != line_ || offset < counted_to_) {
      line_ = mark.line;
      counted_to_ = offset - std::min(offset, static_cast<size_t>(std::max(mark.column, 0)));
      column_ = 1;
    }
    for (; counted_to_ < offset; ++counted_to_) {
      if ((static_cast<unsigned char>(text_[counted_to_]) & 0xc0) != 0x80) ++column_;
    }
    return {.line = lines_before_ + mark.line + 1, .column = column_};
  }

 private:
  std::string_view text_;
  int lines_before_;
  int line_ = -1;
  size_t counted_to_ = 0;
  int column_ = 1;
};

class Builder : public YAML::EventHandler {
 public:
  Builder(Source& source, size_t& nodes, YamlDocuments& result)
      : source_(source), nodes_(nodes), result_(result) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    open_.clear();
    anchors_.clear();
    root_ = Value();
    if (std::exchange(first_, false) || IsMarked(source_.Offset(mark))) return;
    AddFault(mark,
             "text that belongs to no document: write --- between documents, or mend the "
             "indentation");
    throw StopParsing();
  }

  void OnDocumentEnd() override {
    if (!root_.is_null()) result_.documents.push_back(std::move(root_));
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (ExpectsKey()) return RefuseKey(mark, "a key must not be empty");
    // yaml-cpp makes a key of a line without a colon: its null stands where the key does.
    if (!open_.empty() && open_.back().value.is_map() && open_.back().key_offset == mark.pos) {
      AddFault(mark, "a key without a colon: write \"" + open_.back().key + ": VALUE\"");
    }
    AddScalar(mark, anchor, Value());
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (ExpectsKey()) return RefuseKey(mark, "an alias cannot be a key");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      AddFault(mark, "the alias stands inside what it repeats");
      throw StopParsing();
    }
    const Anchored& anchored = found->second;
    CountNodes(mark, anchored.nodes);
    repeated_bytes_ += anchored.bytes;
    if (repeated_bytes_ > limits::kManifestBytesMax) {
      AddFault(mark, "aliases repeat too much; write less, or write it out");
      throw StopParsing();
    }
    Value copy = anchored.value;
    copy.position = source_.Place(mark);
    Add(std::move(copy), anchored.nodes, anchored.bytes);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    CheckSource(mark);
    const bool plain = tag == "?";
    if (ExpectsKey()) {
      if (anchor != 0) AddFault(mark, "an anchor cannot stand at a key");
      return AddKey(mark, text, plain);
    }
    if (!plain) return AddScalar(mark, anchor, Value(text));
    PlainScalar scalar = ResolvePlainScalar(text);
    if (!scalar.fault.empty()) AddFault(mark, std::move(scalar.fault));
    AddScalar(mark, anchor, std::move(scalar.value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, Value::MakeList());
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, Value::MakeMap());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapEnd() override { Close(); }

  void AddFault(const YAML::Mark& mark, std::string message) {
    result_.faults.push_back(
        {.path = Path(), .message = std::move(message), .position = source_.Place(mark)});
    // As many as one reader needs; the text may be no YAML at all.
    if (result_.faults.size() >= limits::kFaultsCountedMax) throw StopParsing();
  }

  // The text ended inside a `{` or a `[`: the innermost list or map that is still open.
  void AddUnclosedFault(const YAML::Mark& end) {
    if (open_.empty()) return AddFault(end, "a bracket has no closing one");
    const Frame frame = std::move(open_.back());
    open_.pop_back();
    AddFault(end, frame.value.is_list() ? "the [ that begins here has no closing ]"
                                        : "the { that begins here has no closing }");
    result_.faults.back().position = frame.value.position;
  }

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor = 0;
    size_t nodes = 1;  // Of the value so far, for aliases of it.
    size_t bytes = 0;
    bool is_key = false;  // A list or a map where a key should be: read and dropped.
    // Of a map: the key whose value comes next.
    bool has_key = false;
    bool drop_value = false;
    std::string key = {};
    int key_offset = -1;
    Position key_position = {};
    std::unordered_map<std::string, Position> keys = {};
  };
  struct Anchored {
    Value value;
    size_t nodes = 0;
    size_t bytes = 0;
  };

  // Whether a document that begins at `offset` says so: by `---`, or by `...` at the end of the
  // last.
  bool IsMarked(size_t offset) const {
    const std::string_view text = source_.text();
    if (text.substr(offset).starts_with("---")) return true;
    const size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && text.substr(0, last + 1).ends_with("\n...");
  }

  std::string Path() const {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.value.is_list()) {
        path = ItemPath(path, frame.value.AsList().size());
      } else if (frame.has_key) {
        path = MemberPath(path, frame.key);
      }
    }
    return path;
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().value.is_map() && !open_.back().has_key;
  }

  void CountNodes(const YAML::Mark& mark, size_t count) {
    nodes_ += count;
    if (nodes_ <= limits::kManifestNodesMax) return;
    AddFault(mark, "the file has more than " + std::to_string(limits::kManifestNodesMax) +
                       " values, repeated ones included");
    throw StopParsing();
  }

  // Refuses tags and looks for the end of a quoted string. `mark` may be at an anchor or a tag,
  // which stand before the value.
  void CheckSource(const YAML::Mark& mark) {
    const std::string_view text = source_.text();
    size_t at = source_.Offset(mark);
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
      if (text[at] == '!') AddFault(mark, "tags are not supported: write the value alone");
      at = std::min(text.find_first_of(" \t\r\n", at), text.size());
      at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    }
    if (at == text.size() || (text[at] != '"' && text[at] != '\'')) return;
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
      if (quote == '"' && text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        // Two single quotes stand for one.
        if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) return;
        ++at;
      }
    }
    AddFault(mark, std::string("the string that begins here has no closing ") + quote);
    throw StopParsing();
  }

  void RefuseKey(const YAML::Mark& mark, std::string message) {
    AddFault(mark, std::move(message));
    Frame& frame = open_.back();
    frame.has_key = true;
    frame.drop_value = true;
    frame.key_offset = -1;
    frame.key.clear();
  }

  void AddKey(const YAML::Mark& mark, const std::string& text, bool plain) {
    if (plain && text == "<<") {
      return RefuseKey(mark, "merge keys are not supported: write the fields out");
    }
    Frame& frame = open_.back();
    const Position place = source_.Place(mark);
    const auto [first, added] = frame.keys.emplace(text, place);
    frame.key = text;
    frame.key_offset = mark.pos;
    frame.key_position = place;
    frame.has_key = true;
    frame.drop_value = !added;
    frame.bytes += text.size();
    if (added) return;
    AddFault(mark, "is given twice; first in line " + std::to_string(first->second.line));
    result_.faults.back().reason = "FieldValueDuplicate";
  }

  void AddScalar(const YAML::Mark& mark, YAML::anchor_t anchor, Value value) {
    CountNodes(mark, 1);
    value.position = source_.Place(mark);
    const size_t bytes = value.is_string() ? value.AsString().size() : 0;
    if (anchor != 0) anchors_[anchor] = {.value = value, .nodes = 1, .bytes = bytes};
    Add(std::move(value), 1, bytes);
  }

  void Add(Value value, size_t nodes, size_t bytes) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = open_.back();
    frame.nodes += nodes;
    frame.bytes += bytes;
    if (frame.value.is_list()) {
      frame.value.AsList().push_back(std::move(value));
      return;
    }
    if (!frame.drop_value) {
      frame.value.AsMap().push_back(
          {.key = frame.key, .key_position = frame.key_position, .value = std::move(value)});
    }
    frame.has_key = false;
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, Value container) {
    CheckSource(mark);
    CountNodes(mark, 1);
    if (open_.size() >= static_cast<size_t>(limits::kManifestDepthMax)) {
      AddFault(mark, "nested deeper than " + std::to_string(limits::kManifestDepthMax));
      throw StopParsing();
    }
    const bool is_key = ExpectsKey();
    if (is_key) RefuseKey(mark, "a key must be a word, not a list or a map");
    Frame frame{.value = std::move(container), .anchor = anchor, .is_key = is_key};
    frame.value.position = source_.Place(mark);
    open_.push_back(std::move(frame));
  }

  void Close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    if (frame.is_key) return;  // RefuseKey has taken its place.
    if (frame.anchor != 0) {
      anchors_[frame.anchor] = {.value = frame.value, .nodes = frame.nodes, .bytes = frame.bytes};
    }
    Add(std::move(frame.value), frame.nodes, frame.bytes);
  }

  Source& source_;
  size_t& nodes_;  // Of the whole file.
  YamlDocuments& result_;
  bool first_ = true;
  Value root_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  size_t repeated_bytes_ = 0;
};

// The offset of the tab that indents the line of `offset`, if one does.
std::optional<size_t> IndentingTab(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t first = text.find_first_not_of(' ', begin);
  if (first == std::string_view::npos || text[first] != '\t') return std::nullopt;
  return first;
}

// yaml-cpp's words for its programmers in words for the user.
std::string Explain(const std::string& message) {
  static const std::map<std::string, std::string> words = {
      {YAML::ErrorMsg::MAP_VALUE,
       "a colon where none may stand: mend the indentation, put the text in quotes, or add the "
       "colon that the line before lacks"},
      {YAML::ErrorMsg::END_OF_MAP,
       "neither goes on with the map nor ends it: mend the indentation, or put the value in "
       "quotes"},
      {YAML::ErrorMsg::END_OF_SEQ,
       "neither goes on with the list nor ends it: mend the indentation, or begin with \"- \""},
      {YAML::ErrorMsg::FLOW_END, "a closing bracket without its opening one"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "\"- \" cannot stand here: begin a new line"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "no value may begin like this: put it in quotes"},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "the alias names no anchor before it"},
  };
  const auto found = words.find(message);
  return found == words.end() ? message : found->second;
}

void AddSyntaxFault(const YAML::Exception& error, const Source& source, Builder& builder) {
  YAML::Mark mark = error.mark;
  const std::optional<size_t> tab = IndentingTab(source.text(), source.Offset(mark));
  if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW ||
      error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
    builder.AddUnclosedFault(mark);
  } else if (tab) {
    // The parser may have seen the tab some way behind it.
    const int back = mark.pos - static_cast<int>(*tab);
    mark.pos -= back;
    mark.column -= back;
    builder.AddFault(mark, "tabs cannot indent: use spaces");
  } else {
    builder.AddFault(mark, Explain(error.msg));
  }
}

// The part of a file from one `---` to the next. False: no more faults or values are wanted.
bool ReadPart(std::string_view text, int lines_before, size_t& nodes, YamlDocuments& result) {
  Source source(text, lines_before);
  Builder builder(source, nodes, result);
  std::istringstream stream{std::string(text)};
  try {
    try {
      YAML::Parser parser(stream);
      while (parser.HandleNextDocument(builder)) {
      }
    } catch (const YAML::Exception& error) {
      AddSyntaxFault(error, source, builder);
    }
  } catch (const StopParsing&) {
    return result.faults.size() < limits::kFaultsCountedMax && nodes <= limits::kManifestNodesMax;
  } catch (const std::exception& error) {
    result.faults.push_back({.path = "", .message = std::string("no YAML: ") + error.what()});
  }
  return true;
}

// The offset of the next line of `---` after the first line, or the size. Such a line always begins
// a document: inside quotes it is forbidden, and it ends every other scalar (YAML 1.2.2,
// section 9.1.2).
size_t NextPart(std::string_view text) {
  for (size_t at = text.find("\n---"); at != std::string_view::npos;
       at = text.find("\n---", at + 1)) {
    if (at + 4 == text.size() ||
        std::string_view(" \t\r\n").find(text[at + 4]) != std::string_view::npos) {
      return at + 1;
    }
  }
  return text.size();
}

// What may not stand in a YAML text at all: YAML 1.2.2, section 5.1. Stops at the first.
void CheckCharacters(std::string_view text, Faults& faults) {
  Position place{.line = 1, .column = 1};
  for (size_t i = 0; i < text.size();) {
    const Utf8Character character = Utf8At(text, i);
    const char32_t code = character.code;
    std::string message;
    if (character.bytes == 0) {
      message = "is no UTF-8 text";
    } else if (code == '\r' && text.substr(i, 2) != "\r\n") {
      message = "a carriage return without a line feed: end lines with a line feed";
    } else if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7f ||
               (code > 0x7f && code < 0xa0 && code != 0x85) || code == 0xfeff || code == 0xfffe ||
               code == 0xffff) {
      message = "has a control character: remove it, or write it as an escape in double quotes";
    }
    if (!message.empty()) {
      faults.push_back({.path = "", .message = std::move(message), .position = place});
      return;
    }
    i += character.bytes;
    if (code == '\n') {
      place = {.line = place.line + 1, .column = 1};
    } else {
      ++place.column;
    }
  }
}

}  // namespace

YamlDocuments ReadYaml(std::string_view file) {
  YamlDocuments result;
  if (file.size() > limits::kManifestBytesMax) {
    result.faults.push_back({.path = "",
                             .message = "is longer than " +
                                        FormatBytes(Bytes(limits::kManifestBytesMax)) +
                                        ": give the objects in several files"});
    return result;
  }
  if (file.starts_with("\xef\xbb\xbf")) file.remove_prefix(3);  // A byte order mark.
  CheckCharacters(file, result.faults);
  if (!result.faults.empty()) return result;
  // With a line feed at its end an unclosed string reaches OnScalar, which knows where it began.
  std::string text(file);
  if (!text.ends_with('\n')) text += '\n';
  std::string_view rest = text;
  int lines_before = 0;
  size_t nodes = 0;
  // Part by part, so that what follows a fault of syntax is read all the same.
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, NextPart(rest));
    if (!ReadPart(part, lines_before, nodes, result)) break;
    lines_before += static_cast<int>(std::ranges::count(part, '\n'));
    rest.remove_prefix(part.size());
  }
  return result;
}

}  // namespace octet
