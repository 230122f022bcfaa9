// Home: the folder of one cluster's state, held by one coordinator at a time (a lock on
// HOME/run/lock, which the system frees when the process ends, however it ends), and
// HOME/run/coordinator.json, which says that the coordinator is ready and where. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared/base/file_system.h"
#include "shared/base/status.h"

namespace octet {

struct ReadyNote {
  int64_t pid = 0;
  std::string start_time{};
  std::string api{};      // "http://127.0.0.1:7443"
  std::string control{};  // "tcp://127.0.0.1:7444"
  std::string metrics{};  // "http://127.0.0.1:7446/metrics"
  int64_t boards = 0;
};

class Home {
 public:
  // Makes the folders and takes the lock. kPermissionDenied and the like name the folder and the
  // fix; kFailedPrecondition names the process that holds the home. `files` outlives the home.
  static Result<Home> Open(FileSystem& files, const std::string& path);
  ~Home();
  Home(Home&& other) noexcept;
  Home& operator=(Home&&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return JoinPath(path_, name); }

  // What a coordinator that crashed has left, if anything: its ports are asked for again, so that
  // its workers find the new one. Removes the note.
  std::optional<ReadyNote> TakeStaleNote();
  Status WriteNote(const ReadyNote& note);
  void RemoveNote();

 private:
  Home(FileSystem& files, std::string path, int lock)
      : files_(files), path_(std::move(path)), lock_(lock) {}
  FileSystem& files_;
  std::string path_;
  int lock_;
};

// `address` with the port of `endpoint` ("tcp://host:port") if the address asks for any port of the
// same host; otherwise the address.
std::string WithPortOf(const std::string& address, const std::string& endpoint);

}  // namespace octet
