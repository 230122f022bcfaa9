#include "coordinator/fleet/simulated_link.h"

#include <utility>

namespace octet {

void SimulatedLink::Send(const std::string& peer, const control::CoordinatorMessage& message) {
  sent_[peer].push_back(message);
}

std::vector<FromWorker> SimulatedLink::Receive(Duration) {
  std::vector<FromWorker> messages;
  while (!arrived_.empty() && messages.size() < kWorkerMessagesPerRound) {
    messages.push_back(std::move(arrived_.front()));
    arrived_.pop_front();
  }
  return messages;
}

void SimulatedLink::FromPeer(const std::string& peer, control::WorkerMessage message) {
  arrived_.push_back({.peer = peer, .message = std::move(message)});
}

std::vector<control::CoordinatorMessage> SimulatedLink::TakeSent(const std::string& peer) {
  return std::exchange(sent_[peer], {});
}

}  // namespace octet
