#include "worker/collective/slice_member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/property/collective/simulated_slice.h"

namespace octet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

SliceOptions ThreeBoards() {
  return {.ranks = 3,
          .fence = Fence(7),
          .shards = 24,
          .boards = {"local-0", "local-1", "local-2"},
          .star_bytes = 64,
          .chunk_bytes = 128};
}

std::vector<SumBuffer> Buffers(const std::vector<int64_t>& elements) {
  std::vector<SumBuffer> buffers;
  for (const int64_t count : elements) buffers.emplace_back(count, 1, false);
  return buffers;
}

// All boards have failed with this Status, each with the same.
void ExpectAllFailed(SimulatedSlice& slice, int ranks, StatusCode code, const std::string& text) {
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(slice.member(rank).status(), slice.member(0).status());
    EXPECT_EQ(slice.member(rank).status().code(), code);
    EXPECT_THAT(slice.member(rank).status().message(), HasSubstr(text));
  }
}

TEST(SliceMember, ADeadBoardIsNamedAtTheDeadline) {
  for (const int64_t elements : {1, 16, 17, 500}) {
    SimulatedSlice slice(ThreeBoards(), {}, 1);
    auto buffers = Buffers({elements, elements, elements});
    slice.member(0).BeginSum(buffers[0], slice.now());
    slice.member(1).BeginSum(buffers[1], slice.now());
    ASSERT_TRUE(slice.Run({0, 1}));
    EXPECT_GE(slice.now().time_since_epoch(), limits::kCollectiveDeadline);
    EXPECT_LT(slice.now().time_since_epoch(), limits::kCollectiveDeadline + milliseconds(100));
    ExpectAllFailed(slice, 2, StatusCode::kDeadlineExceeded,
                    "sum of float32 (operation 0): nothing from rank 2 (local-2) for 10s");
  }
}

TEST(SliceMember, WhoeverWaitsForTheDeadBoardTooIsNotBlamed) {
  // A star whose owner is rank 1 in operation 1: ranks 0 waits for rank 1, which waits for rank 2.
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  for (int rank = 0; rank < 3; ++rank) slice.member(rank).BeginBarrier(slice.now());
  ASSERT_TRUE(slice.RunAll());
  slice.member(0).BeginBarrier(slice.now());
  slice.member(1).BeginBarrier(slice.now());
  ASSERT_TRUE(slice.Run({0, 1}));
  ExpectAllFailed(slice, 2, StatusCode::kDeadlineExceeded, "nothing from rank 2 (local-2)");
}

TEST(SliceMember, ProgressMovesTheDeadline) {
  SliceMember owner([] {
    SliceOptions options = ThreeBoards();
    options.rank = 0;
    return options;
  }());
  auto buffers = Buffers({4});
  const MonotonicTime start{};
  owner.BeginSum(buffers[0], start);
  const MonotonicTime before = owner.deadline();
  SimulatedSlice others(ThreeBoards(), {}, 1);
  auto other = Buffers({4});
  others.member(1).BeginSum(other[0], start);
  const Outgoing frame = others.member(1).TakeOutgoing().at(0);
  owner.OnReceived({.rank = 1, .header = frame.header, .payload = frame.payload},
                   start + seconds(9));
  EXPECT_EQ(owner.deadline(), before + seconds(9));
  owner.OnTime(before);
  EXPECT_FALSE(owner.done());
}

TEST(SliceMember, ALostConnectionEndsTheGangOnAllBoards) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  auto buffers = Buffers({100, 100, 100});
  slice.member(0).BeginSum(buffers[0], slice.now());
  slice.member(1).BeginSum(buffers[1], slice.now());
  slice.member(0).OnReceived({.rank = 2, .lost = true}, slice.now());
  ASSERT_TRUE(slice.Run({0, 1}));
  ExpectAllFailed(slice, 2, StatusCode::kUnavailable, "rank 2 (local-2) is lost");
  // And it stays over.
  slice.member(1).BeginBarrier(slice.now());
  EXPECT_TRUE(slice.member(1).done());
  EXPECT_EQ(slice.member(1).status().code(), StatusCode::kUnavailable);
}

TEST(SliceMember, AnAbortReachesAllBoardsWithRankAndCause) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  auto buffers = Buffers({100, 100, 100});
  for (int rank = 0; rank < 3; ++rank) {
    slice.member(rank).BeginSum(buffers[static_cast<size_t>(rank)], slice.now());
  }
  slice.member(1).Abort(Cancelled("the coordinator says stop"));
  ASSERT_TRUE(slice.RunAll());
  ExpectAllFailed(slice, 3, StatusCode::kCancelled, "rank 1 (local-1): the coordinator says stop");
}

TEST(SliceMember, DifferentCountsFailEverywhereAndWriteNothing) {
  // Star against star, star against chunks, chunks against chunks.
  for (const auto& [first, second] : {std::pair{10, 11}, {16, 17}, {400, 401}, {16, 400}}) {
    SimulatedSlice slice(ThreeBoards(), {.reorder = true}, 5);
    auto buffers = Buffers({first, first, second});
    for (int rank = 0; rank < 3; ++rank) {
      SumBuffer& buffer = buffers[static_cast<size_t>(rank)];
      for (int64_t e = 0; e < buffer.elements(); ++e) {
        buffer.root(0)[e] = 1;
        buffer.writable_sum()[e] = -5;
      }
      slice.member(rank).BeginSum(buffer, slice.now());
    }
    ASSERT_TRUE(slice.RunAll());
    for (int rank = 0; rank < 3; ++rank) {
      const Status& status = slice.member(rank).status();
      EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
      EXPECT_THAT(status.message(), HasSubstr("sum of float32 of " + std::to_string(first) + " "));
      EXPECT_THAT(status.message(), HasSubstr("rank 2 (local-2): sum of float32 of " +
                                              std::to_string(second) + " elements"));
      const SumBuffer& buffer = buffers[static_cast<size_t>(rank)];
      for (int64_t e = 0; e < buffer.elements(); ++e) ASSERT_EQ(buffer.sum()[e], -5);
    }
  }
}

TEST(SliceMember, DifferentOperationsFailEverywhere) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  auto buffers = Buffers({100, 100});
  slice.member(0).BeginSum(buffers[0], slice.now());
  slice.member(1).BeginBarrier(slice.now());
  slice.member(2).BeginSum(buffers[1], slice.now());
  ASSERT_TRUE(slice.RunAll());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(slice.member(rank).status().message(), HasSubstr("rank 1 (local-1): barrier"));
  }
}

TEST(SliceMember, DifferentShardsOrRootsFailEverywhere) {
  SliceOptions options = ThreeBoards();
  std::vector<std::unique_ptr<SliceMember>> members;
  for (int rank = 0; rank < 2; ++rank) {
    members.push_back(std::make_unique<SliceMember>(
        SliceOptions{.rank = rank, .ranks = 2, .shards = rank == 0 ? 16 : 32}));
    members.back()->BeginJoin({});
  }
  const Outgoing frame = members[1]->TakeOutgoing().at(0);
  members[0]->OnReceived({.rank = 1, .header = frame.header, .payload = frame.payload}, {});
  EXPECT_THAT(members[0]->status().message(), HasSubstr("with other shards, boards, chunks"));

  SimulatedSlice slice(options, {}, 1);
  slice.member(0).BeginBroadcastSize(0, 5, slice.now());
  slice.member(1).BeginBroadcastSize(1, 5, slice.now());
  slice.member(2).BeginBroadcastSize(0, 5, slice.now());
  ASSERT_TRUE(slice.RunAll());
  for (int rank = 0; rank < 3; ++rank) EXPECT_FALSE(slice.member(rank).status().ok());
}

TEST(SliceMember, FramesOfAnotherFenceAreDroppedAndCounted) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  SliceOptions old = ThreeBoards();
  old.fence = Fence(6);
  old.rank = 2;
  SliceMember ghost(old);
  auto buffers = Buffers({4, 4, 4, 4});
  for (SumBuffer& buffer : buffers) std::fill_n(buffer.root(0), 4, 1.0f);
  std::fill_n(buffers[3].root(0), 4, 100.0f);
  ghost.BeginSum(buffers[3], slice.now());
  for (int rank = 0; rank < 3; ++rank) {
    slice.member(rank).BeginSum(buffers[static_cast<size_t>(rank)], slice.now());
  }
  for (const Outgoing& frame : ghost.TakeOutgoing()) {
    slice.member(frame.rank)
        .OnReceived({.rank = 2, .header = frame.header, .payload = frame.payload}, slice.now());
  }
  ghost.Abort(Cancelled("old"));
  for (const Outgoing& frame : ghost.TakeOutgoing()) {
    slice.member(frame.rank)
        .OnReceived({.rank = 2, .header = frame.header, .payload = frame.payload}, slice.now());
  }
  ASSERT_TRUE(slice.RunAll());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(slice.member(rank).status().ok());
    EXPECT_EQ(buffers[static_cast<size_t>(rank)].sum()[0], 3);
  }
  EXPECT_EQ(slice.member(0).counters().stale_frames, 2);
}

TEST(SliceMember, AFasterBoardIsHeardLater) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  for (int operation = 0; operation < 2; ++operation) {
    for (int rank = 0; rank < 3; ++rank) slice.member(rank).BeginBarrier(slice.now());
    ASSERT_TRUE(slice.RunAll());
  }
  // Rank 2 owns operation 2, which the others begin before it does.
  SliceMember& owner = slice.member(2);
  for (const int rank : {0, 1}) {
    slice.member(rank).BeginBarrier(slice.now());
    for (const Outgoing& frame : slice.member(rank).TakeOutgoing()) {
      ASSERT_EQ(frame.rank, 2);
      owner.OnReceived({.rank = rank, .header = frame.header}, slice.now());
    }
  }
  EXPECT_TRUE(owner.status().ok());
  owner.BeginBarrier(slice.now());
  EXPECT_TRUE(owner.done());
  ASSERT_TRUE(slice.RunAll());
}

TEST(SliceMember, ABoardTwoOperationsAheadEndsTheGang) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  slice.member(0).BeginBarrier(slice.now());
  slice.member(1).BeginBarrier(slice.now());
  FrameHeader header = slice.member(1).TakeOutgoing().at(0).header;
  header.operation = 2;
  slice.member(0).OnReceived({.rank = 1, .header = header}, slice.now());
  EXPECT_THAT(slice.member(0).status().message(),
              HasSubstr("rank 1 (local-1) cannot be: it is in operation 2"));
}

TEST(SliceMember, AFrameOfTheWrongLengthEndsTheGang) {
  SimulatedSlice slice(ThreeBoards(), {}, 1);
  auto buffers = Buffers({4, 4});
  slice.member(0).BeginSum(buffers[0], slice.now());
  slice.member(1).BeginSum(buffers[1], slice.now());
  Outgoing frame = slice.member(1).TakeOutgoing().at(0);
  slice.member(0).OnReceived({.rank = 1, .header = frame.header, .payload = Payload::Copy("short")},
                             slice.now());
  EXPECT_EQ(slice.member(0).status().code(), StatusCode::kInternal);
  EXPECT_THAT(slice.member(0).status().message(), HasSubstr("5 bytes instead of 16"));
}

TEST(SliceMember, OneBoardAloneSendsNothingAndItsRootIsTheSum) {
  SliceMember alone({.shards = 24});
  SumBuffer buffer(1000, 1, true);
  buffer.root(0)[999] = 5;
  alone.BeginJoin({});
  alone.BeginSum(buffer, {});
  EXPECT_TRUE(alone.done());
  EXPECT_EQ(buffer.sum(), buffer.root(0));
  EXPECT_EQ(buffer.sum()[999], 5);
  alone.BeginBroadcast(0, 2, "ab", {});
  EXPECT_EQ(alone.TakeBroadcast(), "ab");
  EXPECT_TRUE(alone.TakeOutgoing().empty());
}

}  // namespace
}  // namespace octet
