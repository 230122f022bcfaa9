// A named thread that is joined when destroyed. The body must end by itself once its owner has told
// it to (a closed queue, a stop flag, a message). The name (at most 15 bytes) is what `top -H`
// shows.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace octet {

class Thread {
 public:
  Thread() = default;
  Thread(std::string name, std::function<void()> body);
  ~Thread();
  Thread(Thread&&) = default;
  Thread& operator=(Thread&&) = delete;
  void Join();
  bool joinable() const { return thread_.joinable(); }

 private:
  std::thread thread_;
};

// Processors this process may run on (the affinity mask; at least 1).
int AvailableProcessors();

}  // namespace octet
