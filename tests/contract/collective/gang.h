// A gang of boards in one process, for the tests of the Transport seam: one transport for each
// rank, over tcp, ipc or in memory, each to be used by a thread of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/check.h"
#include "shared/base/clock.h"
#include "shared/base/random.h"
#include "shared/base/thread.h"
#include "worker/collective/data_endpoint.h"
#include "worker/collective/simulated_transport.h"
#include "worker/collective/zmq_transport.h"

namespace octet {

// A folder of the test's own, short enough for ipc paths.
class ShortFolder {
 public:
  ShortFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("octet-" + std::to_string(SystemRandom64() % 1'000'000'000))) {
    std::filesystem::create_directory(path_);
  }
  ~ShortFolder() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

class Gang {
 public:
  virtual ~Gang() = default;
  virtual int ranks() const = 0;
  // On the thread that uses it.
  virtual Transport& Connect(int rank) = 0;
  // The board's process is gone. On the thread that used its transport, or before any did.
  virtual void Kill(int rank) = 0;
};

class SimulatedGang final : public Gang {
 public:
  explicit SimulatedGang(int ranks)
      : ranks_(ranks), network_(ranks, {.seed = 1, .delay_frames_max = 3}) {}
  int ranks() const override { return ranks_; }
  Transport& Connect(int rank) override { return network_.transport(rank); }
  void Kill(int rank) override { network_.Kill(rank); }

 private:
  int ranks_;
  SimulatedNetwork network_;
};

// Each board has a context, and so I/O threads, of its own, as in a process of its own.
class ZmqGang final : public Gang {
 public:
  ZmqGang(int ranks, const std::string& kind, GangId gang = {JobUid("job"), Fence(3)})
      : gang_(std::move(gang)) {
    for (int rank = 0; rank < ranks; ++rank) {
      Board& board = boards_.emplace_back();
      board.context = std::make_unique<ZmqContext>();
      auto endpoint = DataEndpoint::Bind(
          *board.context, kind == "ipc" ? "ipc://" + folder_.path(std::to_string(rank))
                                        : std::string("tcp://127.0.0.1:0"));
      CHECK(endpoint.ok()) << endpoint.status().ToString();
      board.endpoint = std::move(endpoint).value();
      addresses_.push_back(board.endpoint->address());
    }
  }
  ~ZmqGang() override {
    for (size_t rank = 0; rank < boards_.size(); ++rank) Kill(static_cast<int>(rank));
  }

  int ranks() const override { return static_cast<int>(boards_.size()); }
  DataEndpoint& endpoint(int rank) { return *boards_[static_cast<size_t>(rank)].endpoint; }
  Transport& Connect(int rank) override { return ConnectAs(rank, gang_); }
  // Leaves the rank's gang so far for another one.
  Transport& ConnectAs(int rank, const GangId& gang) {
    Board& board = boards_[static_cast<size_t>(rank)];
    Leave(rank);
    auto transport = ZmqTransport::Connect(*board.endpoint, clock_,
                                           {.gang = gang, .rank = rank, .addresses = addresses_});
    CHECK(transport.ok()) << transport.status().ToString();
    board.transport = std::move(transport).value();
    return *board.transport;
  }
  void Leave(int rank) { boards_[static_cast<size_t>(rank)].transport.reset(); }
  void Kill(int rank) override {
    Board& board = boards_[static_cast<size_t>(rank)];
    if (board.transport != nullptr) board.transport->MoveToThisThread();
    if (board.endpoint != nullptr) board.endpoint->MoveToThisThread();
    board.transport.reset();
    board.endpoint.reset();
  }

 private:
  struct Board {
    std::unique_ptr<ZmqContext> context;
    std::unique_ptr<DataEndpoint> endpoint;
    std::unique_ptr<ZmqTransport> transport;
  };
  ShortFolder folder_;
  SystemClock clock_;
  GangId gang_;
  std::vector<Board> boards_;
  std::vector<std::string> addresses_;
};

inline std::unique_ptr<Gang> MakeGang(const std::string& kind, int ranks) {
  if (kind == "memory") return std::make_unique<SimulatedGang>(ranks);
  return std::make_unique<ZmqGang>(ranks, kind);
}

// Runs `body(rank)` on one thread for each rank and waits for all.
inline void OnEachRank(int ranks, const std::function<void(int)>& body) {
  std::vector<Thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back("rank", [&body, rank] { body(rank); });
  }
}

}  // namespace octet
