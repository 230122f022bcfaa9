#include "coordinator/fleet/zmq_worker_link.h"

#include <gtest/gtest.h>

#include "shared/base/thread.h"
#include "shared/transport/socket.h"

namespace octet {
namespace {

constexpr Duration kWait = std::chrono::seconds(10);

std::unique_ptr<ZmqWorkerLink> BindAnywhere(size_t message_bytes_max = 0) {
  auto link = ZmqWorkerLink::Bind(
      {.endpoint = "tcp://127.0.0.1:0", .message_bytes_max = message_bytes_max});
  CHECK(link.ok()) << link.status().ToString();
  return std::move(link).value();
}

Socket Connect(ZmqContext& context, const std::string& name, const std::string& endpoint) {
  Socket socket = Socket::Dealer(context, {.routing_id = name}).value();
  CHECK(socket.Connect(endpoint).ok());
  return socket;
}

std::string HeartbeatBytes(uint64_t incarnation) {
  control::WorkerMessage message;
  message.mutable_heartbeat()->set_incarnation(incarnation);
  return message.SerializeAsString();
}

TEST(ZmqWorkerLink, CarriesMessagesBothWaysByPeer) {
  const auto link = BindAnywhere();
  ZmqContext context;
  Socket worker = Connect(context, "w1", link->endpoint());
  ASSERT_TRUE(worker.Send(HeartbeatBytes(5)).ok());
  const auto messages = link->Receive(kWait);
  ASSERT_EQ(1u, messages.size());
  EXPECT_EQ("w1", messages[0].peer);
  EXPECT_EQ(5u, messages[0].message.heartbeat().incarnation());

  control::CoordinatorMessage answer;
  answer.mutable_unknown()->set_incarnation(5);
  link->Send("w1", answer);
  const auto frames = worker.Receive(kWait);
  ASSERT_TRUE(frames.ok() && frames->has_value());
  control::CoordinatorMessage heard;
  ASSERT_TRUE(heard.ParseFromString((*frames)->back().str()));
  EXPECT_EQ(5u, heard.unknown().incarnation());
}

TEST(ZmqWorkerLink, CountsAndDropsWhatItCannotRead) {
  const auto link = BindAnywhere();
  ZmqContext context;
  Socket worker = Connect(context, "w1", link->endpoint());
  ASSERT_TRUE(worker.Send("\xff\xff no protobuf").ok());
  const std::string_view frames[] = {"too", "many"};
  ASSERT_TRUE(worker.Send(frames).ok());
  ASSERT_TRUE(worker.Send(HeartbeatBytes(6)).ok());
  std::vector<FromWorker> messages;
  while (messages.empty()) messages = link->Receive(kWait);
  EXPECT_EQ(6u, messages[0].message.heartbeat().incarnation());
  EXPECT_EQ(2, link->unreadable());
}

TEST(ZmqWorkerLink, SendingToNobodyIsHarmless) {
  const auto link = BindAnywhere();
  link->Send("nobody", control::CoordinatorMessage());
}

TEST(ZmqWorkerLink, AWakeFromAnotherThreadEndsTheWait) {
  const auto link = BindAnywhere();
  Thread other("other", [&] { link->Wake(); });
  EXPECT_TRUE(link->Receive(std::chrono::hours(1)).empty());
  other.Join();
}

TEST(ZmqWorkerLink, APortInUseIsSaidSo) {
  const auto link = BindAnywhere();
  EXPECT_EQ(StatusCode::kAlreadyExists,
            ZmqWorkerLink::Bind({.endpoint = link->endpoint()}).status().code());
}

}  // namespace
}  // namespace octet
