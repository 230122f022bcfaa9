// Each NAME.yaml of this folder gives exactly the faults of NAME.txt, as `octet apply` prints them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "shared/objects/kinds.h"
#include "shared/objects/yaml.h"

namespace octet {
namespace {

std::string ReadFile(const std::string& name) {
  std::ifstream file(std::string(OCTET_SOURCE_DIR) + "/tests/golden/objects/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string FaultsOf(const std::string& name) {
  YamlDocuments read = ReadYaml(ReadFile(name));
  for (const Value& document : read.documents) CheckDocument(document, read.faults);
  return FormatFaults(name, read.faults);
}

TEST(FaultListing, TwentyFaultsOfAJobAreOneAnswer) {
  EXPECT_EQ(FaultsOf("twenty_faults.yaml"), ReadFile("twenty_faults.txt"));
}

TEST(FaultListing, FaultsAcrossFieldsNameTheWayOut) {
  EXPECT_EQ(FaultsOf("rules.yaml"), ReadFile("rules.txt"));
}

TEST(FaultListing, FaultsOfTheTextAreFoundInEveryDocument) {
  YamlDocuments read = ReadYaml(ReadFile("syntax.yaml"));
  EXPECT_EQ(FormatFaults("syntax.yaml", read.faults), ReadFile("syntax.txt"));
}

}  // namespace
}  // namespace octet
