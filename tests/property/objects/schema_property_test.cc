// Every field of every kind, wrong in every way that a hand makes: each slip is one fault, at its
// place. The fields are read from the description itself, so that a new one is tested unasked.
#include <gtest/gtest.h>

#include "shared/objects/json.h"
#include "shared/objects/kinds.h"
#include "shared/objects/yaml.h"

namespace octet {
namespace {

// One good document of each kind, with every map that a member can be set in.
const std::vector<std::string>& GoodDocuments() {
  static const std::vector<std::string> documents = {
      R"(apiVersion: octet.dev/v1
kind: TrainingJob
metadata: {name: digits}
spec:
  accelerator: {}
  session: {}
  retries: {}
  model:
    layers: [{dense: {units: 10, activation: softmax}}]
  data:
    train: {format: csv, files: [data/digits.csv], target: digit, shuffle: {}}
    validation: {fraction: 0.1}
  training: {batchSize: 128, loss: sparse_categorical_crossentropy}
  checkpoint: {}
)",
      "apiVersion: octet.dev/v1\nkind: UserQuota\nmetadata: {name: a}\nspec: {weekStart: {}}\n",
      "apiVersion: octet.dev/v1\nkind: SlicePool\nmetadata: {name: p}\nspec: {replicas: 1}\n",
      "apiVersion: octet.dev/v1\nkind: Board\nmetadata: {name: b}\nspec: {pool: p, ordinal: 0}\n",
      "apiVersion: octet.dev/v1\nkind: Session\nmetadata: {name: s}\nspec: {job: j, jobUid: u, "
      "user: a, boards: [b], fence: 1, attempt: 1, start: \"2026-12-01T06:00:00Z\", grant: 1h}\n"};
  return documents;
}

Value DocumentOf(const std::string& text) {
  const YamlDocuments read = ReadYaml(text);
  EXPECT_TRUE(read.faults.empty()) << FormatFaults("good", read.faults);
  return read.documents.at(0);
}

Faults FaultsOf(const Value& document) {
  Faults faults;
  CheckDocument(document, faults);
  return faults;
}

// The map at "spec.data.train", which the good document has.
Value& MapAt(Value& document, const std::string& path) {
  Value* at = &document;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    at = at->Find(path.substr(begin, end - begin));
    if (at == nullptr || !at->is_map()) ADD_FAILURE() << "the good document lacks " << path;
    begin = end + 1;
  }
  return *at;
}

std::vector<Value> WrongFor(FieldType type) {
  const Value list = Value::MakeList({Value(1)});
  const Value map = Value::MakeMap();
  switch (type) {
    case FieldType::kBool:
      return {"yes", 1, list, map};
    case FieldType::kInt:
      return {"1", 1.5, true, list, map};
    case FieldType::kNumber:
      return {"0.5", true, list, map};
    case FieldType::kString:
      return {1, 0.5, true, list, map};
    case FieldType::kDuration:
      return {"3 hours", "h", "", 5, true, list, map};
    case FieldType::kList:
      return {"x", 1, map};
    case FieldType::kMap:
    case FieldType::kOneOf:
    case FieldType::kStrings:
      return {"x", 1, list};
    case FieldType::kAny:
      return {};
  }
  return {};
}

// Calls `check` with every field below `schema` and the path of its parent.
void ForEachField(const Schema& schema, const std::string& parent,
                  const std::function<void(const Schema&, const std::string&)>& check) {
  if (schema.type != FieldType::kMap) return;
  for (const Schema& field : schema.fields) {
    check(field, parent);
    ForEachField(field, parent + "." + field.name, check);
  }
}

void ForEachFieldOfEveryKind(
    const std::function<void(const Value& good, const Schema&, const std::string&)>& check) {
  int fields = 0;
  for (const std::string& text : GoodDocuments()) {
    const Value good = DocumentOf(text);
    ASSERT_TRUE(FaultsOf(good).empty()) << FormatFaults("good", FaultsOf(good));
    const KindInfo* info = FindKind(good.Find("kind")->AsString());
    ForEachField(info->spec, "spec", [&](const Schema& field, const std::string& parent) {
      ++fields;
      check(good, field, parent);
    });
  }
  EXPECT_GT(fields, 50) << "the walk finds nothing";
}

// Whether one of `faults` is at `path` or, of an item, below it.
bool HasFaultAt(const Faults& faults, const std::string& path) {
  for (const Fault& fault : faults) {
    if (fault.path == path || fault.path.starts_with(path + "[")) return true;
  }
  return false;
}

TEST(SchemaProperty, AWrongTypeIsAFaultAtItsField) {
  ForEachFieldOfEveryKind([](const Value& good, const Schema& field, const std::string& parent) {
    for (const Value& wrong : WrongFor(field.type)) {
      Value document = good;
      MapAt(document, parent).Set(field.name, wrong);
      const Faults faults = FaultsOf(document);
      EXPECT_TRUE(HasFaultAt(faults, parent + "." + field.name))
          << parent << "." << field.name << ": " << WriteJson(wrong) << "\n"
          << FormatFaults("got", faults);
    }
  });
}

TEST(SchemaProperty, AMisspeltFieldIsAFaultThatNamesTheRightOne) {
  ForEachFieldOfEveryKind([](const Value& good, const Schema& field, const std::string& parent) {
    Value document = good;
    MapAt(document, parent).Set(field.name + "x", Value(1));
    const Faults faults = FaultsOf(document);
    ASSERT_EQ(faults.size(), 1U) << FormatFaults("got", faults);
    EXPECT_EQ(faults[0].path, parent + "." + field.name + "x");
    EXPECT_TRUE(faults[0].message.ends_with("did you mean " + field.name + "?"))
        << faults[0].message;
  });
}

TEST(SchemaProperty, ANumberOutOfItsBoundsIsAFaultAtItsField) {
  ForEachFieldOfEveryKind([](const Value& good, const Schema& field, const std::string& parent) {
    if (field.type != FieldType::kInt && field.type != FieldType::kNumber) return;
    std::vector<double> outside;
    if (field.minimum) outside.push_back(*field.minimum - (field.exclusive_minimum ? 0 : 1));
    if (field.maximum) outside.push_back(*field.maximum + (field.exclusive_maximum ? 0 : 1));
    for (const double number : outside) {
      Value document = good;
      MapAt(document, parent)
          .Set(field.name,
               field.type == FieldType::kInt ? Value(static_cast<int64_t>(number)) : Value(number));
      EXPECT_TRUE(HasFaultAt(FaultsOf(document), parent + "." + field.name))
          << parent << "." << field.name << ": " << number;
    }
  });
}

TEST(SchemaProperty, ARequiredFieldThatIsMissingIsOneFault) {
  ForEachFieldOfEveryKind([](const Value& good, const Schema& field, const std::string& parent) {
    if (!field.required) return;
    for (const bool as_null : {false, true}) {
      Value document = good;
      Value& map = MapAt(document, parent);
      if (map.Find(field.name) == nullptr) return;  // Of a map that may be absent.
      map.Erase(field.name);
      if (as_null) map.Set(field.name, Value());
      const Faults faults = FaultsOf(document);
      ASSERT_EQ(faults.size(), 1U) << FormatFaults("got", faults);
      EXPECT_EQ(faults[0].path, parent + "." + field.name);
      EXPECT_EQ(faults[0].reason, "FieldValueRequired");
    }
  });
}

// Every slip of a document at once: none hides another.
TEST(SchemaProperty, AllSlipsOfADocumentAreOneAnswer) {
  for (const std::string& text : GoodDocuments()) {
    const Value good = DocumentOf(text);
    Value document = good;
    std::vector<std::string> paths;
    const KindInfo* info = FindKind(good.Find("kind")->AsString());
    ForEachField(info->spec, "spec", [&](const Schema& field, const std::string& parent) {
      if (field.type == FieldType::kMap) return;  // What is below it would be gone.
      MapAt(document, parent).Set(field.name, WrongFor(field.type)[0]);
      paths.push_back(parent + "." + field.name);
    });
    const Faults faults = FaultsOf(document);
    for (const std::string& path : paths) EXPECT_TRUE(HasFaultAt(faults, path)) << path;
  }
}

}  // namespace
}  // namespace octet
