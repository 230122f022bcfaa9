#include "worker/train/session_host.h"

#include <utility>

#include "shared/base/log.h"

namespace octet {
namespace {

// The agent starts a session only after the end of the one before.
constexpr size_t kUnfinishedSessionsMax = 2;

// A free port of the host; an IPv6 address goes in brackets.
std::string EndpointAddress(const std::string& host, int port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return "tcp://" + (bare_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

Result<std::unique_ptr<SessionHost>> SessionHost::Create(const Clock& clock, FileSystem& files,
                                                         ZmqContext& context,
                                                         WorkerMetrics& metrics,
                                                         const SessionHostOptions& options,
                                                         SessionSinks sinks) {
  std::unique_ptr<SessionHost> host(
      new SessionHost(clock, files, context, metrics, options, std::move(sinks)));
  std::promise<Result<std::string>> bound;
  auto endpoint = bound.get_future();
  host->thread_.emplace("train", [&bound, raw = host.get()] { raw->Serve(bound); });
  OCTET_ASSIGN_OR_RETURN(host->endpoint_, endpoint.get());
  return host;
}

SessionHost::SessionHost(const Clock& clock, FileSystem& files, ZmqContext& context,
                         WorkerMetrics& metrics, const SessionHostOptions& options,
                         SessionSinks sinks)
    : clock_(clock),
      files_(files),
      context_(context),
      metrics_(metrics),
      options_(options),
      sinks_(std::move(sinks)),
      jobs_(kUnfinishedSessionsMax) {}

SessionHost::~SessionHost() {
  {
    const std::lock_guard lock(mutex_);
    if (current_) current_->Ask(StopKind::kAtOnce, "the worker ends");
  }
  jobs_.Close();
}

void SessionHost::Start(const control::Assign& assign, MonotonicTime taken) {
  auto stop = std::make_shared<StopRequest>();
  {
    const std::lock_guard lock(mutex_);
    current_fence_ = Fence(assign.fence());
    current_ = stop;
  }
  CHECK(jobs_.TryPush({.assign = assign, .taken = taken, .stop = std::move(stop)}))
      << "a session was started before the last one ended";
}

void SessionHost::Stop(Fence fence, StopKind kind, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (current_ && current_fence_ == fence) current_->Ask(kind, reason);
}

control::BoardUsage SessionHost::Usage() {
  const BoardReading reading = monitor_.Read();
  control::BoardUsage usage;
  usage.set_has_sample(reading.use.has_value());
  usage.set_hbm_used_bytes(reading.hbm_used.count());
  if (!reading.use) {
    metrics_.SetShares(std::nullopt);
    return usage;
  }
  const BusyShares& shares = reading.use->board;
  usage.set_mxu_percent(shares.mxu_percent);
  usage.set_idle_percent(shares.idle_percent);
  metrics_.SetShares(
      BoardShares{.mxu = shares.mxu_percent / 100, .idle = shares.idle_percent / 100});
  return usage;
}

void SessionHost::Serve(std::promise<Result<std::string>>& bound) {
  auto endpoint =
      DataEndpoint::Bind(context_, EndpointAddress(options_.data_host, options_.data_port));
  if (!endpoint.ok()) {
    bound.set_value(endpoint.status());
    return;
  }
  bound.set_value((*endpoint)->address());
  const SessionWorld world{.clock = clock_,
                           .files = files_,
                           .context = context_,
                           .endpoint = **endpoint,
                           .metrics = metrics_,
                           .monitor = monitor_,
                           .threads = options_.threads,
                           .version = options_.version};
  while (auto job = jobs_.Pop()) sinks_.end(RunJob(world, *job));
}

control::AssignmentEnd SessionHost::RunJob(const SessionWorld& world, const Job& job) {
  auto inputs = DecodeAssign(job.assign);
  if (!inputs.ok()) {
    LogError("the assignment cannot be carried out: " + inputs.status().ToString());
    control::AssignmentEnd end;
    end.set_fence(job.assign.fence());
    end.set_job_uid(job.assign.job_uid());
    end.set_reason(control::FAILED);
    end.set_message("the assignment cannot be carried out: " + inputs.status().message());
    return end;
  }
  inputs->checkpoint_folder = JoinPath(options_.checkpoint_root, inputs->checkpoint_folder);
  LogInfo("session of " + inputs->job + " begins, fence " + std::to_string(inputs->fence.value()));
  auto end = RunSession(world, *inputs, job.taken, *job.stop, sinks_.report);
  LogInfo("session of " + inputs->job + " ended: " + control::EndReason_Name(end.reason()) + ": " +
          end.message());
  return end;
}

}  // namespace octet
