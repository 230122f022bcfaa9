// CoordinatorMetrics: the coordinator's figures for Prometheus, and the endpoint that serves them.
// A figure is set by its owner; a scrape reads what was set last. All methods may be called from
// any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shared/base/status.h"
#include "shared/base/units.h"

namespace octet {

// One answered request of the API. The words come from bounded sets.
struct ApiRequestCount {
  std::string verb{};
  std::string resource{};
  int code = 0;
  std::chrono::nanoseconds took{};
};

struct UserUsage {
  std::string user{};
  BoardMillis used{}, limit{}, reserved{};
};

class CoordinatorMetrics {
 public:
  explicit CoordinatorMetrics(const std::string& version);
  ~CoordinatorMetrics();
  CoordinatorMetrics(const CoordinatorMetrics&) = delete;
  CoordinatorMetrics& operator=(const CoordinatorMetrics&) = delete;

  // Counts by state or phase. A state that is not in the map any more becomes 0.
  void SetBoards(const std::map<std::string, int64_t>& by_state);
  void SetJobs(const std::map<std::string, int64_t>& by_phase);
  void SetQueueLength(int64_t jobs);
  // Replaces the figures of all users; see kMetricUsersMax.
  void SetQuota(std::vector<UserUsage> users);
  void CountSessionEnded(const std::string& reason);
  void ObserveDecision(std::chrono::nanoseconds took);
  void CountApiRequest(const ApiRequestCount& request);
  // The number so far; it never falls.
  void SetStaleMessages(int64_t messages);
  void SetRecountDifference(BoardMillis difference);

  // The page in the text format.
  std::string Text() const;
  // Serves /metrics at "127.0.0.1:7446" until this object ends; port 0: a free one. Gives the
  // address with the real port. kFailedPrecondition: the address cannot be taken. To be called
  // once.
  Result<std::string> Serve(const std::string& address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace octet
