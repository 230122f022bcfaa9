#include "coordinator/metrics/metric_table.h"

namespace octet {

const std::vector<MetricInfo>& CoordinatorMetricTable() {
  static const std::vector<MetricInfo> table = {
      {metric::kBuildInfo,
       MetricType::kGauge,
       "",
       "Version of this coordinator; always 1.",
       {"version"}},
      {metric::kBoards, MetricType::kGauge, "", "Boards by state.", {"state"}},
      {metric::kJobs, MetricType::kGauge, "", "Jobs by phase.", {"phase"}},
      {metric::kQueueLength, MetricType::kGauge, "", "Jobs that wait for boards.", {}},
      {metric::kQuotaUsed,
       MetricType::kGauge,
       "boardseconds",
       "Board-seconds that the user has used this week, running sessions included.",
       {"user"}},
      {metric::kQuotaLimit,
       MetricType::kGauge,
       "boardseconds",
       "Board-seconds that the user may use in a week.",
       {"user"}},
      {metric::kQuotaReserved,
       MetricType::kGauge,
       "boardseconds",
       "Board-seconds of this week that the user's running sessions may still use.",
       {"user"}},
      {metric::kSessionsEnded,
       MetricType::kCounter,
       "",
       "Sessions that ended since the coordinator started, by reason.",
       {"reason"}},
      {metric::kDecisionSeconds,
       MetricType::kHistogram,
       "seconds",
       "Time that one decision of the scheduler took.",
       {}},
      {metric::kStaleMessages,
       MetricType::kCounter,
       "",
       "Messages of workers that were dropped: an older fence, another process, unreadable.",
       {}},
      {metric::kRecountDifference,
       MetricType::kGauge,
       "boardmilliseconds",
       "Difference between the usage that is served and a recount of all sessions; always 0.",
       {}},
  };
  return table;
}

}  // namespace octet
