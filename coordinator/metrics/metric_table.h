// Every metric of the coordinator: name, type, unit, help, labels. There is no other place that
// names one. Names and units as Prometheus prescribes: base units, `_total` on counters. Pure.
#pragma once

#include <string>
#include <vector>

namespace octet {

enum class MetricType { kGauge, kCounter, kHistogram };

struct MetricInfo {
  std::string name{};
  MetricType type = MetricType::kGauge;
  std::string unit{};  // "" for plain counts.
  std::string help{};
  std::vector<std::string> labels{};
};

namespace metric {
inline constexpr char kBuildInfo[] = "octet_build_info";
inline constexpr char kBoards[] = "octet_boards";
inline constexpr char kJobs[] = "octet_jobs";
inline constexpr char kQueueLength[] = "octet_queue_length";
inline constexpr char kQuotaUsed[] = "octet_quota_used_boardseconds";
inline constexpr char kQuotaLimit[] = "octet_quota_limit_boardseconds";
inline constexpr char kQuotaReserved[] = "octet_quota_reserved_boardseconds";
inline constexpr char kSessionsEnded[] = "octet_sessions_ended_total";
inline constexpr char kDecisionSeconds[] = "octet_scheduler_decision_seconds";
inline constexpr char kApiRequests[] = "octet_api_requests_total";
inline constexpr char kApiRequestSeconds[] = "octet_api_request_seconds";
inline constexpr char kStaleMessages[] = "octet_stale_messages_total";
inline constexpr char kRecountDifference[] = "octet_quota_recount_difference_boardmilliseconds";
}  // namespace metric

const std::vector<MetricInfo>& CoordinatorMetricTable();

// Users that have series of their own; the others are summed up under the label `other`. Three
// series a user: a scrape of them all stays under a megabyte.
inline constexpr size_t kMetricUsersMax = 2000;
inline constexpr char kOtherUsers[] = "other";

}  // namespace octet
