// Crew: the threads of one board, which do each phase of a step together. The calling thread is
// number 0; the others take their parts as tokens of a CoreGroup (ZeroMQ inproc).
//
// With one thread nothing is sent at all: a small step is not worth a wake-up (two of them are
// about as long as a step of the iris network). The phases' data needs no locks: a token goes
// before it and after.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "shared/base/clock.h"
#include "shared/base/status.h"
#include "shared/base/thread.h"
#include "worker/collective/core_group.h"

namespace octet {

class Crew {
 public:
  // A part of a phase, called once on each thread with its number.
  using Part = std::function<Status(int thread)>;

  // Starts threads - 1 threads. The arguments outlive the crew, which is used by the thread that
  // made it.
  static Result<std::unique_ptr<Crew>> Start(ZmqContext& context, const Clock& clock, int threads);
  ~Crew();

  int threads() const { return threads_; }
  // Returns when all threads have done the part: the first failure by thread number, or Ok.
  Status Run(const Part& part);

 private:
  explicit Crew(int threads) : threads_(threads), results_(static_cast<size_t>(threads)) {}
  void Serve(ZmqContext& context, const std::string& address, int thread);

  const int threads_;
  std::vector<Status> results_;  // By thread; written by it.
  std::atomic<const Part*> part_{nullptr};
  std::atomic<int> done_{0};
  std::unique_ptr<CoreGroup> group_;  // Of the other threads; null where there are none.
  std::vector<Thread> members_;
};

}  // namespace octet
