#include "worker/collective/slice_all_reduce.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "shared/base/check.h"
#include "shared/base/limits.h"

namespace octet {

SliceAllReduce::SliceAllReduce(Transport* transport, const Clock& clock,
                               const SliceOptions& options, Interrupted interrupted)
    : transport_(transport), clock_(clock), interrupted_(std::move(interrupted)), member_(options) {
  CHECK(options.ranks == 1 || transport != nullptr);
  CHECK(transport == nullptr ||
        (transport->rank() == options.rank && transport->ranks() == options.ranks));
}

Status SliceAllReduce::Join() {
  member_.BeginJoin(clock_.Monotonic());
  return Run();
}

Status SliceAllReduce::AllReduce(SumBuffer& buffer) {
  member_.BeginSum(buffer, clock_.Monotonic());
  return Run();
}

Status SliceAllReduce::Barrier() {
  member_.BeginBarrier(clock_.Monotonic());
  return Run();
}

Result<std::string> SliceAllReduce::Broadcast(int root, std::string_view bytes) {
  uint64_t size = bytes.size();
  member_.BeginBroadcastSize(root, size, clock_.Monotonic());
  OCTET_RETURN_IF_ERROR(Run());
  std::memcpy(&size, member_.TakeBroadcast().data(), sizeof(size));
  if (size > limits::kBroadcastBytesMax) {
    Abort(ResourceExhausted("a broadcast of " + std::to_string(size) + " bytes is too large"));
    return status();
  }
  member_.BeginBroadcast(root, size, bytes, clock_.Monotonic());
  OCTET_RETURN_IF_ERROR(Run());
  return member_.TakeBroadcast();
}

void SliceAllReduce::Abort(const Status& cause) {
  member_.Abort(cause);
  SendAll();
}

Status SliceAllReduce::Run() {
  SendAll();
  while (!member_.done()) {
    const auto now = clock_.Monotonic();
    const auto until = std::chrono::ceil<Duration>(member_.deadline() - now);
    const Duration wait = std::clamp(until, Duration(0), limits::kInterruptInterval);
    auto received = transport_->Receive(wait);
    if (!received.ok()) {
      member_.Abort(received.status());
    } else if (received->has_value()) {
      member_.OnReceived(**std::move(received), clock_.Monotonic());
    } else if (interrupted_) {
      const Status asked = interrupted_();
      if (!asked.ok()) member_.Abort(asked);
    }
    member_.OnTime(clock_.Monotonic());
    SendAll();
  }
  return member_.status();
}

void SliceAllReduce::SendAll() {
  for (Outgoing& frame : member_.TakeOutgoing()) {
    const Status sent = transport_->Send(frame.rank, frame.header, std::move(frame.payload));
    // Who cannot be told that the gang is over will find out by itself.
    if (sent.ok() || frame.header.kind == FrameKind::kAbort) continue;
    if (!status().ok()) continue;
    member_.OnReceived({.rank = frame.rank, .lost = true}, clock_.Monotonic());
    SendAll();
    return;
  }
}

}  // namespace octet
