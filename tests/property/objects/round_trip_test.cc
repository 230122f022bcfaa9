// Random documents through the writers and readers: what is read is what was written, whatever
// words, numbers and depths there are; and random bytes never do worse than a fault.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "shared/base/random.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"
#include "shared/objects/yaml.h"

namespace octet {
namespace {

// Words that a reader may take for something else, and characters that need quotes or escapes.
const std::vector<std::string>& Words() {
  static const std::vector<std::string> words = {
      "",
      " ",
      "a",
      "null",
      "~",
      "true",
      "False",
      "yes",
      "no",
      "on",
      "1",
      "-1",
      "0x1f",
      "010",
      "1_000",
      "1e3",
      ".5",
      ".inf",
      ".nan",
      "1:30",
      "2026-12-01",
      "key: value",
      "# no",
      "a #b",
      "- item",
      "-",
      "[a]",
      "{a}",
      "*alias",
      "&anchor",
      "!tag",
      "|",
      ">",
      "%",
      "@",
      "`",
      "'",
      "\"",
      "it's",
      "\\",
      "\\n",
      "line\nbreak",
      "\n",
      "end \n",
      "\ttab",
      "\x01",
      "\x7f",
      "ü",
      "日本",
      "\xc2\x85",
      "\xe2\x80\xa8",
      "\xef\xbb\xbf",
      "emoji \xf0\x9f\x98\x80",
      "<<",
      "=",
      "---",
      "...",
      "? a",
      "a:",
      ":a",
      "a: ",
      "trailing ",
      " leading",
      "very long word that might be folded by a "
      "writer which likes lines of eighty columns and breaks them where there is a space in them"};
  return words;
}

std::string RandomText(Random& random) {
  std::string text = Words()[random.Below(Words().size())];
  if (random.Below(3) == 0) text += Words()[random.Below(Words().size())];
  return text;
}

Value RandomValue(Random& random, int depth) {
  switch (random.Below(depth > 4 ? 5 : 7)) {
    case 0:
      return Value();
    case 1:
      return Value(random.Below(2) == 0);
    case 2: {
      const int64_t edges[] = {0, -1, std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};
      return random.Below(2) == 0 ? Value(edges[random.Below(4)])
                                  : Value(static_cast<int64_t>(random.Next64()));
    }
    case 3: {
      const double numbers[] = {0.1, -2.5, 1e300, 5e-324, 1e-7, 3.0, 123456789.125};
      return Value(numbers[random.Below(7)]);
    }
    case 4:
      return Value(RandomText(random));
    case 5: {
      Value list = Value::MakeList();
      for (uint64_t i = random.Below(4); i > 0; --i) {
        list.AsList().push_back(RandomValue(random, depth + 1));
      }
      return list;
    }
    default: {
      Value map = Value::MakeMap();
      for (uint64_t i = random.Below(5); i > 0; --i) {
        map.Set("k" + std::to_string(i) + RandomText(random), RandomValue(random, depth + 1));
      }
      return map;
    }
  }
}

TEST(ObjectsProperty, JsonReadsWhatItWrites) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const Value value = RandomValue(random, 0);
    for (const std::string& text :
         {WriteJson(value), WritePrettyJson(value), WriteCanonicalJson(value)}) {
      const Result<Value> read = ReadJson(text);
      ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.status().ToString() << "\n" << text;
      ASSERT_EQ(WriteCanonicalJson(*read), WriteCanonicalJson(value)) << "seed " << seed;
    }
  }
}

TEST(ObjectsProperty, YamlReadsWhatItWrites) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    Value value = Value::MakeMap();
    value.Set("root", RandomValue(random, 0));
    const std::string text = WriteYaml(value);
    const YamlDocuments read = ReadYaml(text);
    ASSERT_TRUE(read.faults.empty())
        << "seed " << seed << ": " << FormatFaults("text", read.faults) << "\n"
        << text;
    ASSERT_EQ(read.documents.size(), 1U) << "seed " << seed << "\n" << text;
    ASSERT_EQ(WriteCanonicalJson(read.documents[0]), WriteCanonicalJson(value))
        << "seed " << seed << "\n"
        << text;
  }
}

TEST(ObjectsProperty, EqualTreesHaveOneCanonicalText) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    Value map = Value::MakeMap();
    Value reversed = Value::MakeMap();
    std::vector<std::pair<std::string, Value>> members;
    for (int i = 0; i < 6; ++i) members.emplace_back(std::to_string(i), RandomValue(random, 2));
    for (const auto& [key, value] : members) map.Set(key, value);
    for (auto it = members.rbegin(); it != members.rend(); ++it)
      reversed.Set(it->first, it->second);
    ASSERT_TRUE(map == reversed) << "seed " << seed;
    ASSERT_EQ(WriteCanonicalJson(map), WriteCanonicalJson(reversed)) << "seed " << seed;
  }
}

// A manifest with bytes changed, removed and repeated is read, refused or both, and nothing else.
TEST(ObjectsProperty, BrokenManifestsGiveFaultsAndNoCrash) {
  const std::string good =
      "apiVersion: octet.dev/v1\nkind: TrainingJob\nmetadata: {name: x, labels: {a: 'b'}}\nspec:\n"
      "  accelerator: {type: v3-8}\n  model:\n    layers:\n"
      "      - {dense: {units: 3, activation: softmax}}\n"
      "  data:\n    train: {format: csv, files: [a.csv], target: t}\n"
      "  training: {batchSize: 8, loss: sparse_categorical_crossentropy}\n";
  const std::string alphabet = "\n\t :-{}[],'\"&*!|>%#\\a0\xff";
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    std::string text = good;
    for (uint64_t edits = 1 + random.Below(4); edits > 0; --edits) {
      const size_t at = random.Below(text.size());
      const uint64_t kind = random.Below(3);
      if (kind == 0) text[at] = alphabet[random.Below(alphabet.size())];
      if (kind == 1) text.erase(at, 1 + random.Below(10));
      if (kind == 2) text.insert(at, text.substr(random.Below(text.size()), random.Below(20)));
      if (text.empty()) text = " ";
    }
    YamlDocuments read = ReadYaml(text);
    for (const Value& document : read.documents) {
      Faults faults;
      const Object object = CheckDocument(document, faults);
      // What has no fault can be stored and read again.
      if (!faults.empty()) continue;
      ASSERT_TRUE(DecodeObject(EncodeObject(object)).ok()) << "seed " << seed;
    }
    FormatFaults("text", read.faults);
    (void)ReadJson(text);
  }
}

}  // namespace
}  // namespace octet
