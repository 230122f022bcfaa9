#include "shared/base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <string>

namespace octet {
namespace {

std::string OwnName() {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

TEST(Thread, RunsUnderItsName) {
  std::string name;
  Thread thread("control loop", [&] { name = OwnName(); });
  thread.Join();
  EXPECT_EQ(name, "control loop");
}

TEST(Thread, CutsANameThatIsTooLong) {
  std::string name;
  Thread("0123456789abcdefgh", [&] { name = OwnName(); }).Join();
  EXPECT_EQ(name, "0123456789abcde");
}

TEST(Thread, IsJoinedWhenDestroyed) {
  bool ran = false;
  {
    const Thread thread("short", [&] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

TEST(Thread, JoiningTwiceOrAnEmptyOneIsHarmless) {
  Thread none;
  none.Join();
  EXPECT_FALSE(none.joinable());
  Thread thread("short", [] {});
  EXPECT_TRUE(thread.joinable());
  thread.Join();
  thread.Join();
  EXPECT_FALSE(thread.joinable());
}

TEST(AvailableProcessors, IsAtLeastOne) { EXPECT_GE(AvailableProcessors(), 1); }

}  // namespace
}  // namespace octet
