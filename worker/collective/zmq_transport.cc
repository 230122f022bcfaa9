#include "worker/collective/zmq_transport.h"

#include <algorithm>
#include <utility>

#include "shared/base/check.h"
#include "shared/base/limits.h"

namespace octet {
namespace {

// Up to here copying is cheaper than remembering an owner.
constexpr size_t kCopyBytesMax = 4096;

Frame PayloadFrame(Payload payload) {
  if (payload.bytes.size() <= kCopyBytesMax) return Frame::Copy(payload.bytes);
  return Frame::Borrow(std::move(payload.owner), payload.bytes);
}

}  // namespace

ZmqTransport::ZmqTransport(DataEndpoint& endpoint, const Clock& clock, GangId gang, int rank)
    : endpoint_(endpoint), clock_(clock), gang_(std::move(gang)), rank_(rank) {}

ZmqTransport::~ZmqTransport() = default;

Result<std::unique_ptr<ZmqTransport>> ZmqTransport::Connect(DataEndpoint& endpoint,
                                                            const Clock& clock,
                                                            const ZmqTransportOptions& options) {
  const int ranks = static_cast<int>(options.addresses.size());
  CHECK(options.rank >= 0 && options.rank < ranks);
  std::unique_ptr<ZmqTransport> transport(
      new ZmqTransport(endpoint, clock, options.gang, options.rank));
  endpoint.MoveToThisThread();
  endpoint.Forget(options.gang);
  transport->peers_.resize(static_cast<size_t>(ranks));
  const std::string name = FormatGangName({.gang = options.gang, .rank = options.rank});
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == options.rank) continue;
    OCTET_ASSIGN_OR_RETURN(
        Socket socket,
        Socket::Dealer(endpoint.context(), {.routing_id = name,
                                            .message_bytes_max = limits::kDataFrameBytesMax,
                                            .queue_messages_max = limits::kDataQueueFramesMax,
                                            .linger = limits::kDataLinger,
                                            .heartbeat_interval = limits::kDataHeartbeatInterval,
                                            .heartbeat_timeout = limits::kDataHeartbeatTimeout,
                                            .reconnect = false,
                                            .watch_loss = true}));
    const Status connected = socket.Connect(options.addresses[static_cast<size_t>(rank)]);
    if (!connected.ok()) return connected.Annotate("rank " + std::to_string(rank));
    transport->peers_[static_cast<size_t>(rank)].socket = std::move(socket);
  }
  transport->sockets_.push_back(&endpoint.socket_);
  for (Peer& peer : transport->peers_) {
    if (peer.socket.has_value()) transport->sockets_.push_back(&*peer.socket);
  }
  return transport;
}

void ZmqTransport::MoveToThisThread() {
  for (Socket* socket : sockets_) socket->MoveToThisThread();
}

Status ZmqTransport::Send(int rank, const FrameHeader& header, Payload payload) {
  CHECK(rank != rank_);
  Peer& peer = peers_[static_cast<size_t>(rank)];
  if (peer.lost) return Unavailable("rank " + std::to_string(rank) + " is lost");
  const auto bytes = EncodeFrameHeader(header);
  Frames frames;
  frames.push_back(Frame::Copy(std::string_view(bytes.data(), bytes.size())));
  frames.push_back(PayloadFrame(std::move(payload)));
  return peer.socket->Send(std::move(frames));
}

Result<std::optional<Received>> ZmqTransport::Receive(Duration wait) {
  OCTET_ASSIGN_OR_RETURN(auto received, endpoint_.Take(gang_));
  if (received.has_value()) return received;
  ReadMonitors();
  if (auto loss = TakeLoss(wait)) return loss;
  if (!WaitForAny(sockets_, &endpoint_.waker_, wait)) return std::optional<Received>();
  return endpoint_.Take(gang_);
}

void ZmqTransport::ReadMonitors() {
  for (int rank = 0; rank < ranks(); ++rank) {
    Peer& peer = peers_[static_cast<size_t>(rank)];
    if (!peer.socket.has_value() || peer.lost || !peer.socket->TakeLoss()) continue;
    peer.lost = true;
    losses_.push_back({.rank = rank, .seen = clock_.Monotonic()});
  }
}

// The oldest loss, once its grace is over; else shortens `wait` to that moment.
std::optional<Received> ZmqTransport::TakeLoss(Duration& wait) {
  if (losses_.empty()) return std::nullopt;
  const auto left = std::chrono::ceil<Duration>(losses_.front().seen + limits::kPeerLossGrace -
                                                clock_.Monotonic());
  if (left > Duration(0)) {
    wait = std::min(wait, left);
    return std::nullopt;
  }
  const int rank = losses_.front().rank;
  losses_.pop_front();
  return Received{.rank = rank, .lost = true};
}

}  // namespace octet
