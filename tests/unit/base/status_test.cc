#include "shared/base/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace octet {
namespace {

constexpr int kCodes = 17;

TEST(Status, IsOkByDefault) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Ok(), Status());
  EXPECT_EQ(Ok().ToString(), "Ok");
}

TEST(Status, SaysItsCodeAndMessage) {
  const Status status = NotFound("no board local-3");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no board local-3");
  EXPECT_EQ(status.ToString(), "NotFound: no board local-3");
}

TEST(Status, EachCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code < kCodes; ++code) {
    names.insert(StatusCodeName(static_cast<StatusCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kCodes));
  EXPECT_EQ(StatusCodeName(StatusCode::kUnauthenticated), "Unauthenticated");
  EXPECT_EQ(StatusCodeName(StatusCode::kFailedPrecondition), "FailedPrecondition");
}

TEST(Status, EachMakerGivesTheCodeOfItsName) {
  for (const Status& status :
       {InvalidArgument("x"), DeadlineExceeded("x"), NotFound("x"), AlreadyExists("x"),
        PermissionDenied("x"), ResourceExhausted("x"), FailedPrecondition("x"), Aborted("x"),
        OutOfRange("x"), Unimplemented("x"), Internal("x"), Unavailable("x"), DataLoss("x"),
        Cancelled("x")}) {
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.message(), "x");
  }
  EXPECT_EQ(Aborted("x").code(), StatusCode::kAborted);
  EXPECT_EQ(DataLoss("x").code(), StatusCode::kDataLoss);
  EXPECT_EQ(ResourceExhausted("x").code(), StatusCode::kResourceExhausted);
}

TEST(Status, AnAnnotationGoesInFrontAndKeepsTheCode) {
  EXPECT_EQ(DataLoss("bad checksum").Annotate("step-12"), DataLoss("step-12: bad checksum"));
  EXPECT_EQ(Ok().Annotate("step-12"), Ok());
}

TEST(Status, OnlyWhatMaySucceedUnchangedIsRetryable) {
  for (int code = 0; code < kCodes; ++code) {
    const auto each = static_cast<StatusCode>(code);
    EXPECT_EQ(Status(each, "x").IsRetryable(), each == StatusCode::kUnavailable ||
                                                   each == StatusCode::kAborted ||
                                                   each == StatusCode::kDeadlineExceeded)
        << StatusCodeName(each);
  }
}

Result<int> Half(int number) {
  if (number % 2 != 0) return InvalidArgument("odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  OCTET_ASSIGN_OR_RETURN(const int half, Half(number));
  OCTET_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckEven(int number) {
  OCTET_RETURN_IF_ERROR(Half(number).status());
  return Ok();
}

TEST(Result, HoldsAValueOrAStatus) {
  EXPECT_TRUE(Half(4).ok());
  EXPECT_EQ(*Half(4), 2);
  EXPECT_EQ(Half(4).status(), Ok());
  EXPECT_FALSE(Half(3).ok());
  EXPECT_EQ(Half(3).status(), InvalidArgument("odd"));
}

TEST(Result, TheMacrosLeaveWithTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status(), InvalidArgument("odd"));
  EXPECT_EQ(CheckEven(2), Ok());
  EXPECT_EQ(CheckEven(1), InvalidArgument("odd"));
}

TEST(Result, GivesUpAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, MayHoldTextWithoutTakingItForAnError) {
  const Result<std::string> result(std::string("text"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->size(), 4U);
}

TEST(ResultDeathTest, ReadingTheValueOfAFailureStops) {
  EXPECT_DEATH((void)Half(3).value(), "InvalidArgument: odd");
}

TEST(ResultDeathTest, AResultCannotBeMadeFromOk) {
  EXPECT_DEATH((void)Result<int>(Ok()), "a Result without a value needs an error");
}

TEST(CheckDeathTest, SaysPlaceConditionAndMessage) {
  const int boards = 3;
  EXPECT_DEATH(CHECK(boards == 4) << "boards of local: " << boards,
               "status_test.cc:[0-9]+: CHECK\\(boards == 4\\) failed: boards of local: 3");
}

TEST(Check, DoesNotBuildTheMessageOfAConditionThatHolds) {
  int built = 0;
  const auto message = [&] { return ++built; };
  CHECK(true) << message();
  EXPECT_EQ(built, 0);
}

TEST(Check, BelongsToItsOwnIfAndNotToAnElse) {
  bool reached = false;
  if (false)
    CHECK(true);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace octet
