#include "worker/metrics/worker_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <exception>
#include <mutex>
#include <sstream>
#include <vector>

#include "shared/base/check.h"
#include "worker/metrics/names.h"

namespace octet {
namespace {

prometheus::Counter& AddCounter(prometheus::Registry& registry, const MetricName& metric) {
  return prometheus::BuildCounter().Name(metric.name).Help(metric.help).Register(registry).Add({});
}

prometheus::Histogram& AddHistogram(prometheus::Registry& registry, const MetricName& metric) {
  const prometheus::Histogram::BucketBoundaries bounds(kTimeBuckets.begin(), kTimeBuckets.end());
  return prometheus::BuildHistogram()
      .Name(metric.name)
      .Help(metric.help)
      .Register(registry)
      .Add({}, bounds);
}

void AddTo(prometheus::Histogram& histogram, const TimeHistogram& times) {
  if (times.count == 0) return;
  histogram.ObserveMultiple(std::vector<double>(times.counts.begin(), times.counts.end()),
                            times.sum_seconds);
}

// A gauge that is absent from the page until it has a value.
class OptionalGauge {
 public:
  OptionalGauge(prometheus::Registry& registry, const MetricName& metric)
      : family_(prometheus::BuildGauge().Name(metric.name).Help(metric.help).Register(registry)) {}

  void Set(std::optional<double> value) {
    const std::lock_guard lock(mutex_);
    if (!value) {
      if (gauge_ != nullptr) family_.Remove(gauge_);
      gauge_ = nullptr;
      return;
    }
    if (gauge_ == nullptr) gauge_ = &family_.Add({});
    gauge_->Set(*value);
  }

 private:
  std::mutex mutex_;
  prometheus::Family<prometheus::Gauge>& family_;
  prometheus::Gauge* gauge_ = nullptr;
};

}  // namespace

struct WorkerMetrics::State {
  // Shared with the exposer, which holds it weakly while it answers.
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  prometheus::Counter& steps = AddCounter(*registry, kWorkerSteps);
  prometheus::Counter& examples = AddCounter(*registry, kWorkerExamples);
  OptionalGauge loss{*registry, kWorkerLoss};
  prometheus::Histogram& step_seconds = AddHistogram(*registry, kWorkerStepSeconds);
  prometheus::Histogram& all_reduce_seconds = AddHistogram(*registry, kWorkerAllReduceSeconds);
  prometheus::Counter& all_reduce_bytes = AddCounter(*registry, kWorkerAllReduceBytes);
  OptionalGauge mxu{*registry, kBoardMxu};
  OptionalGauge idle{*registry, kBoardIdle};
  OptionalGauge hbm_used{*registry, kBoardHbmUsed};
  OptionalGauge hbm_limit{*registry, kBoardHbmLimit};
  prometheus::Counter& checkpoints = AddCounter(*registry, kWorkerCheckpoints);
  prometheus::Counter& stale_frames = AddCounter(*registry, kWorkerStaleFrames);
  std::unique_ptr<prometheus::Exposer> exposer;
};

WorkerMetrics::WorkerMetrics(const std::string& version) : state_(std::make_unique<State>()) {
  prometheus::BuildGauge()
      .Name(kBuildInfo.name)
      .Help(kBuildInfo.help)
      .Register(*state_->registry)
      .Add({{"program", "octet-worker"}, {"version", version}})
      .Set(1);
}

WorkerMetrics::~WorkerMetrics() = default;

void WorkerMetrics::Add(const StepFigures& figures) {
  state_->steps.Increment(static_cast<double>(figures.steps));
  state_->examples.Increment(static_cast<double>(figures.examples));
  state_->all_reduce_bytes.Increment(static_cast<double>(figures.all_reduce_bytes));
  state_->stale_frames.Increment(static_cast<double>(figures.stale_frames));
  AddTo(state_->step_seconds, figures.step_time);
  AddTo(state_->all_reduce_seconds, figures.all_reduce_time);
  if (figures.loss) state_->loss.Set(figures.loss);
}

void WorkerMetrics::AddCheckpoint() { state_->checkpoints.Increment(); }

void WorkerMetrics::SetShares(std::optional<BoardShares> shares) {
  state_->mxu.Set(shares ? std::optional(shares->mxu) : std::nullopt);
  state_->idle.Set(shares ? std::optional(shares->idle) : std::nullopt);
}

void WorkerMetrics::SetHbm(int64_t used_bytes, int64_t limit_bytes) {
  state_->hbm_used.Set(static_cast<double>(used_bytes));
  state_->hbm_limit.Set(static_cast<double>(limit_bytes));
}

void WorkerMetrics::SetIdle() {
  state_->loss.Set(std::nullopt);
  state_->hbm_used.Set(0);
}

Result<std::string> WorkerMetrics::Serve(const std::string& address) {
  CHECK(state_->exposer == nullptr) << "metrics are served once";
  try {
    state_->exposer = std::make_unique<prometheus::Exposer>(address, 2);
    state_->exposer->RegisterCollectable(state_->registry);
    const std::vector<int> ports = state_->exposer->GetListeningPorts();
    if (ports.empty()) return Unavailable("no port to serve metrics on at " + address);
    return address.substr(0, address.rfind(':') + 1) + std::to_string(ports.front());
  } catch (const std::exception& error) {
    return Unavailable("cannot serve metrics at " + address + ": " + error.what() +
                       "; is the port in use? Choose another with --metrics-address");
  }
}

std::string WorkerMetrics::Text() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, state_->registry->Collect());
  return text.str();
}

}  // namespace octet
