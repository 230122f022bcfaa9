// What shared/transport promises about sockets, over tcp, ipc and inproc.
#include "shared/transport/socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include "shared/base/random.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

constexpr Duration kLong = std::chrono::seconds(30);

// A folder of the test's own, short enough for an ipc path.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / Name()) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Endpoint(const std::string& name) const { return "ipc://" + (path_ / name).string(); }

 private:
  static std::string Name() { return "octet-" + std::to_string(SystemRandom64() % 1'000'000'000); }
  std::filesystem::path path_;
};

class SocketContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::string Address() {
    if (GetParam() == "ipc") return folder_.Endpoint("a");
    if (GetParam() == "inproc") return "inproc://socket-contract";
    return GetParam();
  }
  Socket MakeRouter() {
    auto router = Socket::Router(context_, {});
    CHECK(router.ok());
    auto bound = router->Bind(Address());
    CHECK(bound.ok()) << bound.status().ToString();
    bound_ = *bound;
    return std::move(router).value();
  }
  Socket MakeDealer(const std::string& name, bool watch = false) {
    auto dealer =
        Socket::Dealer(context_, {.routing_id = name, .reconnect = !watch, .watch_loss = watch});
    CHECK(dealer.ok());
    CHECK(dealer->Connect(bound_).ok());
    return std::move(dealer).value();
  }
  static Frames Next(Socket& socket) {
    auto frames = socket.Receive(kLong);
    CHECK(frames.ok() && frames->has_value());
    return *std::move(*frames);
  }

  Folder folder_;
  ZmqContext context_;
  std::string bound_;
};

TEST_P(SocketContract, ARouterHearsNamesAndAnswersThem) {
  Socket router = MakeRouter();
  Socket first = MakeDealer("first");
  Socket second = MakeDealer("second");
  ASSERT_TRUE(second.Send("hello").ok());
  const Frames heard = Next(router);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].str(), "second");
  EXPECT_EQ(heard[1].str(), "hello");
  const std::string_view answer[] = {"second", "a", "", "c"};
  ASSERT_TRUE(router.Send(answer).ok());
  const Frames answered = Next(second);
  ASSERT_EQ(answered.size(), 3U);
  EXPECT_EQ(answered[0].str() + "|" + answered[1].str() + "|" + answered[2].str(), "a||c");
}

TEST_P(SocketContract, NobodyOfThatNameIsUnavailable) {
  Socket router = MakeRouter();
  const std::string_view message[] = {"nobody", "text"};
  EXPECT_EQ(router.Send(message).code(), StatusCode::kUnavailable);
}

TEST_P(SocketContract, BorrowedBytesArriveAndTheirOwnerIsLetGo) {
  Socket router = MakeRouter();
  Socket dealer = MakeDealer("d");
  std::promise<void> released;
  {
    auto* const bytes = new std::string(1'000'000, 'x');
    const std::shared_ptr<const std::string> owner(bytes, [&](const std::string* text) {
      delete text;
      released.set_value();
    });
    Frames frames;
    frames.push_back(Frame::Copy("head"));
    frames.push_back(Frame::Borrow(owner, *owner));
    ASSERT_TRUE(dealer.Send(std::move(frames)).ok());
  }
  {
    const Frames heard = Next(router);
    ASSERT_EQ(heard.size(), 3U);
    EXPECT_EQ(heard[2].bytes().size(), 1'000'000U);
    EXPECT_EQ(heard[2].bytes().find_first_not_of('x'), std::string_view::npos);
  }
  EXPECT_EQ(released.get_future().wait_for(kLong), std::future_status::ready);
}

TEST_P(SocketContract, AQueueThatThePeerHasEmptiedIsNotFull) {
  constexpr int kQueue = 4;
  auto router = Socket::Router(context_, {.queue_messages_max = kQueue});
  ASSERT_TRUE(router.ok());
  bound_ = router->Bind(Address()).value();
  auto dealer = Socket::Dealer(context_, {.routing_id = "d", .queue_messages_max = kQueue});
  ASSERT_TRUE(dealer.ok() && dealer->Connect(bound_).ok());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(dealer->Send("question").ok()) << i;
    Next(*router);
    const std::string_view answer[] = {"d", "answer"};
    ASSERT_TRUE(router->Send(answer).ok()) << i;
    Next(*dealer);
  }
}

TEST_P(SocketContract, AFullQueueIsUnavailable) {
  bound_ = GetParam() == "inproc" ? "inproc://nobody" : "tcp://127.0.0.1:9";
  auto dealer = Socket::Dealer(context_, {.routing_id = "d", .queue_messages_max = 4});
  ASSERT_TRUE(dealer.ok() && dealer->Connect(bound_).ok());
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = dealer->Send("nobody reads this");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
}

TEST_P(SocketContract, WithoutAMessageTheWaitEnds) {
  Socket router = MakeRouter();
  const auto nothing = router.Receive(Duration(1));
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
}

TEST_P(SocketContract, AWakeFromAnotherThreadEndsTheWait) {
  Socket router = MakeRouter();
  Waker waker;
  Thread other("waker", [&] { waker.Wake(); });
  Socket* const sockets[] = {&router};
  EXPECT_TRUE(WaitForAny(sockets, &waker, kLong));
  EXPECT_FALSE(WaitForAny(sockets, &waker, Duration(0))) << "the wake was drained";
}

TEST_P(SocketContract, ASocketMovesToAnotherThread) {
  Socket router = MakeRouter();
  Socket dealer = MakeDealer("d");
  Thread other("other", [&] {
    router.MoveToThisThread();
    EXPECT_EQ(Next(router)[1].str(), "hello");
  });
  ASSERT_TRUE(dealer.Send("hello").ok());
  other.Join();
  router.MoveToThisThread();
}

TEST_P(SocketContract, AnotherThreadsUseIsOurOwnMistake) {
  Socket router = MakeRouter();
  EXPECT_DEATH(
      {
        Thread other("other", [&] { (void)router.Receive(Duration(0)); });
        other.Join();
      },
      "used by another thread");
}

INSTANTIATE_TEST_SUITE_P(Addresses, SocketContract,
                         ::testing::Values("tcp://127.0.0.1:0", "ipc", "inproc"),
                         [](const auto& instance) { return instance.param.substr(0, 3); });

class RemoteSocketContract : public SocketContract {};

TEST_P(RemoteSocketContract, ALostPeerIsToldWhereItIsWatched) {
  std::optional<Socket> router = MakeRouter();
  Socket dealer = MakeDealer("d", true);
  ASSERT_TRUE(dealer.Send("hello").ok());
  EXPECT_EQ(Next(*router).size(), 2U);
  EXPECT_FALSE(dealer.TakeLoss());
  router.reset();
  Socket* const sockets[] = {&dealer};
  ASSERT_TRUE(WaitForAny(sockets, nullptr, kLong));
  EXPECT_TRUE(dealer.TakeLoss());
}

TEST_P(RemoteSocketContract, ARefusedConnectionIsALoss) {
  {
    Socket router = MakeRouter();  // Its address is free again.
  }
  Socket dealer = MakeDealer("d", true);
  Socket* const sockets[] = {&dealer};
  ASSERT_TRUE(WaitForAny(sockets, nullptr, kLong));
  EXPECT_TRUE(dealer.TakeLoss());
}

TEST_P(RemoteSocketContract, WhatWasQueuedLeavesAfterTheSocketIsClosed) {
  Socket router = MakeRouter();
  {
    auto dealer = Socket::Dealer(context_, {.routing_id = "d", .linger = kLong});
    ASSERT_TRUE(dealer.ok() && dealer->Connect(bound_).ok());
    const std::string large(3'000'000, 'y');
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(dealer->Send(large).ok());
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Next(router)[1].bytes().size(), 3'000'000U);
}

INSTANTIATE_TEST_SUITE_P(Addresses, RemoteSocketContract,
                         ::testing::Values("tcp://127.0.0.1:0", "ipc"),
                         [](const auto& instance) { return instance.param.substr(0, 3); });

TEST(SocketErrors, SayWhatIsWrong) {
  ZmqContext context;
  auto first = Socket::Router(context, {});
  auto second = Socket::Router(context, {});
  ASSERT_TRUE(first.ok() && second.ok());
  const auto bound = first->Bind("tcp://127.0.0.1:0");
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(second->Bind(*bound).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(second->Bind("nonsense").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(second->Bind("ipc:///" + std::string(200, 'p')).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(second->Connect("tcp://").code(), StatusCode::kInvalidArgument);
}

TEST(SocketErrors, Ipv6LoopbackWorksWhereTheMachineHasIt) {
  ZmqContext context;
  auto router = Socket::Router(context, {});
  ASSERT_TRUE(router.ok());
  const auto bound = router->Bind("tcp://[::1]:0");
  if (!bound.ok()) GTEST_SKIP() << "no IPv6 here: " << bound.status().ToString();
  auto dealer = Socket::Dealer(context, {.routing_id = "six"});
  ASSERT_TRUE(dealer.ok() && dealer->Connect(*bound).ok() && dealer->Send("hello").ok());
  const auto frames = router->Receive(kLong);
  ASSERT_TRUE(frames.ok() && frames->has_value());
  EXPECT_EQ((**frames)[1].str(), "hello");
}

}  // namespace
}  // namespace octet
