#include "worker/train/gang.h"

#include <utility>

namespace octet {

Result<std::unique_ptr<Gang>> Gang::Make(DataEndpoint& endpoint, const Clock& clock,
                                         const SessionInputs& inputs, const StopRequest& stop) {
  SliceOptions slice;
  slice.rank = inputs.rank;
  slice.ranks = static_cast<int>(inputs.peers.size());
  slice.fence = inputs.fence;
  slice.shards = inputs.spec.training.logical_shards;
  ZmqTransportOptions transport;
  transport.gang = {.job = inputs.job_uid, .fence = inputs.fence};
  transport.rank = inputs.rank;
  for (const SessionPeer& peer : inputs.peers) {
    slice.boards.push_back(peer.board.str());
    transport.addresses.push_back(peer.data_endpoint);
  }
  std::unique_ptr<Gang> gang(new Gang(stop, slice.ranks));
  if (slice.ranks > 1) {
    OCTET_ASSIGN_OR_RETURN(gang->transport_, ZmqTransport::Connect(endpoint, clock, transport));
  }
  gang->slice_ = std::make_unique<SliceAllReduce>(
      gang->transport_.get(), clock, slice, [raw = gang.get()] { return raw->Interrupted(); });
  return gang;
}

Status Gang::Interrupted() const {
  const StopKind kind = stop_.kind();
  const bool ends = joined_ ? kind == StopKind::kAtOnce : kind != StopKind::kNone;
  // Aborted: for the other boards an interruption, not a fault of the job.
  return ends ? Aborted("the session was stopped: " + stop_.reason()) : Ok();
}

}  // namespace octet
