#include "worker/collective/data_endpoint.h"

#include <string_view>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

// A frame that may be kept for a gang to come: its join, or its end.
bool IsSmallTalk(const Received& received) {
  constexpr size_t kSmall = 4096;
  return received.payload.bytes.size() <= kSmall && (received.header.type == OperationType::kJoin ||
                                                     received.header.kind == FrameKind::kAbort);
}

Status CheckAddress(const std::string& address) {
  for (const std::string_view anywhere : {"tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"}) {
    if (address.starts_with(anywhere)) {
      return InvalidArgument(address + " is no address that other boards can connect to; " +
                             "give this machine's own");
    }
  }
  if (!address.starts_with("tcp://") && !address.starts_with("ipc://")) {
    return InvalidArgument(address + " is neither tcp:// nor ipc://");
  }
  return Ok();
}

}  // namespace

DataEndpoint::DataEndpoint(ZmqContext& context, Socket socket, std::string address)
    : context_(context), socket_(std::move(socket)), address_(std::move(address)) {}

Result<std::unique_ptr<DataEndpoint>> DataEndpoint::Bind(ZmqContext& context,
                                                         const std::string& address) {
  OCTET_RETURN_IF_ERROR(CheckAddress(address));
  OCTET_ASSIGN_OR_RETURN(
      Socket socket, Socket::Router(context, {.message_bytes_max = limits::kDataFrameBytesMax,
                                              .queue_messages_max = limits::kDataQueueFramesMax}));
  OCTET_ASSIGN_OR_RETURN(std::string bound, socket.Bind(address));
  return std::unique_ptr<DataEndpoint>(
      new DataEndpoint(context, std::move(socket), std::move(bound)));
}

Result<std::optional<Received>> DataEndpoint::Take(const GangId& gang) {
  for (auto waiting = waiting_.begin(); waiting != waiting_.end(); ++waiting) {
    if (waiting->gang != gang) continue;
    Received received = std::move(waiting->received);
    waiting_.erase(waiting);
    return std::optional(std::move(received));
  }
  while (true) {
    OCTET_ASSIGN_OR_RETURN(auto frames, socket_.Receive(Duration(0)));
    if (!frames.has_value()) return std::optional<Received>();
    // The sender's name, the header, the payload.
    if (frames->size() != 3) {
      ++bad_frames_;
      continue;
    }
    auto from = ParseGangName((*frames)[0].bytes());
    const auto header = DecodeFrameHeader((*frames)[1].bytes());
    if (!from.has_value() || !header.has_value()) {
      ++bad_frames_;
      continue;
    }
    auto frame = std::make_shared<const Frame>(std::move((*frames)[2]));
    const std::string_view bytes = frame->bytes();
    Received received{.rank = from->rank,
                      .header = *header,
                      .payload = {.owner = std::move(frame), .bytes = bytes}};
    if (from->gang == gang) return std::optional(std::move(received));
    Keep(gang, std::move(from->gang), std::move(received));
  }
}

void DataEndpoint::Keep(const GangId& current, GangId gang, Received received) {
  const bool old = gang.job == current.job && gang.fence < current.fence;
  if (old || !IsSmallTalk(received)) {
    ++stale_frames_;
    return;
  }
  if (waiting_.size() >= limits::kGangFramesWaitingMax) {
    waiting_.pop_front();
    ++stale_frames_;
  }
  waiting_.push_back({.gang = std::move(gang), .received = std::move(received)});
}

void DataEndpoint::Forget(const GangId& gang) {
  stale_frames_ += static_cast<int64_t>(std::erase_if(waiting_, [&](const Waiting& waiting) {
    return waiting.gang.job == gang.job && waiting.gang.fence < gang.fence;
  }));
}

}  // namespace octet
