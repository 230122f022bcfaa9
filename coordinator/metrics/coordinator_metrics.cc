#include "coordinator/metrics/coordinator_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <utility>

#include "coordinator/metrics/metric_table.h"

namespace octet {
namespace {

const MetricInfo& InfoOfMetric(const std::string& name) {
  for (const MetricInfo& info : CoordinatorMetricTable()) {
    if (info.name == name) return info;
  }
  CHECK(false) << "no metric " << name << " in the table";
  return CoordinatorMetricTable().front();
}

// From a tenth of a millisecond (a queue of ten jobs) to a second (far too long).
const prometheus::Histogram::BucketBoundaries kDecisionBuckets = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0};

double Seconds(BoardMillis amount) { return static_cast<double>(amount.count()) / 1000.0; }

template <typename Builder>
auto& Register(prometheus::Registry& registry, Builder builder, const char* name) {
  const MetricInfo& info = InfoOfMetric(name);
  return builder.Name(info.name).Help(info.help).Register(registry);
}

using GaugeFamily = prometheus::Family<prometheus::Gauge>;
using CounterFamily = prometheus::Family<prometheus::Counter>;
using HistogramFamily = prometheus::Family<prometheus::Histogram>;

// Gauges of one family by the value of their only label. Values that are absent go or become 0.
class LabelledGauges {
 public:
  LabelledGauges(prometheus::Registry& registry, const char* name)
      : label_(InfoOfMetric(name).labels.at(0)),
        family_(Register(registry, prometheus::BuildGauge(), name)) {}

  void Set(const std::string& value, double number) {
    auto& gauge = gauges_[value];
    if (gauge == nullptr) gauge = &family_.Add({{label_, value}});
    gauge->Set(number);
  }
  void ZeroAll() {
    for (auto& [value, gauge] : gauges_) gauge->Set(0);
  }
  void KeepOnly(const std::set<std::string>& values) {
    std::erase_if(gauges_, [&](const auto& entry) {
      if (values.contains(entry.first)) return false;
      family_.Remove(entry.second);
      return true;
    });
  }

 private:
  const std::string label_;
  GaugeFamily& family_;
  std::map<std::string, prometheus::Gauge*> gauges_;
};

}  // namespace

struct CoordinatorMetrics::State {
  State()
      : registry(std::make_shared<prometheus::Registry>()),
        boards(*registry, metric::kBoards),
        jobs(*registry, metric::kJobs),
        queue_length(Register(*registry, prometheus::BuildGauge(), metric::kQueueLength).Add({})),
        used(*registry, metric::kQuotaUsed),
        limit(*registry, metric::kQuotaLimit),
        reserved(*registry, metric::kQuotaReserved),
        sessions_ended(Register(*registry, prometheus::BuildCounter(), metric::kSessionsEnded)),
        decision(Register(*registry, prometheus::BuildHistogram(), metric::kDecisionSeconds)
                     .Add({}, kDecisionBuckets)),
        api_requests(Register(*registry, prometheus::BuildCounter(), metric::kApiRequests)),
        api_seconds(Register(*registry, prometheus::BuildHistogram(), metric::kApiRequestSeconds)),
        stale(Register(*registry, prometheus::BuildCounter(), metric::kStaleMessages).Add({})),
        recount(Register(*registry, prometheus::BuildGauge(), metric::kRecountDifference).Add({})) {
  }

  std::mutex mutex;  // Of everything but the registry, which has its own.
  // Shared with the exposer, which holds it weakly.
  std::shared_ptr<prometheus::Registry> registry;
  LabelledGauges boards;
  LabelledGauges jobs;
  prometheus::Gauge& queue_length;
  LabelledGauges used;
  LabelledGauges limit;
  LabelledGauges reserved;
  CounterFamily& sessions_ended;
  prometheus::Histogram& decision;
  CounterFamily& api_requests;
  HistogramFamily& api_seconds;
  prometheus::Counter& stale;
  prometheus::Gauge& recount;
  std::unique_ptr<prometheus::Exposer> exposer;
};

CoordinatorMetrics::CoordinatorMetrics(const std::string& version)
    : state_(std::make_unique<State>()) {
  Register(*state_->registry, prometheus::BuildGauge(), metric::kBuildInfo)
      .Add({{InfoOfMetric(metric::kBuildInfo).labels.at(0), version}})
      .Set(1);
}

CoordinatorMetrics::~CoordinatorMetrics() = default;

void CoordinatorMetrics::CountApiRequest(const ApiRequestCount& request) {
  const std::vector<std::string>& labels = InfoOfMetric(metric::kApiRequests).labels;
  state_->api_requests
      .Add({{labels[0], request.verb},
            {labels[1], request.resource},
            {labels[2], std::to_string(request.code)}})
      .Increment();
  state_->api_seconds
      .Add({{InfoOfMetric(metric::kApiRequestSeconds).labels[0], request.verb}}, kDecisionBuckets)
      .Observe(std::chrono::duration<double>(request.took).count());
}

void CoordinatorMetrics::SetBoards(const std::map<std::string, int64_t>& by_state) {
  std::lock_guard lock(state_->mutex);
  state_->boards.ZeroAll();
  for (const auto& [name, count] : by_state) state_->boards.Set(name, static_cast<double>(count));
}

void CoordinatorMetrics::SetJobs(const std::map<std::string, int64_t>& by_phase) {
  std::lock_guard lock(state_->mutex);
  state_->jobs.ZeroAll();
  for (const auto& [name, count] : by_phase) state_->jobs.Set(name, static_cast<double>(count));
}

void CoordinatorMetrics::SetQueueLength(int64_t jobs) {
  state_->queue_length.Set(static_cast<double>(jobs));
}

void CoordinatorMetrics::SetQuota(std::vector<UserUsage> users) {
  std::sort(users.begin(), users.end(),
            [](const UserUsage& a, const UserUsage& b) { return a.user < b.user; });
  if (users.size() > kMetricUsersMax) {
    UserUsage other{.user = kOtherUsers};
    for (size_t i = kMetricUsersMax; i < users.size(); ++i) {
      other.used += users[i].used;
      other.limit += users[i].limit;
      other.reserved += users[i].reserved;
    }
    users.resize(kMetricUsersMax);
    users.push_back(std::move(other));
  }
  std::lock_guard lock(state_->mutex);
  std::set<std::string> names;
  for (const UserUsage& user : users) {
    names.insert(user.user);
    state_->used.Set(user.user, Seconds(user.used));
    state_->limit.Set(user.user, Seconds(user.limit));
    state_->reserved.Set(user.user, Seconds(user.reserved));
  }
  state_->used.KeepOnly(names);
  state_->limit.KeepOnly(names);
  state_->reserved.KeepOnly(names);
}

void CoordinatorMetrics::CountSessionEnded(const std::string& reason) {
  state_->sessions_ended.Add({{InfoOfMetric(metric::kSessionsEnded).labels.at(0), reason}})
      .Increment();
}

void CoordinatorMetrics::ObserveDecision(std::chrono::nanoseconds took) {
  state_->decision.Observe(std::chrono::duration<double>(took).count());
}

void CoordinatorMetrics::SetStaleMessages(int64_t messages) {
  std::lock_guard lock(state_->mutex);
  const double more = static_cast<double>(messages) - state_->stale.Value();
  if (more > 0) state_->stale.Increment(more);
}

void CoordinatorMetrics::SetRecountDifference(BoardMillis difference) {
  state_->recount.Set(static_cast<double>(difference.count()));
}

std::string CoordinatorMetrics::Text() const {
  return prometheus::TextSerializer().Serialize(state_->registry->Collect());
}

Result<std::string> CoordinatorMetrics::Serve(const std::string& address) {
  CHECK(state_->exposer == nullptr) << "Serve is called once";
  try {
    // One thread answers scrapes: they come each few seconds.
    state_->exposer = std::make_unique<prometheus::Exposer>(address, 1);
    state_->exposer->RegisterCollectable(state_->registry);
    const std::vector<int> ports = state_->exposer->GetListeningPorts();
    const size_t colon = address.rfind(':');
    if (ports.empty() || colon == std::string::npos) return address;
    return address.substr(0, colon + 1) + std::to_string(ports.front());
  } catch (const std::exception&) {
    return FailedPrecondition("cannot listen on " + address +
                              ": the port is in use, or the address is not of this machine");
  }
}

}  // namespace octet
