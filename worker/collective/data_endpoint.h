// DataEndpoint: where a worker hears the other boards of its gangs. Bound once for the life of the
// process and announced at registration; every gang of the worker, one after the other, uses it.
//
// Peers name themselves by job, fence and rank. Frames of an assignment that this worker has not
// begun yet are kept (a peer may be faster; it sends no more than its join until this worker has
// joined too), those of an older fence of the same job are dropped and counted.
//
// Used by one thread at a time, the one that runs the session; Wake() by any.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "shared/base/status.h"
#include "shared/transport/socket.h"
#include "worker/collective/gang_name.h"
#include "worker/collective/transport.h"

namespace octet {

class DataEndpoint {
 public:
  // `address`: "tcp://127.0.0.1:0" takes a free port; "tcp://[::1]:0"; "ipc:///path" (at most 107
  // bytes). kAlreadyExists: in use. kInvalidArgument: an address that other boards could not
  // connect to, such as 0.0.0.0. `context` outlives the endpoint.
  static Result<std::unique_ptr<DataEndpoint>> Bind(ZmqContext& context,
                                                    const std::string& address);

  // What peers connect to.
  const std::string& address() const { return address_; }
  ZmqContext& context() { return context_; }

  // Makes the calling thread the one that uses the endpoint. Whoever used it before must have
  // stopped, and this thread must know it (it joined it, or took a lock after it).
  void MoveToThisThread() { socket_.MoveToThisThread(); }

  // Ends the wait of the gang that runs, if any. Any thread.
  void Wake() { waker_.Wake(); }

  // Frames dropped since the start: of an older fence or another gang that is not to come;
  // unreadable.
  int64_t stale_frames() const { return stale_frames_; }
  int64_t bad_frames() const { return bad_frames_; }

 private:
  friend class ZmqTransport;
  struct Waiting {
    GangId gang;
    Received received;
  };
  DataEndpoint(ZmqContext& context, Socket socket, std::string address);
  // The next frame for `gang` that is there, without waiting.
  Result<std::optional<Received>> Take(const GangId& gang);
  // A frame of another gang than the running one.
  void Keep(const GangId& current, GangId gang, Received received);
  // Drops what is kept for older fences of the gang's job.
  void Forget(const GangId& gang);

  ZmqContext& context_;
  Socket socket_;
  std::string address_;
  Waker waker_;
  std::deque<Waiting> waiting_;  // For gangs to come; oldest first, at most kGangFramesWaitingMax.
  int64_t stale_frames_ = 0;
  int64_t bad_frames_ = 0;
};

}  // namespace octet
