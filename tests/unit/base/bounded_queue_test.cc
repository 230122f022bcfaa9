#include "shared/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "shared/base/thread.h"

namespace octet {
namespace {

using std::chrono::nanoseconds;

TEST(BoundedQueue, GivesItemsInTheOrderTheyCame) {
  BoundedQueue<int> queue(3);
  EXPECT_TRUE(queue.TryPush(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
}

TEST(BoundedQueue, AFullOneRefusesAndLeavesTheItemAlone) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.TryPush(std::make_unique<int>(1)));
  auto item = std::make_unique<int>(2);
  EXPECT_FALSE(queue.TryPush(std::move(item)));
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(*item, 2);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(BoundedQueue, AnEmptyOneGivesNothingAfterTheWait) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.Pop(nanoseconds(0)), std::nullopt);
  EXPECT_EQ(queue.Pop(std::chrono::milliseconds(1)), std::nullopt);
}

TEST(BoundedQueue, AClosedOneRefusesPushesAndDrains) {
  BoundedQueue<int> queue(3);
  queue.Push(1);
  queue.Push(2);
  queue.Close();
  EXPECT_FALSE(queue.Push(3));
  EXPECT_FALSE(queue.TryPush(3));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(nanoseconds(0)), 2);
  EXPECT_EQ(queue.Pop(), std::nullopt);
  EXPECT_EQ(queue.Pop(std::chrono::hours(1)), std::nullopt);
}

TEST(BoundedQueue, ClosingWakesAReaderThatWaits) {
  BoundedQueue<int> queue(1);
  std::optional<int> read = 7;
  Thread reader("reader", [&] { read = queue.Pop(); });
  queue.Close();
  reader.Join();
  EXPECT_EQ(read, std::nullopt);
}

TEST(BoundedQueue, ClosingWakesAWriterThatWaits) {
  BoundedQueue<int> queue(1);
  queue.Push(1);
  bool pushed = true;
  Thread writer("writer", [&] { pushed = queue.Push(2); });
  queue.Close();
  writer.Join();
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, AReaderMakesRoomForAWriterThatWaits) {
  BoundedQueue<int> queue(1);
  queue.Push(1);
  bool pushed = false;
  Thread writer("writer", [&] { pushed = queue.Push(2); });
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), 2);
  writer.Join();
  EXPECT_TRUE(pushed);
}

TEST(BoundedQueue, ManyThreadsLoseNothingAndDoubleNothing) {
  constexpr int kWriters = 3, kReaders = 3, kItems = 2'000;
  BoundedQueue<int> queue(4);
  std::vector<std::atomic<int>> seen(kWriters * kItems);
  std::atomic<bool> in_order = true;
  std::vector<Thread> readers, writers;
  for (int r = 0; r < kReaders; ++r) {
    readers.emplace_back("reader", [&] {
      std::vector<int> last(kWriters, -1);
      while (const std::optional<int> item = queue.Pop()) {
        ++seen[static_cast<size_t>(*item)];
        int& before = last[static_cast<size_t>(*item / kItems)];
        if (*item % kItems <= before) in_order = false;
        before = *item % kItems;
      }
    });
  }
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back("writer", [&queue, w] {
      for (int i = 0; i < kItems; ++i) {
        if (!queue.Push(w * kItems + i)) return;
      }
    });
  }
  for (Thread& writer : writers) writer.Join();
  queue.Close();
  for (Thread& reader : readers) reader.Join();
  for (const std::atomic<int>& count : seen) ASSERT_EQ(count, 1);
  EXPECT_TRUE(in_order);
}

TEST(BoundedQueueDeathTest, NeedsRoomForSomething) {
  EXPECT_DEATH(BoundedQueue<int>(0), "capacity > 0");
}

}  // namespace
}  // namespace octet
