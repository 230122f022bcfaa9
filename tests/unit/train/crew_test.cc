#include "worker/train/crew.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(Crew, EveryThreadDoesItsPartOnceAndSeesTheOthersAfterwards) {
  for (int threads = 1; threads <= 8; ++threads) {
    const SystemClock clock;
    ZmqContext context;
    auto crew = Crew::Start(context, clock, threads);
    ASSERT_TRUE(crew.ok()) << crew.status().ToString();
    std::vector<int> counts(static_cast<size_t>(threads), 0);
    for (int phase = 1; phase <= 50; ++phase) {
      const Status done = (*crew)->Run([&](int thread) {
        ++counts[static_cast<size_t>(thread)];
        return Ok();
      });
      ASSERT_TRUE(done.ok());
      for (const int count : counts) ASSERT_EQ(count, phase);
    }
  }
}

TEST(Crew, TheFirstFailureByThreadIsTheResultAndTheNextPhaseRuns) {
  const SystemClock clock;
  ZmqContext context;
  auto crew = Crew::Start(context, clock, 4);
  ASSERT_TRUE(crew.ok());
  const Status failed = (*crew)->Run([](int thread) {
    return thread >= 2 ? InvalidArgument("thread " + std::to_string(thread)) : Ok();
  });
  EXPECT_EQ(failed.message(), "thread 2");
  EXPECT_TRUE((*crew)->Run([](int) { return Ok(); }).ok());
}

}  // namespace
}  // namespace octet
