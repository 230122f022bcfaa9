// What every ControlLink promises, run against the simulated one and the one over ZeroMQ.
#include <gtest/gtest.h>

#include "shared/base/clock.h"
#include "shared/base/thread.h"
#include "worker/agent/dealer_link.h"
#include "worker/agent/memory_link.h"

namespace octet {
namespace {

using std::chrono_literals::operator""s;

constexpr Duration kPatience = 20s;

// A link and the coordinator at its other end.
class LinkWorld {
 public:
  virtual ~LinkWorld() = default;
  virtual ControlLink& link() = 0;
  virtual void Give(const control::CoordinatorMessage& message) = 0;
  virtual std::optional<control::WorkerMessage> Take() = 0;
};

class MemoryWorld final : public LinkWorld {
 public:
  ControlLink& link() override { return link_; }
  void Give(const control::CoordinatorMessage& message) override { link_.Give(message); }
  std::optional<control::WorkerMessage> Take() override { return link_.Take(kPatience); }

 private:
  MemoryLink link_;
};

// The coordinator learns the worker's address from its first message.
class DealerWorld final : public LinkWorld {
 public:
  DealerWorld() : router_(std::move(Socket::Router(context_, {})).value()) {
    const auto endpoint = router_.Bind("tcp://127.0.0.1:0");
    link_ = DealerLink::Connect(context_, {.coordinator = *endpoint, .name = "local-0"}).value();
    control::WorkerMessage hello;
    hello.mutable_heartbeat();
    CHECK(link_->Send(hello).ok());
    CHECK(Take().has_value());
  }
  ControlLink& link() override { return *link_; }
  void Give(const control::CoordinatorMessage& message) override {
    const std::string bytes = message.SerializeAsString();
    const std::string_view frames[] = {worker_, bytes};
    CHECK(router_.Send(frames).ok());
  }
  std::optional<control::WorkerMessage> Take() override {
    auto frames = router_.Receive(kPatience);
    if (!frames.ok() || !*frames || (*frames)->size() != 2) return std::nullopt;
    worker_ = (**frames)[0].str();
    control::WorkerMessage message;
    if (!message.ParseFromString((**frames)[1].str())) return std::nullopt;
    return message;
  }

 private:
  ZmqContext context_;
  Socket router_;
  std::unique_ptr<ControlLink> link_;
  std::string worker_;
};

template <typename World>
class ControlLinkContract : public ::testing::Test {
 protected:
  World world_;
};
using Worlds = ::testing::Types<MemoryWorld, DealerWorld>;
TYPED_TEST_SUITE(ControlLinkContract, Worlds);

TYPED_TEST(ControlLinkContract, MessagesArriveWholeAndInOrder) {
  ControlLink& link = this->world_.link();
  for (int64_t fence = 1; fence <= 3; ++fence) {
    control::WorkerMessage up;
    up.mutable_step_report()->set_fence(fence);
    up.mutable_step_report()->add_log_lines(std::string(1000, 'x'));
    ASSERT_TRUE(link.Send(up).ok());
    control::CoordinatorMessage down;
    down.mutable_assign()->set_fence(fence);
    this->world_.Give(down);
  }
  for (int64_t fence = 1; fence <= 3; ++fence) {
    const auto up = this->world_.Take();
    ASSERT_TRUE(up.has_value());
    EXPECT_EQ(up->step_report().fence(), fence);
    const auto down = link.Receive(kPatience);
    ASSERT_TRUE(down.ok() && down->has_value());
    EXPECT_EQ((*down)->assign().fence(), fence);
  }
}

TYPED_TEST(ControlLinkContract, NothingComesAfterTheWait) {
  const auto nothing = this->world_.link().Receive(Duration(1));
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
}

TYPED_TEST(ControlLinkContract, AWakeFromAnotherThreadEndsTheWait) {
  ControlLink& link = this->world_.link();
  const SystemClock clock;
  const MonotonicTime start = clock.Monotonic();
  Thread waker("waker", [&] { link.Wake(); });
  const auto nothing = link.Receive(kPatience);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
  EXPECT_LT(clock.Monotonic() - start, kPatience);
}

TYPED_TEST(ControlLinkContract, AWakeBeforeTheWaitIsNotLost) {
  ControlLink& link = this->world_.link();
  const SystemClock clock;
  const MonotonicTime start = clock.Monotonic();
  link.Wake();
  ASSERT_TRUE(link.Receive(kPatience).ok());
  EXPECT_LT(clock.Monotonic() - start, kPatience);
}

}  // namespace
}  // namespace octet
