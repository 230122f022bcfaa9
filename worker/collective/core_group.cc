#include "worker/collective/core_group.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include "shared/base/check.h"

namespace octet {
namespace {

// One frame without bytes says that the group stops.
std::string_view BytesOf(const CoreToken& token) {
  return {reinterpret_cast<const char*>(&token), sizeof(token)};
}

CoreToken TokenOf(const Frames& frames) {
  CoreToken token;
  CHECK(frames.size() == 1 && frames[0].bytes().size() == sizeof(token));
  std::memcpy(&token, frames[0].bytes().data(), sizeof(token));
  return token;
}

// Every token is answered before the next one, so two would do; a short queue costs time.
constexpr int kTokensMax = 1000;

// ZeroMQ orders what the sender of a token did before what its receiver does after, but the thread
// sanitizer does not see that: it knows only code that it has compiled. These tell it.
#if defined(__SANITIZE_THREAD__)
char handover = 0;
void BeforeSending() { __tsan_release(&handover); }
void AfterReceiving() { __tsan_acquire(&handover); }
#else
void BeforeSending() {}
void AfterReceiving() {}
#endif

}  // namespace

Result<std::unique_ptr<CoreGroup>> CoreGroup::Create(ZmqContext& context, const Clock& clock,
                                                     int threads) {
  CHECK(threads >= 1);
  static std::atomic<int64_t> count = 0;
  std::unique_ptr<CoreGroup> group(
      new CoreGroup(clock, "inproc://cores-" + std::to_string(count++)));
  for (int i = 0; i < threads; ++i) {
    OCTET_ASSIGN_OR_RETURN(Socket socket,
                           Socket::Pair(context, {.queue_messages_max = kTokensMax}));
    // Connecting before the thread binds makes the pair's queue at once; binding would make it when
    // the thread comes, and a token released before that would have no place.
    OCTET_RETURN_IF_ERROR(socket.Connect(group->address(i)));
    group->sockets_.push_back(std::move(socket));
  }
  return group;
}

std::string CoreGroup::address(int index) const { return name_ + "/" + std::to_string(index); }

Status CoreGroup::Release(const CoreToken& token) {
  for (int i = 0; i < threads(); ++i) OCTET_RETURN_IF_ERROR(ReleaseOne(i, token));
  return Ok();
}

Status CoreGroup::ReleaseOne(int index, const CoreToken& token) {
  CHECK(!stopped_);
  BeforeSending();
  return sockets_[static_cast<size_t>(index)].Send(BytesOf(token));
}

Result<std::vector<CoreToken>> CoreGroup::Gather(Duration deadline) {
  const MonotonicTime end = clock_.Monotonic() + deadline;
  std::vector<CoreToken> tokens;
  while (tokens.size() < sockets_.size()) {
    const auto left = std::chrono::ceil<Duration>(end - clock_.Monotonic());
    OCTET_ASSIGN_OR_RETURN(const auto frames,
                           sockets_[tokens.size()].Receive(std::max(left, Duration(0))));
    if (frames.has_value()) {
      tokens.push_back(TokenOf(*frames));
    } else if (left <= Duration(0)) {
      return DeadlineExceeded("core thread " + std::to_string(tokens.size()) +
                              " has not handed over its part within " + FormatDuration(deadline));
    }
  }
  AfterReceiving();
  return tokens;
}

void CoreGroup::Stop() {
  if (std::exchange(stopped_, true)) return;
  for (Socket& socket : sockets_) {
    const Status sent = socket.Send(std::string_view());
    CHECK(sent.ok()) << sent.ToString();
  }
}

Result<CoreMember> CoreMember::Join(ZmqContext& context, const std::string& address) {
  OCTET_ASSIGN_OR_RETURN(Socket socket, Socket::Pair(context, {.queue_messages_max = kTokensMax}));
  OCTET_RETURN_IF_ERROR(socket.Bind(address).status());
  return CoreMember(std::move(socket));
}

std::optional<CoreToken> CoreMember::Next() {
  while (true) {
    auto frames = socket_.Receive(std::chrono::hours(1));
    // The context ends: nobody will ask again.
    if (!frames.ok()) return std::nullopt;
    if (!frames->has_value()) continue;
    if ((*frames)->front().bytes().empty()) return std::nullopt;
    AfterReceiving();
    return TokenOf(**frames);
  }
}

void CoreMember::Done(const CoreToken& token) {
  BeforeSending();
  const Status sent = socket_.Send(BytesOf(token));
  CHECK(sent.ok()) << sent.ToString();
}

}  // namespace octet
