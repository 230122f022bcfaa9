#include "worker/collective/core_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>

#include "shared/base/thread.h"

namespace octet {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::seconds(30);

// Threads that run `work` on every token until the group stops.
class Cores {
 public:
  Cores(CoreGroup& group, ZmqContext& context, std::function<CoreToken(int, CoreToken)> work)
      : group_(group) {
    for (int i = 0; i < group.threads(); ++i) {
      threads_.emplace_back("core", [this, &context, work, i] {
        auto member = CoreMember::Join(context, group_.address(i));
        CHECK(member.ok());
        while (const auto token = member->Next()) member->Done(work(i, *token));
      });
    }
  }
  ~Cores() { group_.Stop(); }

 private:
  CoreGroup& group_;
  std::vector<Thread> threads_;
};

class CoreGroupTest : public ::testing::Test {
 protected:
  std::unique_ptr<CoreGroup> Make(int threads) {
    auto group = CoreGroup::Create(context_, clock_, threads);
    CHECK(group.ok());
    return std::move(group).value();
  }
  SystemClock clock_;
  ZmqContext context_;
};

TEST_F(CoreGroupTest, TokensComeBackByThreadAfterEachPhase) {
  const auto group = Make(8);
  const Cores cores(*group, context_, [](int index, CoreToken token) {
    return CoreToken{.place = static_cast<uint64_t>(index), .count = token.count + 1};
  });
  for (int64_t round = 0; round < 100; ++round) {
    ASSERT_TRUE(group->Release({.count = round}).ok());
    const auto tokens = group->Gather(kLong);
    ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ((*tokens)[i], (CoreToken{.place = i, .count = round + 1}));
    }
  }
}

TEST_F(CoreGroupTest, WhatAThreadWroteIsSeenByTheLeaderAndTheNextPhase) {
  constexpr int kThreads = 4;
  constexpr size_t kElements = 1000;
  const auto group = Make(kThreads);
  std::array<std::array<int64_t, kElements>, kThreads> parts{};
  std::array<int64_t, kElements> sum{};
  const Cores cores(*group, context_, [&](int index, CoreToken token) {
    if (token.operation == 1) {
      for (size_t e = 0; e < kElements; ++e) parts[static_cast<size_t>(index)][e] += index + 1;
    } else {
      const size_t begin = kElements / kThreads * static_cast<size_t>(index);
      for (size_t e = begin; e < begin + kElements / kThreads; ++e) {
        sum[e] = 0;
        for (const auto& part : parts) sum[e] += part[e];
      }
    }
    return token;
  });
  for (int round = 1; round <= 50; ++round) {
    for (const uint32_t phase : {1U, 2U}) {
      ASSERT_TRUE(group->Release({.operation = phase}).ok());
      ASSERT_TRUE(group->Gather(kLong).ok());
    }
    EXPECT_EQ(std::accumulate(sum.begin(), sum.end(), int64_t{0}), 10000 * round);
  }
}

TEST_F(CoreGroupTest, AThreadThatDoesNotAnswerIsNamedAtTheDeadline) {
  const auto group = Make(2);
  // Thread 1 never joins.
  Thread first("core", [&] {
    auto member = CoreMember::Join(context_, group->address(0));
    while (const auto token = member->Next()) member->Done(*token);
  });
  ASSERT_TRUE(group->Release({}).ok());
  const auto tokens = group->Gather(Duration(50));
  EXPECT_EQ(tokens.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(tokens.status().message(), HasSubstr("core thread 1"));
  group->Stop();
}

TEST_F(CoreGroupTest, StopEndsThreadsThatWaitAndThoseThatComeLater) {
  const auto group = Make(2);
  Thread waits("core", [&] {
    auto member = CoreMember::Join(context_, group->address(0));
    EXPECT_FALSE(member->Next().has_value());
  });
  group->Stop();
  group->Stop();
  Thread later("core", [&] {
    auto member = CoreMember::Join(context_, group->address(1));
    EXPECT_FALSE(member->Next().has_value());
  });
}

}  // namespace
}  // namespace octet
