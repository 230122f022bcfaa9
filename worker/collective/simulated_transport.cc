#include "worker/collective/simulated_transport.h"

#include <string>
#include <utility>

#include "shared/base/check.h"

namespace octet {

class SimulatedNetwork::Port final : public Transport {
 public:
  Port(SimulatedNetwork& network, int rank) : network_(network), rank_(rank) {}
  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(network_.queues_.size()); }
  Status Send(int rank, const FrameHeader& header, Payload payload) override {
    CHECK(rank != rank_);
    return network_.Send(rank_, rank,
                         {.rank = rank_, .header = header, .payload = std::move(payload)});
  }
  Result<std::optional<Received>> Receive(Duration wait) override {
    return network_.Receive(rank_, wait);
  }
  void Wake() override { network_.Wake(rank_); }

 private:
  SimulatedNetwork& network_;
  int rank_;
};

SimulatedNetwork::SimulatedNetwork(int ranks, const SimulatedNetworkOptions& options)
    : options_(options),
      random_(options.seed),
      queues_(static_cast<size_t>(ranks)),
      dead_(static_cast<size_t>(ranks)),
      silent_(static_cast<size_t>(ranks)),
      woken_(static_cast<size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) {
    queues_[static_cast<size_t>(rank)].resize(static_cast<size_t>(ranks));
    ports_.push_back(std::make_unique<Port>(*this, rank));
  }
}

SimulatedNetwork::~SimulatedNetwork() = default;

Transport& SimulatedNetwork::transport(int rank) { return *ports_[static_cast<size_t>(rank)]; }

Status SimulatedNetwork::Send(int from, int to, Received received) {
  const auto source = static_cast<size_t>(from);
  const auto target = static_cast<size_t>(to);
  {
    const std::lock_guard lock(mutex_);
    if (dead_[target]) return Unavailable("rank " + std::to_string(to) + " is lost");
    if (silent_[source] || silent_[target]) return Ok();
    if (random_.NextFloat() < static_cast<float>(options_.loss)) return Ok();
    const auto delay = random_.Below(static_cast<uint64_t>(options_.delay_frames_max) + 1);
    queues_[target][source].push_back(
        {.received = std::move(received), .delay = static_cast<int>(delay)});
  }
  changed_.notify_all();
  return Ok();
}

// A frame at the front of a sender's queue without delay left, the sender chosen at random; if all
// are delayed, any.
std::optional<Received> SimulatedNetwork::TakeLocked(int rank) {
  auto& queues = queues_[static_cast<size_t>(rank)];
  std::vector<size_t> ready;
  std::vector<size_t> delayed;
  for (size_t source = 0; source < queues.size(); ++source) {
    if (queues[source].empty()) continue;
    int& delay = queues[source].front().delay;
    (delay == 0 ? ready : delayed).push_back(source);
    if (delay > 0) --delay;
  }
  const auto& from = ready.empty() ? delayed : ready;
  if (from.empty()) return std::nullopt;
  auto& queue = queues[from[random_.Below(from.size())]];
  Received received = std::move(queue.front().received);
  queue.pop_front();
  return received;
}

std::optional<Received> SimulatedNetwork::Receive(int rank, Duration wait) {
  std::unique_lock lock(mutex_);
  std::optional<Received> received = TakeLocked(rank);
  if (received.has_value()) return received;
  changed_.wait_for(lock, wait, [&] {
    received = TakeLocked(rank);
    return received.has_value() || woken_[static_cast<size_t>(rank)];
  });
  woken_[static_cast<size_t>(rank)] = false;
  return received;
}

void SimulatedNetwork::Wake(int rank) {
  {
    const std::lock_guard lock(mutex_);
    woken_[static_cast<size_t>(rank)] = true;
  }
  changed_.notify_all();
}

void SimulatedNetwork::Kill(int rank) {
  {
    const std::lock_guard lock(mutex_);
    const auto source = static_cast<size_t>(rank);
    if (dead_[source]) return;
    dead_[source] = true;
    for (size_t target = 0; target < queues_.size(); ++target) {
      if (target == source) continue;
      queues_[target][source].push_back({.received = {.rank = rank, .lost = true}});
    }
  }
  changed_.notify_all();
}

void SimulatedNetwork::Silence(int rank) {
  const std::lock_guard lock(mutex_);
  silent_[static_cast<size_t>(rank)] = true;
}

}  // namespace octet
