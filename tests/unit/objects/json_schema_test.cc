#include "shared/objects/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/objects/json.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

std::string At(const Value& value, const std::string& path) {
  const Value* found = value.FindPath(path);
  return found == nullptr ? "<absent>" : WriteJson(*found);
}

TEST(JsonSchema, SaysOfAFieldWhatTheDescriptionSays) {
  const Value schema = ObjectSchemaOf(InfoOf(Kind::kTrainingJob), Value::MakeMap());
  const std::string spec = "properties.spec.properties.";
  EXPECT_EQ(At(schema, spec + "priority.type"), "\"integer\"");
  EXPECT_EQ(At(schema, spec + "priority.minimum"), "0");
  EXPECT_EQ(At(schema, spec + "priority.maximum"), "1000");
  EXPECT_EQ(At(schema, spec + "priority.default"), "100");
  EXPECT_EQ(At(schema, spec + "suspend.type"), "\"boolean\"");
  EXPECT_EQ(At(schema, spec + "session.properties.duration.type"), "\"string\"");
  EXPECT_THAT(At(schema, spec + "training.properties.loss.enum"), HasSubstr("log_cosh"));
  EXPECT_THAT(At(schema, spec + "training.required"), HasSubstr("loss"));
  EXPECT_EQ(At(schema, spec + "model.properties.layers.type"), "\"array\"");
  EXPECT_EQ(At(schema, spec + "model.properties.layers.items.maxProperties"), "1");
}

// What Kubernetes calls structural: every node has a type, and a list says what it is of.
void ExpectStructural(const Value& schema, const std::string& path) {
  ASSERT_NE(schema.Find("type"), nullptr) << path;
  EXPECT_NE(schema.Find("type")->AsString(), "") << path;
  if (schema.Find("type")->AsString() == "array") {
    ASSERT_NE(schema.Find("items"), nullptr) << path;
    ExpectStructural(*schema.Find("items"), path + "[]");
  }
  if (const Value* properties = schema.Find("properties")) {
    for (const Value::Member& member : properties->AsMap()) {
      ExpectStructural(member.value, path + "." + member.key);
    }
  }
}

TEST(JsonSchema, EveryDefinitionIsStructuralAndNamesItsKind) {
  for (const KindInfo& info : AllKinds()) {
    const Value definition = CustomResourceDefinitionOf(info);
    EXPECT_EQ(At(definition, "metadata.name"), "\"" + info.plural + ".octet.dev\"");
    EXPECT_EQ(At(definition, "spec.names.kind"), "\"" + info.name + "\"");
    EXPECT_EQ(At(definition, "spec.scope"), info.namespaced ? "\"Namespaced\"" : "\"Cluster\"");
    const Value& version = definition.FindPath("spec.versions")->AsList().at(0);
    ExpectStructural(*version.FindPath("schema.openAPIV3Schema"), info.name);
    for (const Value& column : version.Find("additionalPrinterColumns")->AsList()) {
      EXPECT_THAT(At(column, "jsonPath"), HasSubstr("\"."));
    }
    EXPECT_LT(WriteJson(definition).size(), 262'144U) << "an annotation must be able to hold it";
  }
}

}  // namespace
}  // namespace octet
