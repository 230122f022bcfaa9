#include "coordinator/quota/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "shared/base/limits.h"
#include "tests/unit/quota/quota_builder.h"

namespace octet {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const UserName kAlice("alice");
const TimePoint kTuesday = At("2026-12-01T06:00:00Z");
const TimePoint kReset = At("2026-12-05T00:00:00Z");
const Week kWeek = Week::Of(kTuesday);

BoardMillis Of(Duration length, int boards = 1) { return Charge(Boards(boards), length); }

TEST(Ledger, AUserWithoutAQuotaHasTheStandardOne) {
  const auto offer = Ledger().Offer(kAlice, Boards(1), 5h, 5min, kTuesday);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(3h, offer->length);
  EXPECT_EQ(Of(3h), offer->charge_max);
  EXPECT_EQ(Of(30h), Ledger().StatusOf(kAlice, kTuesday).remaining);
  EXPECT_EQ(kReset, Ledger().StatusOf(kAlice, kTuesday).next_reset);
}

TEST(Ledger, FourBoardsForAnHourCostFourHours) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 4, kTuesday, 3h), 1h)}, {});
  EXPECT_EQ(Of(4h), ledger.Used(kAlice, kWeek));
  EXPECT_EQ(BoardMillis(), ledger.Reserved(kAlice, kWeek));
  EXPECT_EQ(Of(26h), ledger.Remaining(kAlice, kWeek));
}

TEST(Ledger, ChargedBySessionItsSizeDoesNotCount) {
  UserQuota quota = MakeQuota("alice", 2h, 3h);
  quota.spec.charge_by = ChargeBy::kSession;
  const auto offer = Ledger({}, {quota}).Offer(kAlice, Boards(64), 1h, 1h, kTuesday);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(Of(1h), offer->charge_max);
  EXPECT_EQ(Boards(1), offer->charged_boards);
  Session session = MakeSession("s", "alice", 64, kTuesday, 1h);
  session.charge_by = ChargeBy::kSession;
  EXPECT_EQ(Of(1h), Ledger({session}, {quota}).Reserved(kAlice, kWeek));
}

TEST(Ledger, AnOpenSessionHoldsItsWholeGrantAndAnEndedOneWhatItUsed) {
  const Session open = Lasting(MakeSession("s", "alice", 2, kTuesday, 3h), 1h);
  const Ledger ledger({open}, {});
  EXPECT_EQ(Of(1h, 2), ledger.Used(kAlice, kWeek));
  EXPECT_EQ(Of(2h, 2), ledger.Reserved(kAlice, kWeek));
  EXPECT_EQ(Of(24h), ledger.Remaining(kAlice, kWeek));
  EXPECT_EQ(Of(28h), Ledger({Ended(open, 1h)}, {}).Remaining(kAlice, kWeek));
}

TEST(Ledger, TheGrantIsWhatTheWeekLeavesDividedByTheBoards) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 3h), 2h)},
                      {MakeQuota("alice", 10h, 3h)});
  const auto offer = ledger.Offer(kAlice, Boards(4), 3h, 5min, kTuesday);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(2h, offer->length);
  EXPECT_EQ(Of(8h), offer->charge_max);
}

TEST(Ledger, AMillisecondThatDoesNotDivideIsNotGranted) {
  const Ledger ledger({}, {MakeQuota("alice", 10ms, 3h)});
  const auto offer = ledger.Offer(kAlice, Boards(4), 1h, 1ms, kTuesday);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(2ms, offer->length);
  EXPECT_EQ(BoardMillis(8), offer->charge_max);
}

TEST(Ledger, ReservationsOfOtherSessionsAreNotOfferedAgain) {
  Ledger ledger({}, {MakeQuota("alice", 4h, 3h)});
  const auto first = ledger.Offer(kAlice, Boards(1), 3h, 5min, kTuesday);
  ASSERT_TRUE(ledger.Reserve(SessionUid("a"), kAlice, *first, kTuesday).ok());
  const auto second = ledger.Offer(kAlice, Boards(1), 3h, 5min, kTuesday);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(1h, second->length);
  ASSERT_TRUE(ledger.Reserve(SessionUid("b"), kAlice, *second, kTuesday).ok());
  EXPECT_FALSE(ledger.Offer(kAlice, Boards(1), 3h, 5min, kTuesday).ok());
}

TEST(Ledger, ReservingTwiceForOneSessionCountsOnce) {
  Ledger ledger({}, {MakeQuota("alice", 4h, 3h)});
  const auto offer = ledger.Offer(kAlice, Boards(1), 3h, 5min, kTuesday);
  ASSERT_TRUE(ledger.Reserve(SessionUid("a"), kAlice, *offer, kTuesday).ok());
  ASSERT_TRUE(ledger.Reserve(SessionUid("a"), kAlice, *offer, kTuesday).ok());
  EXPECT_EQ(Of(3h), ledger.Reserved(kAlice, kWeek));
}

TEST(Ledger, MoreThanOfferedIsRefusedAndChangesNothing) {
  Ledger ledger({}, {MakeQuota("alice", 4h, 3h)});
  Grant grant = *ledger.Offer(kAlice, Boards(2), 3h, 5min, kTuesday);
  EXPECT_EQ(2h, grant.length);
  ASSERT_TRUE(ledger.Reserve(SessionUid("a"), kAlice, grant, kTuesday).ok());
  grant.length += 1ms;
  EXPECT_EQ(StatusCode::kFailedPrecondition,
            ledger.Reserve(SessionUid("a"), kAlice, grant, kTuesday).code());
  EXPECT_EQ(
      StatusCode::kFailedPrecondition,
      ledger
          .Reserve(SessionUid("b"), kAlice, {.length = 1ms, .charged_boards = Boards(1)}, kTuesday)
          .code());
  EXPECT_EQ(Of(4h), ledger.Reserved(kAlice, kWeek));
}

TEST(Ledger, ASessionLongerThanTheSessionLimitIsNeitherOfferedNorReserved) {
  Ledger ledger;
  EXPECT_EQ(3h, ledger.Offer(kAlice, Boards(1), 100h, 1h, kTuesday)->length);
  EXPECT_FALSE(ledger
                   .Reserve(SessionUid("a"), kAlice,
                            {.length = 3h + 1ms, .charged_boards = Boards(1)}, kTuesday)
                   .ok());
}

TEST(Ledger, AnEndGivesBackWhatWasNotUsedOnce) {
  Ledger ledger;
  const auto offer = ledger.Offer(kAlice, Boards(2), 3h, 5min, kTuesday);
  ASSERT_TRUE(ledger.Reserve(SessionUid("a"), kAlice, *offer, kTuesday).ok());
  ASSERT_TRUE(ledger.End(SessionUid("a"), 1h).ok());
  EXPECT_EQ(Of(2h), ledger.Used(kAlice, kWeek));
  EXPECT_EQ(BoardMillis(), ledger.Reserved(kAlice, kWeek));
  // Q2, Q10, P20: the terminal transition closes the meter; what comes later changes nothing.
  for (int again = 0; again < 5; ++again) {
    EXPECT_EQ(StatusCode::kNotFound, ledger.End(SessionUid("a"), 3h).code());
  }
  EXPECT_EQ(StatusCode::kFailedPrecondition,
            ledger.Reserve(SessionUid("a"), kAlice, *offer, kTuesday).code());
  EXPECT_EQ(Of(2h), ledger.Used(kAlice, kWeek));
}

TEST(Ledger, AnUnknownSessionCannotEnd) {
  EXPECT_EQ(StatusCode::kNotFound, Ledger().End(SessionUid("none"), 1h).code());
}

TEST(Ledger, NoSessionCountsForMoreThanItsGrant) {
  // Q11, Q12: whatever a worker says.
  const Session session = Ended(MakeSession("s", "alice", 1, kTuesday, 1h), 7h);
  EXPECT_EQ(Of(1h), Ledger({session}, {}).Used(kAlice, kWeek));
  EXPECT_EQ(Of(1h), ChargeOf(session));
  Ledger ledger({MakeSession("s", "alice", 1, kTuesday, 1h)}, {});
  ASSERT_TRUE(ledger.End(SessionUid("s"), 7h).ok());
  EXPECT_EQ(Of(1h), ledger.Used(kAlice, kWeek));
}

TEST(Ledger, ASessionAcrossTheResetIsChargedToBothWeeks) {
  const Session session = Ended(MakeSession("s", "alice", 4, kReset - 30min, 3h), 50min);
  const Ledger ledger({session}, {});
  EXPECT_EQ(Of(30min, 4), ledger.Used(kAlice, kWeek));
  EXPECT_EQ(Of(20min, 4), ledger.Used(kAlice, kWeek.Next()));
  EXPECT_EQ((std::map<std::string, BoardMillis>{{"2026-11-28", Of(30min, 4)},
                                                {"2026-12-05", Of(20min, 4)}}),
            ChargeByWeek(session));
}

TEST(Ledger, AGrantThatReachesPastTheResetCountsTheFreshWeek) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 30h), 29h)}, {});
  const auto offer = ledger.Offer(kAlice, Boards(1), 3h, 5min, kReset - 30min);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(3h, offer->length);
}

TEST(Ledger, AGrantDoesNotReachPastTheResetIfThisWeekCannotPayUntilThen) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 30h), 29h + 40min)}, {});
  const auto offer = ledger.Offer(kAlice, Boards(1), 3h, 5min, kReset - 30min);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(20min, offer->length);
}

TEST(Ledger, TheResetGivesAFreshWeekAndResumingDoesNot) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 30h), 30h)}, {});
  EXPECT_FALSE(ledger.Offer(kAlice, Boards(1), 3h, 5min, kReset - 1h).ok());
  EXPECT_EQ(3h, ledger.Offer(kAlice, Boards(1), 3h, 5min, kReset)->length);
  EXPECT_EQ(BoardMillis(), ledger.StatusOf(kAlice, kReset).used);
}

TEST(Ledger, TheReasonHasNumbersAndTheNextChance) {
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 30h), 29h + 12min)}, {});
  const auto offer = ledger.Offer(kAlice, Boards(4), 1h, 20min, kTuesday + 30h);
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(kReasonWeeklyQuota, offer.reason().code);
  EXPECT_EQ(ReasonScope::kQuota, offer.reason().scope);
  EXPECT_THAT(offer.reason().message, HasSubstr("weekly quota leaves 48m of"));
  EXPECT_THAT(offer.reason().message, HasSubstr("needs at least 20m on 4 boards, which is 1h 20m"));
  EXPECT_THAT(offer.reason().message, HasSubstr("resets Sat 2026-12-05 00:00 UTC"));
  // 48 minutes are 12 on four boards: the last 12 before the reset can be paid.
  EXPECT_EQ(kReset - 12min, offer.reason().next_chance);
  EXPECT_THAT(offer.reason().message, HasSubstr("enough from Fri 2026-12-04 23:48 UTC"));
  EXPECT_TRUE(ledger.Offer(kAlice, Boards(4), 1h, 20min, kReset - 12min).ok());
  EXPECT_FALSE(ledger.Offer(kAlice, Boards(4), 1h, 20min, kReset - 12min - 1ms).ok());
}

TEST(Ledger, TheReasonTellsWhatOpenSessionsReserve) {
  const Ledger ledger({MakeSession("s", "alice", 1, kTuesday, 2h)}, {MakeQuota("alice", 2h, 2h)});
  const auto offer = ledger.Offer(kAlice, Boards(1), 1h, 1h, kTuesday);
  ASSERT_FALSE(offer.ok());
  EXPECT_THAT(offer.reason().message, HasSubstr("leaves 0s of 2h (2h reserved by 1 open session)"));
  EXPECT_EQ(kReset, offer.reason().next_chance);
}

TEST(Ledger, WhatNoWeekCanPayHasNoNextChance) {
  const Ledger ledger({}, {MakeQuota("bert", 2h, 24h)});
  const auto offer = ledger.Offer(UserName("bert"), Boards(8), 1h, 1h, kTuesday);
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(std::nullopt, offer.reason().next_chance);
  EXPECT_THAT(offer.reason().message, HasSubstr("no week will be enough"));
}

TEST(Ledger, ABlockedUserStartsNothingButWhatRunsIsCounted) {
  UserQuota quota = MakeQuota("alice", 30h, 3h);
  quota.spec.blocked = true;
  Ledger ledger({MakeSession("s", "alice", 1, kTuesday, 3h)}, {quota});
  const auto offer = ledger.Offer(kAlice, Boards(1), 1h, 5min, kTuesday);
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(kReasonUserBlocked, offer.reason().code);
  EXPECT_FALSE(
      ledger
          .Reserve(SessionUid("t"), kAlice, {.length = 1ms, .charged_boards = Boards(1)}, kTuesday)
          .ok());
  EXPECT_EQ(Of(3h), ledger.Reserved(kAlice, kWeek));
}

TEST(Ledger, AllReasonsAreGivenTheWeightiestFirst) {
  UserQuota quota = MakeQuota("alice", 1h, 30min);
  quota.spec.blocked = true;
  const auto offer = Ledger({}, {quota}).Offer(kAlice, Boards(2), 2h, 2h, kTuesday);
  ASSERT_FALSE(offer.ok());
  ASSERT_EQ(3u, offer.reasons().size());
  EXPECT_EQ(kReasonUserBlocked, offer.reasons()[0].code);
  EXPECT_EQ(kReasonSessionLimit, offer.reasons()[1].code);
  EXPECT_EQ(kReasonWeeklyQuota, offer.reasons()[2].code);
}

TEST(Ledger, AMinimumAboveWhatIsAskedIsWhatIsAsked) {
  const Ledger ledger({}, {MakeQuota("alice", 10min, 3h)});
  EXPECT_EQ(10min, ledger.Offer(kAlice, Boards(1), 10min, 1h, kTuesday)->length);
}

TEST(Ledger, ExactlyTheMinimumIsEnough) {
  const Ledger ledger({}, {MakeQuota("alice", 40min, 3h)});
  EXPECT_TRUE(ledger.Offer(kAlice, Boards(4), 1h, 10min, kTuesday).ok());
  EXPECT_FALSE(ledger.Offer(kAlice, Boards(4), 1h, 10min + 1ms, kTuesday).ok());
}

TEST(Ledger, NoSessionOpenMeansAConstantBalance) {
  // Q14.
  const Ledger ledger({Ended(MakeSession("s", "alice", 1, kTuesday, 3h), 1h)}, {});
  for (const Duration later : {0ms, 1000ms, 3600000ms}) {
    EXPECT_EQ(Of(29h), ledger.StatusOf(kAlice, kTuesday + later).remaining);
  }
}

TEST(Ledger, RunningWorkIsCountedEvenAboveALoweredLimit) {
  // P8: at recovery it is counted, not refused; only new work is.
  const Ledger ledger(
      {MakeSession("a", "alice", 4, kTuesday, 3h), MakeSession("b", "alice", 4, kTuesday, 3h)},
      {MakeQuota("alice", 1h, 3h)});
  EXPECT_EQ(Of(24h), ledger.Reserved(kAlice, kWeek));
  EXPECT_EQ(BoardMillis(), ledger.Remaining(kAlice, kWeek));
  EXPECT_FALSE(ledger.Offer(kAlice, Boards(1), 1h, 1ms, kTuesday).ok());
}

TEST(Ledger, ASessionListedTwiceCountsOnce) {
  // P5: usage is the sum of the sessions, whatever a snapshot repeats.
  const Session open = Lasting(MakeSession("s", "alice", 1, kTuesday, 3h), 1h);
  const Session ended = Ended(MakeSession("t", "alice", 1, kTuesday, 3h), 1h);
  const Ledger ledger({open, open, ended, ended}, {});
  EXPECT_EQ(Of(2h), ledger.Used(kAlice, kWeek));
  EXPECT_EQ(Of(2h), ledger.Reserved(kAlice, kWeek));
}

TEST(Ledger, AbsurdAmountsSaturateAndAreRefused) {
  // P4: an overflow must never look like room.
  const Ledger ledger({}, {MakeQuota("alice", Duration::max(), Duration::max())});
  const Boards many(std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(ledger.Offer(kAlice, many, 1ms, 1ms, kTuesday).ok());
  EXPECT_FALSE(ledger.Offer(kAlice, many, 2ms, 2ms, kTuesday).ok());
  EXPECT_EQ(limits::kSessionLengthMax,
            ledger.Offer(kAlice, Boards(1), Duration::max(), Duration::max(), kTuesday)->length);
  const Session session =
      Ended(MakeSession("s", "alice", 1, kTuesday, Duration::max()), Duration::max());
  EXPECT_EQ(Of(limits::kSessionLengthMax), ChargeOf(session));
}

TEST(Ledger, OthersDoNotPay) {
  const Ledger ledger({MakeSession("s", "bert", 4, kTuesday, 3h)}, {});
  EXPECT_EQ(Of(30h), ledger.Remaining(kAlice, kWeek));
  EXPECT_EQ((std::vector<UserName>{UserName("bert")}), ledger.Users());
}

TEST(Ledger, AJobIsChargedForItsEndedSessions) {
  Session a = Ended(MakeSession("a", "alice", 2, kTuesday, 3h), 1h);
  Session b = Ended(MakeSession("b", "alice", 4, kTuesday, 3h), 1h);
  Session c = Lasting(MakeSession("c", "alice", 4, kTuesday, 3h), 1h);
  Session other = Ended(MakeSession("d", "alice", 4, kTuesday, 3h), 1h);
  for (Session* session : {&a, &b, &c}) session->job_uid = JobUid("mine");
  EXPECT_EQ(Of(6h), ChargedTo(JobUid("mine"), {a, b, c, other}));
}

}  // namespace
}  // namespace octet
