// Crew: the threads of one board, which do each phase of a step together. The calling thread is
// number 0; the others wait for a token on a ZeroMQ inproc pair each, do their part and send it
// back.
//
// With one thread nothing is sent at all: a small step is not worth a wake-up (two of them are
// about as long as a step of the iris network). The phases' data needs no locks: a token goes
// before it and after.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/thread.h"
#include "shared/transport/socket.h"

namespace octet {

class Crew {
 public:
  // A part of a phase, called once on each thread with its number.
  using Part = std::function<Status(int thread)>;

  // Starts threads - 1 threads. `context` outlives the crew, which is used by the thread that made
  // it.
  static Result<std::unique_ptr<Crew>> Start(ZmqContext& context, int threads);
  ~Crew();

  int threads() const { return threads_; }
  // Returns when all threads have done the part: the first failure by thread number, or Ok.
  Status Run(const Part& part);

 private:
  struct Member {
    Socket leader;  // The calling thread's end.
    Thread thread;
  };
  Crew(int threads) : threads_(threads), results_(static_cast<size_t>(threads)) {}
  void Serve(ZmqContext& context, const std::string& name, int thread);

  const int threads_;
  std::vector<Status> results_;             // By thread; written by it.
  std::atomic<const Part*> part_{nullptr};  // nullptr with a token: the end.
  std::atomic<int> done_{0};
  std::vector<Member> members_;
};

}  // namespace octet
