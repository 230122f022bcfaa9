#include "shared/base/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace octet {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(Saturating, SumsAreHeldAtBothEnds) {
  EXPECT_EQ(SaturatingAdd(kMax, 1), kMax);
  EXPECT_EQ(SaturatingAdd(kMax, kMax), kMax);
  EXPECT_EQ(SaturatingAdd(kMin, -1), kMin);
  EXPECT_EQ(SaturatingAdd(kMin, kMin), kMin);
  EXPECT_EQ(SaturatingAdd(kMin, kMax), -1);
  EXPECT_EQ(SaturatingAdd(2, 3), 5);
}

TEST(Saturating, DifferencesAreHeldAtBothEnds) {
  EXPECT_EQ(SaturatingSubtract(kMin, 1), kMin);
  EXPECT_EQ(SaturatingSubtract(kMax, -1), kMax);
  EXPECT_EQ(SaturatingSubtract(0, kMin), kMax);
  EXPECT_EQ(SaturatingSubtract(kMin, kMin), 0);
  EXPECT_EQ(SaturatingSubtract(2, 3), -1);
}

TEST(Saturating, ProductsAreHeldAtTheEndOfTheirSign) {
  EXPECT_EQ(SaturatingMultiply(kMax, 2), kMax);
  EXPECT_EQ(SaturatingMultiply(kMax, -2), kMin);
  EXPECT_EQ(SaturatingMultiply(-2, kMax), kMin);
  EXPECT_EQ(SaturatingMultiply(kMin, -1), kMax);
  EXPECT_EQ(SaturatingMultiply(kMin, 0), 0);
  EXPECT_EQ(SaturatingMultiply(-4, 5), -20);
}

TEST(Amount, MeetsItsOwnKind) {
  Boards boards(3);
  boards += Boards(4);
  boards -= Boards(1);
  EXPECT_EQ(boards, Boards(6));
  EXPECT_EQ(boards * 2, Boards(12));
  EXPECT_LT(boards, Boards(7));
  EXPECT_EQ(Boards().count(), 0);
}

TEST(Amount, SaturatesInsteadOfWrapping) {
  EXPECT_EQ(BoardMillis(kMax) + BoardMillis(1), BoardMillis(kMax));
  EXPECT_EQ(BoardMillis(kMin) - BoardMillis(1), BoardMillis(kMin));
  EXPECT_EQ(Bytes(kMax) * 3, Bytes(kMax));
}

TEST(Charge, IsBoardsTimesLength) {
  EXPECT_EQ(Charge(Boards(4), std::chrono::hours(1)), BoardMillis(4 * 3'600'000));
  EXPECT_EQ(Charge(Boards(0), std::chrono::hours(1)), BoardMillis(0));
}

TEST(Charge, OfAnAbsurdRequestIsTheMostThereIs) {
  EXPECT_EQ(Charge(Boards(kMax), std::chrono::hours(3)), BoardMillis(kMax));
}

// Quotas are granted in hours: "30h a week", so days would only have to be counted back.
TEST(FormatBoardTime, ShowsTwoUnitsOfWhichHoursAreTheLargest) {
  EXPECT_EQ(FormatBoardTime(BoardMillis(0)), "0s");
  EXPECT_EQ(FormatBoardTime(BoardMillis(30 * 3'600'000)), "30h");
  EXPECT_EQ(FormatBoardTime(BoardMillis(30 * 3'600'000 - 1)), "29h 59m");
  EXPECT_EQ(FormatBoardTime(BoardMillis(45'000'000)), "12h 30m");
}

TEST(FormatBytes, ShowsBinaryUnits) {
  EXPECT_EQ(FormatBytes(Bytes(0)), "0 B");
  EXPECT_EQ(FormatBytes(Bytes(1023)), "1023 B");
  EXPECT_EQ(FormatBytes(Bytes(1024)), "1.0 KiB");
  EXPECT_EQ(FormatBytes(Bytes(1536 * 1024)), "1.5 MiB");
  EXPECT_EQ(FormatBytes(Bytes(int64_t{16} << 30)), "16.0 GiB");
  EXPECT_EQ(FormatBytes(Bytes(-2048)), "-2.0 KiB");
}

TEST(FormatBytes, StaysInTheUnitThatTheRoundedNumberBelongsTo) {
  EXPECT_EQ(FormatBytes(Bytes(1024 * 1024 - 1)), "1.0 MiB");
}

TEST(FormatBytes, ShowsEvenTheMost) { EXPECT_EQ(FormatBytes(Bytes(kMax)), "8.0 EiB"); }

}  // namespace
}  // namespace octet
