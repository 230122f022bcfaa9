#include "worker/input/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CsvOptions ClassOptions() { return {.files = {"d.csv"}, .target = "kind", .classes = 3}; }

// The message of reading `text` as classes 0 to 2, or "" where it is read.
std::string FaultOf(std::string_view text, CsvOptions options = ClassOptions()) {
  Dataset data;
  return AppendCsv(text, "d.csv", options, data).message();
}

TEST(Csv, TakesEveryColumnButTheTargetAsInputInFileOrder) {
  Dataset data;
  ASSERT_TRUE(AppendCsv("b,kind,a\n1,2,3\n4,0,5.5\n", "d.csv", ClassOptions(), data).ok());
  EXPECT_EQ(data.examples, 2);
  EXPECT_EQ(data.width, 2);
  EXPECT_THAT(data.input_names, ElementsAre("b", "a"));
  EXPECT_THAT(data.inputs, ElementsAre(1, 3, 4, 5.5));
  EXPECT_THAT(data.targets, ElementsAre(2, 0));
}

TEST(Csv, ReadsWindowsLineEndsQuotesBlanksAMarkAndNoLastNewline) {
  Dataset data;
  const auto status = AppendCsv("\xEF\xBB\xBF\"a\", \"kind\"\r\n \"1e-3\" , 1\r\n+2,\"0\"", "d.csv",
                                ClassOptions(), data);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(data.inputs, ElementsAre(1e-3F, 2));
  EXPECT_THAT(data.targets, ElementsAre(1, 0));
}

TEST(Csv, NamesFileLineColumnAndFixOfANonNumber) {
  EXPECT_EQ(
      FaultOf("a,kind\n1,0\nsetosa,1\n"),
      "d.csv:3: column a: \"setosa\" is not a finite number; write it as one or remove the row");
}

TEST(Csv, RefusesNanInfinityAnEmptyFieldAndTrailingText) {
  for (const char* word : {"nan", "inf", "", "1x", "1 2", "1e999", "0x10", "--1", "+-1"}) {
    EXPECT_THAT(FaultOf("a,kind\n" + std::string(word) + ",0\n"), HasSubstr("d.csv:2: column a"))
        << word;
  }
}

TEST(Csv, RefusesARaggedRowWithBothCounts) {
  EXPECT_EQ(FaultOf("a,b,kind\n1,2,0\n1,2\n"),
            "d.csv:3: the row has 2 fields and the header names 3; make them equal");
  EXPECT_THAT(FaultOf("a,kind\n1,0,\n"), HasSubstr("the row has 3 fields"));
}

TEST(Csv, NamesTheColumnsThatThereAreWhereTheTargetIsMissing) {
  EXPECT_EQ(FaultOf("a,b\n1,2\n"),
            "d.csv:1: there is no column \"kind\", the target; columns are a, b; correct "
            "data.train.target or the header");
}

TEST(Csv, RefusesALabelThatIsNoClassIndex) {
  EXPECT_THAT(FaultOf("a,kind\n1,1.5\n"),
              HasSubstr("d.csv:2: column kind: \"1.5\" is not a class"));
  EXPECT_THAT(FaultOf("a,kind\n1,-1\n"), HasSubstr("d.csv:2: column kind: \"-1\" is not a class"));
}

TEST(Csv, NamesExampleLabelAndClassCountOfALabelOutOfRange) {
  EXPECT_EQ(
      FaultOf("a,kind\n1,0\n1,3\n"),
      "d.csv:3: column kind: class 3 of example 1 is out of range: there are 3 classes, 0 to 2; "
      "correct the label or the units of the last layer");
}

TEST(Csv, RefusesHeadersThatCannotName) {
  EXPECT_THAT(FaultOf(""), HasSubstr("the file is empty"));
  EXPECT_THAT(FaultOf("kind\n0\n"), HasSubstr("only the target column"));
  EXPECT_THAT(FaultOf("a,a,kind\n1,1,0\n"), HasSubstr("column a is there twice"));
  EXPECT_THAT(FaultOf("a,,kind\n1,1,0\n"), HasSubstr("a column has no name"));
  EXPECT_THAT(FaultOf("a,kind\n"), HasSubstr("no example below the header"));
  EXPECT_THAT(FaultOf("a,kind\n\"1,0\n"), HasSubstr("a quote is not closed"));
}

TEST(Csv, RefusesAnEmptyLineInsideAndIgnoresThoseAtTheEnd) {
  EXPECT_THAT(FaultOf("a,kind\n1,0\n\n2,1\n"), HasSubstr("d.csv:3: the row has 1 fields"));
  EXPECT_EQ(FaultOf("a,kind\n1,0\n\n\r\n"), "");
}

TEST(Csv, JoinsFilesOfOneHeaderAndRefusesAnother) {
  MemoryFileSystem files;
  ASSERT_TRUE(files.Write("/1.csv", "a,y\n1,10\n").ok());
  ASSERT_TRUE(files.Write("/2.csv", "a,y\n2,20.5\n").ok());
  ASSERT_TRUE(files.Write("/3.csv", "b,y\n2,20\n").ok());
  const auto both = ReadCsv(files, {.files = {"/1.csv", "/2.csv"}, .target = "y"});
  ASSERT_TRUE(both.ok()) << both.status().ToString();
  EXPECT_THAT(both->inputs, ElementsAre(1, 2));
  EXPECT_THAT(both->targets, ElementsAre(10, 20.5));
  const auto other = ReadCsv(files, {.files = {"/1.csv", "/3.csv"}, .target = "y"});
  EXPECT_THAT(other.status().message(), HasSubstr("/3.csv:1: the columns differ"));
}

TEST(Csv, SaysWhichFileCannotBeRead) {
  MemoryFileSystem files;
  const auto data = ReadCsv(files, {.files = {"/none.csv"}, .target = "y"});
  EXPECT_EQ(data.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(data.status().message(), HasSubstr("/none.csv"));
}

TEST(Csv, ReadsTheShippedFiles) {
  PosixFileSystem files;
  const std::string folder = std::string(OCTET_SOURCE_DIR) + "/manifests/data/";
  const auto iris =
      ReadCsv(files, {.files = {folder + "iris.csv"}, .target = "species", .classes = 3});
  ASSERT_TRUE(iris.ok()) << iris.status().ToString();
  EXPECT_EQ(iris->examples, 150);
  EXPECT_EQ(iris->width, 4);
  const auto digits =
      ReadCsv(files, {.files = {folder + "digits.csv"}, .target = "digit", .classes = 10});
  ASSERT_TRUE(digits.ok()) << digits.status().ToString();
  EXPECT_EQ(digits->examples, 1797);
  EXPECT_EQ(digits->width, 64);
}

TEST(Dataset, GathersAOneHotRowFromAClassIndex) {
  Dataset data;
  CsvOptions options = ClassOptions();
  options.one_hot = true;
  ASSERT_TRUE(AppendCsv("a,kind\n7,1\n8,2\n", "d.csv", options, data).ok());
  std::vector<float> row(3, 9);
  GatherTargets(data, 1, row.data());
  EXPECT_THAT(row, ElementsAre(0, 0, 1));
  float input = 0;
  GatherInputs(data, 1, &input);
  EXPECT_EQ(input, 8);
}

}  // namespace
}  // namespace octet
