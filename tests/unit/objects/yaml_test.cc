#include "shared/objects/yaml.h"

#include <gtest/gtest.h>

#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

// The documents as JSON, one a line, and the faults.
std::string Read(const std::string& text) {
  const YamlDocuments read = ReadYaml(text);
  std::string shown;
  for (const Value& document : read.documents) shown += WriteJson(document) + "\n";
  return shown + FormatFaults("", read.faults);
}

TEST(YamlReader, PlainScalarsFollowTheCoreSchemaOfYaml12) {
  EXPECT_EQ(Read("[null, ~, Null, true, False, 12, -3, +4, 0x1F, 0o17, 010, 1.5, -.5, 2e3, +1.]"),
            "[null,null,null,true,false,12,-3,4,31,15,10,1.5,-0.5,2000.0,1.0]\n");
}

TEST(YamlReader, WordsOfOtherLanguagesAreStrings) {
  EXPECT_EQ(
      Read("[yes, no, on, off, NO, y, 12:30, 2026-12-01, 1_000, 0b11, .5.5, 0x, 0o8, 3h]"),
      "[\"yes\",\"no\",\"on\",\"off\",\"NO\",\"y\",\"12:30\",\"2026-12-01\",\"1_000\",\"0b11\","
      "\".5.5\",\"0x\",\"0o8\",\"3h\"]\n");
}

TEST(YamlReader, QuotedScalarsAreStrings) {
  EXPECT_EQ(Read("['1', \"true\", '', \"~\", 'it''s', \"a\\tb\\u00fc\"]"),
            "[\"1\",\"true\",\"\",\"~\",\"it's\",\"a\\tbü\"]\n");
  EXPECT_EQ(Read("- |\n  a\n  b\n- >-\n  c\n  d\n"), "[\"a\\nb\\n\",\"c d\"]\n");
}

TEST(YamlReader, NumbersThatCannotBeHeldAreFaults) {
  EXPECT_EQ(Read("a: 9223372036854775808\n"),
            "{\"a\":null}\n:1:4: a: the integer 9223372036854775808 is out of range\n");
  EXPECT_EQ(Read("a: 1e999\n"), "{\"a\":null}\n:1:4: a: the number 1e999 is out of range\n");
  EXPECT_EQ(Read("a: [.inf]\n"),
            "{\"a\":[null]}\n:1:5: a[0]: .inf is no finite number (in quotes it is a string)\n");
  EXPECT_EQ(Read("a: -9223372036854775808\n"), "{\"a\":-9223372036854775808}\n");
}

TEST(YamlReader, PlacesCountLinesAndCharacters) {
  const YamlDocuments read = ReadYaml("# comment\nkey: {größe: [ä, b]}\n---\nx: y\r\nz: 1\r\n");
  ASSERT_EQ(read.documents.size(), 2u);
  const Value* list = read.documents[0].FindPath("key.größe");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->position.line, 2);
  EXPECT_EQ(list->position.column, 14);
  EXPECT_EQ(list->AsList()[1].position.column, 18);
  EXPECT_EQ(read.documents[1].Find("z")->position.line, 5);
  EXPECT_EQ(read.documents[1].AsMap()[1].key_position.column, 1);
}

TEST(YamlReader, EmptyDocumentsAreDropped) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("# nothing\n---\n---\n~\n---\na: 1\n...\n---\n"), "{\"a\":1}\n");
  EXPECT_EQ(Read("%YAML 1.2\n---\na: 1\n"), "{\"a\":1}\n");
  EXPECT_EQ(Read("\xef\xbb\xbf"
                 "a: 1"),
            "{\"a\":1}\n");
}

TEST(YamlReader, JsonIsYaml) {
  EXPECT_EQ(Read("{\n\t\"a\": [1, \"x\", null],\n\t\"b\": {\"c\": true}\n}\n"),
            "{\"a\":[1,\"x\",null],\"b\":{\"c\":true}}\n");
}

TEST(YamlReader, AKeyGivenTwiceIsAFaultAndTheFirstCounts) {
  EXPECT_EQ(Read("a: 1\nb: {c: 1, 'c': 2}\na: 3\n"),
            "{\"a\":1,\"b\":{\"c\":1}}\n:2:11: b.c: is given twice; first in line 2\n"
            ":3:1: a: is given twice; first in line 1\n");
}

TEST(YamlReader, AnUnclosedStringIsAFaultWhereItBegins) {
  for (const char* text :
       {"a: 'b\nc: 1\n", "a: 'b", "a: \"b\\\"\n", "a: 'it''s\n\n", "a: 'b\n---\nc: 1"}) {
    EXPECT_TRUE(Read(text).find(":1:4: a: the string that begins here has no closing ") !=
                std::string::npos)
        << text << " gives " << Read(text);
  }
  EXPECT_EQ(Read("\"a: 1\n"), ":1:1: the string that begins here has no closing \"\n");
}

TEST(YamlReader, ALineWithoutColonIsAFault) {
  EXPECT_EQ(
      Read("a: 1\nsuspend\nb: 2\n"),
      ":3:2: a colon where none may stand: mend the indentation, put the text in quotes, or add "
      "the colon that the line before lacks\n");
  EXPECT_EQ(Read("a: 1\nsuspend\n"),
            "{\"a\":1,\"suspend\":null}\n:2:1: suspend: a key without a colon: write \"suspend: "
            "VALUE\"\n");
}

TEST(YamlReader, TextOutsideOfADocumentIsAFault) {
  EXPECT_EQ(
      Read("[1, 2] foo\n"),
      "[1,2]\n:1:8: text that belongs to no document: write --- between documents, or mend the "
      "indentation\n");
  EXPECT_EQ(Read("a: 1\n...\nb: 2\n"), "{\"a\":1}\n{\"b\":2}\n");
}

TEST(YamlReader, TabsForIndentationAreFaults) {
  for (const char* text : {"a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n", "a:\n  b:\n  \tc: 2\n"}) {
    EXPECT_TRUE(Read(text).find("tabs cannot indent: use spaces") != std::string::npos)
        << text << " gives " << Read(text);
  }
}

TEST(YamlReader, TagsMergeKeysAndOddKeysAreFaults) {
  EXPECT_EQ(Read("a: !!str 1\n"),
            "{\"a\":\"1\"}\n:1:4: a: tags are not supported: write the value alone\n");
  EXPECT_EQ(Read("a: &x ! 1\n"),
            "{\"a\":\"1\"}\n:1:4: a: tags are not supported: write the value alone\n");
  EXPECT_EQ(Read("a: !x [1]\n"),
            "{\"a\":[1]}\n:1:4: a: tags are not supported: write the value alone\n");
  EXPECT_EQ(
      Read("a: &x {b: 1}\nc:\n  <<: *x\n"),
      "{\"a\":{\"b\":1},\"c\":{}}\n:3:3: c: merge keys are not supported: write the fields out\n");
  EXPECT_EQ(Read("'<<': 1\n"), "{\"<<\":1}\n");
  EXPECT_EQ(Read("{[1]: 2, b: 3}\n"),
            "{\"b\":3}\n:1:2: a key must be a word, not a list or a map\n");
  EXPECT_EQ(Read("~: 1\n"), "{}\n:1:1: a key must not be empty\n");
}

TEST(YamlReader, AliasesRepeatTheirAnchor) {
  EXPECT_EQ(Read("a: &x [1, {b: 2}]\nc: *x\n"), "{\"a\":[1,{\"b\":2}],\"c\":[1,{\"b\":2}]}\n");
  EXPECT_EQ(Read("a: &x [*x]\n"), ":1:8: a[0]: the alias stands inside what it repeats\n");
  EXPECT_EQ(Read("a: *x\n"), ":1:4: a: the alias names no anchor before it\n");
}

TEST(YamlReader, AliasesThatMultiplyAreRefused) {
  std::string laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) laughs += ", " + last;
    laughs += "]\n";
  }
  const YamlDocuments read = ReadYaml(laughs);
  EXPECT_TRUE(read.documents.empty());
  ASSERT_EQ(read.faults.size(), 1u);
  EXPECT_EQ(read.faults[0].message, "the file has more than 100000 values, repeated ones included");

  std::string long_words = "a: &a " + std::string(1 << 20, 'x') + "\nb: [*a, *a, *a, *a]\n";
  ASSERT_EQ(ReadYaml(long_words).faults.size(), 1u);
  EXPECT_EQ(ReadYaml(long_words).faults[0].message,
            "aliases repeat too much; write less, or write it out");
}

TEST(YamlReader, RefusesNestingSizeAndCountBeyondTheLimits) {
  EXPECT_TRUE(ReadYaml(std::string(64, '[') + std::string(64, ']')).faults.empty());
  const YamlDocuments deep = ReadYaml(std::string(limits::kManifestBytesMax, '['));
  // An open bracket without an end may still become a key, which is a fault of its own.
  ASSERT_LE(deep.faults.size(), 64u);
  EXPECT_EQ(deep.faults.back().message, "nested deeper than 64");
  const YamlDocuments large = ReadYaml(std::string(limits::kManifestBytesMax + 1, ' '));
  ASSERT_EQ(large.faults.size(), 1u);
  EXPECT_EQ(large.faults[0].message, "is longer than 3.0 MiB: give the objects in several files");
  std::string many;
  for (size_t i = 0; i <= limits::kManifestNodesMax; ++i) many += "- 1\n";
  EXPECT_EQ(ReadYaml(many).faults.size(), 1u);
}

TEST(YamlReader, RefusesWhatIsNoText) {
  EXPECT_EQ(Read("a: 1\nb: \xff\n"), ":2:4: is no UTF-8 text\n");
  EXPECT_EQ(
      Read(std::string("a: x\x04y\n")),
      ":1:5: has a control character: remove it, or write it as an escape in double quotes\n");
  EXPECT_EQ(
      Read(std::string("a\0b", 3)),
      ":1:2: has a control character: remove it, or write it as an escape in double quotes\n");
  EXPECT_EQ(Read("a: 1\rb: 2\n"),
            ":1:5: a carriage return without a line feed: end lines with a line feed\n");
}

TEST(YamlReader, ListsFaultsUpToTheLimit) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a: 1\n";
  const YamlDocuments read = ReadYaml(text);
  EXPECT_EQ(read.faults.size(), 299u);
  const std::string listing = FormatFaults("f", read.faults);
  EXPECT_EQ(std::count(listing.begin(), listing.end(), '\n'), 101);
  EXPECT_TRUE(listing.ends_with("f: and 199 more\n")) << listing.substr(listing.size() - 100);
}

TEST(YamlWriter, QuotesOnlyWhatWouldBeReadAsSomethingElse) {
  Value map = Value::MakeMap();
  const std::pair<const char*, const char*> cases[] = {{"plain words", "plain words"},
                                                       {"3h", "3h"},
                                                       {"", "\"\""},
                                                       {"yes", "\"yes\""},
                                                       {"NO", "\"NO\""},
                                                       {"12", "\"12\""},
                                                       {"1e3", "\"1e3\""},
                                                       {"null", "\"null\""},
                                                       {"2026-12-01", "\"2026-12-01\""},
                                                       {"a: b", "\"a: b\""},
                                                       {"a #b", "\"a #b\""},
                                                       {"- x", "\"- x\""},
                                                       {"a\nb", "\"a\\nb\""},
                                                       {"*x", "\"*x\""},
                                                       {"tcp://h:1", "tcp://h:1"},
                                                       {"größe", "größe"},
                                                       {"x:", "\"x:\""},
                                                       {" x", "\" x\""}};
  std::string expected;
  int i = 0;
  for (const auto& [text, written] : cases) {
    const std::string key = "k" + std::to_string(i++);
    map.Set(key, text);
    expected += key + ": " + written + "\n";
  }
  EXPECT_EQ(WriteYaml(map), expected);
}

TEST(YamlWriter, NestsByTwoSpaces) {
  EXPECT_EQ(WriteYaml(ReadJson(R"({"a":{"b":[1,{"c":2,"d":[]},[3,[]]]},"e":{},"f":1.0})").value()),
            "a:\n  b:\n    - 1\n    - c: 2\n      d: []\n    - - 3\n      - []\ne: {}\nf: 1.0\n");
  EXPECT_EQ(WriteYaml(Value("x")), "x\n");
}

}  // namespace
}  // namespace octet
