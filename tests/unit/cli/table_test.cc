#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace octet::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(Table, ColumnsAreThreeSpacesApartAndLinesHaveNoTail) {
  EXPECT_EQ(FormatTable({"NAME", "STATE"}, {{"local-0", "Ready"}, {"b", ""}}),
            "NAME      STATE\n"
            "local-0   Ready\n"
            "b\n");
}

TEST(Table, WithoutRowsThereIsNoHeader) { EXPECT_EQ(FormatTable({"NAME"}, {}), ""); }

TEST(Table, CellsReadAsPeopleWriteThem) {
  EXPECT_EQ(CellText(nullptr), "<none>");
  const Value null, text("abc"), number(3), share(0.123456), yes(true);
  EXPECT_EQ(CellText(&null), "<none>");
  EXPECT_EQ(CellText(&text), "abc");
  EXPECT_EQ(CellText(&number), "3");
  EXPECT_EQ(CellText(&share), "0.1235");
  EXPECT_EQ(CellText(&yes), "true");
  const Value list = Value::MakeList({Value("a"), Value("b")});
  EXPECT_EQ(CellText(&list), "a,b");
}

TEST(Table, AgesAreCountedFromTheCreation) {
  Value object = Value::MakeMap();
  object.Set("metadata", Value::MakeMap()).Set("name", "iris");
  object.Find("metadata")->Set("creationTimestamp", "2026-12-01T06:00:00Z");
  const KindInfo& info = InfoOf(Kind::kTrainingJob);
  const TimePoint now = ParseTime("2026-12-01T08:05:00Z").value();
  const Row header = HeaderOf(info, {});
  const Row row = RowOf(info, object, {}, now);
  ASSERT_EQ(header.size(), row.size());
  EXPECT_THAT(header, Contains("AGE"));
  EXPECT_THAT(row, Contains("2h 5m"));
}

TEST(Table, WideColumnsAreShownOnlyWhenAskedFor) {
  const KindInfo& info = InfoOf(Kind::kTrainingJob);
  EXPECT_THAT(HeaderOf(info, {}), Not(Contains("MESSAGE")));
  EXPECT_THAT(HeaderOf(info, {.wide = true, .with_namespace = true}), Contains("MESSAGE"));
  EXPECT_THAT(HeaderOf(info, {.wide = true, .with_namespace = true}), Contains("NAMESPACE"));
}

}  // namespace
}  // namespace octet::cli
