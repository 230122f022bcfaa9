#include "worker/train/crew.h"

#include <utility>

#include "shared/base/log.h"

namespace octet {
namespace {

constexpr char kToken[] = "t";
// A token comes when the part is done, which may take long; it is asked for again after this.
constexpr Duration kTokenWait = std::chrono::seconds(1);
std::atomic<uint64_t> crews_made{0};  // Makes the inproc names of a process distinct.

// Waits as long as it takes.
void AwaitToken(Socket& socket) {
  while (true) {
    const auto frames = socket.Receive(kTokenWait);
    CHECK(frames.ok()) << frames.status().ToString();
    if (*frames) return;
  }
}

void SendToken(Socket& socket) {
  const Status sent = socket.Send(kToken);
  CHECK(sent.ok()) << sent.ToString();  // At most one is under way.
}

}  // namespace

Result<std::unique_ptr<Crew>> Crew::Start(ZmqContext& context, int threads) {
  std::unique_ptr<Crew> crew(new Crew(threads));
  const std::string prefix = "inproc://crew-" + std::to_string(crews_made++) + "-";
  for (int thread = 1; thread < threads; ++thread) {
    const std::string name = prefix + std::to_string(thread);
    OCTET_ASSIGN_OR_RETURN(Socket leader, Socket::Pair(context, {}));
    OCTET_ASSIGN_OR_RETURN(const std::string bound, leader.Bind(name));
    crew->members_.push_back({.leader = std::move(leader),
                              .thread = Thread("core-" + std::to_string(thread),
                                               [&context, name, thread, raw = crew.get()] {
                                                 raw->Serve(context, name, thread);
                                               })});
  }
  return crew;
}

Crew::~Crew() {
  part_.store(nullptr, std::memory_order_release);
  for (Member& member : members_) SendToken(member.leader);
  for (Member& member : members_) member.thread.Join();
}

Status Crew::Run(const Part& part) {
  done_.store(0, std::memory_order_relaxed);
  part_.store(&part, std::memory_order_release);
  for (Member& member : members_) SendToken(member.leader);
  results_[0] = part(0);
  for (Member& member : members_) AwaitToken(member.leader);
  // The tokens order the memory; this says it in a way that thread checkers see too.
  CHECK(done_.load(std::memory_order_acquire) == threads_ - 1);
  for (const Status& result : results_) OCTET_RETURN_IF_ERROR(result);
  return Ok();
}

void Crew::Serve(ZmqContext& context, const std::string& name, int thread) {
  auto made = Socket::Pair(context, {});
  CHECK(made.ok()) << made.status().ToString();
  Socket socket = std::move(made).value();
  const Status connected = socket.Connect(name);
  CHECK(connected.ok()) << connected.ToString();
  while (true) {
    AwaitToken(socket);
    const Part* part = part_.load(std::memory_order_acquire);
    if (part == nullptr) return;
    results_[static_cast<size_t>(thread)] = (*part)(thread);
    done_.fetch_add(1, std::memory_order_release);
    SendToken(socket);
  }
}

}  // namespace octet
