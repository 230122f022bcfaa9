// The contract of the Transport seam, for its real and its simulated implementation.
#include "worker/collective/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/collective/gang.h"

namespace octet {
namespace {

constexpr Duration kLong = std::chrono::seconds(30);

// Waits for the next event, through returns without one.
Received Next(Transport& transport) {
  for (int tries = 0; tries < 1000; ++tries) {
    auto received = transport.Receive(kLong);
    CHECK(received.ok()) << received.status().ToString();
    if (received->has_value()) return *std::move(*received);
  }
  CHECK(false) << "nothing arrives";
  return {};
}

FrameHeader Header(int source, uint32_t chunk) {
  return {.source = static_cast<uint16_t>(source), .fence = 3, .chunk = chunk};
}

class TransportContract : public ::testing::TestWithParam<std::string> {};

TEST_P(TransportContract, FramesOfOneSenderArriveWholeAndInOrder) {
  const auto gang = MakeGang(GetParam(), 3);
  OnEachRank(3, [&](int rank) {
    Transport& transport = gang->Connect(rank);
    EXPECT_EQ(transport.rank(), rank);
    EXPECT_EQ(transport.ranks(), 3);
    const size_t sizes[] = {0, 1, 33, 4096, 4097, 9000, 1'000'000};
    for (uint32_t i = 0; i < 7; ++i) {
      for (int to = 0; to < 3; ++to) {
        if (to == rank) continue;
        const std::string bytes(sizes[i], static_cast<char>('a' + rank));
        ASSERT_TRUE(transport.Send(to, Header(rank, i), Payload::Copy(bytes)).ok());
      }
    }
    uint32_t next[3] = {0, 0, 0};
    for (int count = 0; count < 14; ++count) {
      const Received received = Next(transport);
      ASSERT_FALSE(received.lost);
      ASSERT_NE(received.rank, rank);
      const uint32_t i = next[received.rank]++;
      EXPECT_EQ(received.header, Header(received.rank, i));
      EXPECT_EQ(received.payload.bytes,
                std::string(sizes[i], static_cast<char>('a' + received.rank)));
    }
  });
}

TEST_P(TransportContract, WithoutAFrameReceiveEnds) {
  const auto gang = MakeGang(GetParam(), 2);
  OnEachRank(2, [&](int rank) {
    const auto received = gang->Connect(rank).Receive(Duration(1));
    ASSERT_TRUE(received.ok());
    EXPECT_FALSE(received->has_value());
  });
}

TEST_P(TransportContract, AWakeEndsReceive) {
  const auto gang = MakeGang(GetParam(), 2);
  OnEachRank(1, [&](int rank) {
    Transport& transport = gang->Connect(rank);
    Thread other("waker", [&] { transport.Wake(); });
    const auto received = transport.Receive(kLong);
    ASSERT_TRUE(received.ok());
    EXPECT_FALSE(received->has_value());
  });
}

TEST_P(TransportContract, ALostBoardIsToldOnceAndCannotBeSentTo) {
  const auto gang = MakeGang(GetParam(), 2);
  Transport* survivor = nullptr;
  OnEachRank(1, [&](int) {
    survivor = &gang->Connect(0);
    Thread other("dies", [&] {
      Transport& dying = gang->Connect(1);
      // It has heard the survivor, so both lines stand when it dies.
      Next(dying);
      ASSERT_TRUE(dying.Send(0, Header(1, 8), Payload::Copy("last words")).ok());
    });
    ASSERT_TRUE(survivor->Send(1, Header(0, 1), {}).ok());
    const Received words = Next(*survivor);
    EXPECT_EQ(words.payload.bytes, "last words");
    other.Join();
    gang->Kill(1);
    const Received loss = Next(*survivor);
    EXPECT_TRUE(loss.lost);
    EXPECT_EQ(loss.rank, 1);
    EXPECT_EQ(survivor->Send(1, Header(0, 2), {}).code(), StatusCode::kUnavailable);
    const auto again = survivor->Receive(Duration(100));
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->has_value());
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, TransportContract, ::testing::Values("memory", "tcp", "ipc"),
                         [](const auto& instance) { return instance.param; });

// What only the real one has: several gangs, one after the other, at one endpoint.

TEST(DataEndpoint, FramesOfAnOlderFenceAreDroppedAndCounted) {
  ZmqGang gang(2, "tcp");
  const GangId old = {JobUid("job"), Fence(3)};
  const GangId current = {JobUid("job"), Fence(4)};
  Transport& late = gang.ConnectAs(1, old);
  ASSERT_TRUE(late.Send(0, Header(1, 1), Payload::Copy("old")).ok());
  gang.Leave(1);
  Transport& receiver = gang.ConnectAs(0, current);
  for (int tries = 0; gang.endpoint(0).stale_frames() == 0 && tries < 300; ++tries) {
    const auto received = receiver.Receive(Duration(100));
    ASSERT_TRUE(received.ok());
    ASSERT_FALSE(received->has_value()) << "an old frame got through";
  }
  EXPECT_EQ(gang.endpoint(0).stale_frames(), 1);
}

TEST(DataEndpoint, AJoinOfTheNextGangWaitsForIt) {
  for (const GangId& next :
       {GangId{JobUid("job"), Fence(4)}, GangId{JobUid("another"), Fence(1)}}) {
    ZmqGang gang(2, "tcp");
    Transport& busy = gang.ConnectAs(0, {JobUid("job"), Fence(3)});
    Transport& early = gang.ConnectAs(1, next);
    FrameHeader join = Header(1, 0);
    join.fence = next.fence.value();
    ASSERT_TRUE(early.Send(0, join, {}).ok());
    // The old gang reads it without wanting it.
    const auto received = busy.Receive(Duration(200));
    ASSERT_TRUE(received.ok());
    EXPECT_FALSE(received->has_value());
    const Received kept = Next(gang.ConnectAs(0, next));
    EXPECT_EQ(kept.rank, 1);
    EXPECT_EQ(kept.header, join);
    EXPECT_EQ(gang.endpoint(0).stale_frames(), 0);
  }
}

TEST(DataEndpoint, NonsenseIsDroppedAndCounted) {
  ZmqGang gang(2, "tcp");
  Transport& transport = gang.Connect(0);
  ZmqContext context;
  auto stranger = Socket::Dealer(context, {.routing_id = "stranger", .linger = kLong});
  ASSERT_TRUE(stranger.ok() && stranger->Connect(gang.endpoint(0).address()).ok());
  ASSERT_TRUE(stranger->Send("what").ok());
  const std::string_view three[] = {"a", "b"};
  ASSERT_TRUE(stranger->Send(three).ok());
  for (int tries = 0; gang.endpoint(0).bad_frames() < 2 && tries < 300; ++tries) {
    ASSERT_FALSE(transport.Receive(Duration(100))->has_value());
  }
  EXPECT_EQ(gang.endpoint(0).bad_frames(), 2);
}

TEST(DataEndpoint, AddressesThatNobodyCanConnectToAreRefused) {
  ZmqContext context;
  for (const char* address : {"tcp://0.0.0.0:0", "tcp://*:0", "tcp://[::]:0", "inproc://x", "x"}) {
    EXPECT_EQ(DataEndpoint::Bind(context, address).status().code(), StatusCode::kInvalidArgument)
        << address;
  }
}

}  // namespace
}  // namespace octet
