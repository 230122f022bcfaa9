// octet-worker: builds the real world of one emulated board and serves until it is told to end.
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "shared/base/clock.h"
#include "shared/base/file_system.h"
#include "shared/base/log.h"
#include "shared/base/random.h"
#include "shared/base/thread.h"
#include "worker/agent/agent.h"
#include "worker/agent/dealer_link.h"
#include "worker/flags.h"
#include "worker/train/session_host.h"

namespace octet {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

// SIGTERM and SIGINT, taken by one thread; all others have them blocked.
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

AgentHooks HooksOf(SessionHost& host) {
  return {.start = [&](const control::Assign& assign,
                       MonotonicTime taken) { host.Start(assign, taken); },
          .stop =
              [&](const StopSession& stop) {
                const bool at_once = stop.grace <= Duration(0);
                host.Stop(stop.fence, at_once ? StopKind::kAtOnce : StopKind::kWithCheckpoint,
                          stop.reason);
              },
          .usage = [&] { return host.Usage(); }};
}

int Serve(const WorkerFlags& flags) {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Before any thread starts.
  const SystemClock clock;
  PosixFileSystem files;
  ZmqContext context;
  WorkerMetrics metrics(OCTET_VERSION);
  const auto metrics_address = metrics.Serve(flags.metrics_address);
  if (!metrics_address.ok()) {
    LogError(metrics_address.status().message());
    return kExitFailed;
  }
  const uint64_t incarnation = SystemRandom64();
  auto link =
      DealerLink::Connect(context, {.coordinator = flags.coordinator,
                                    .name = flags.board.str() + "/" + std::to_string(incarnation)});
  if (!link.ok()) {
    LogError("cannot use the coordinator's address " + flags.coordinator + ": " +
             link.status().message());
    return kExitFailed;
  }
  // The host's sinks need the agent, whose identity needs the host's endpoint.
  Agent* posting = nullptr;
  auto host = SessionHost::Create(
      clock, files, context, metrics,
      {.data_host = flags.data_host,
       .data_port = flags.data_port,
       .checkpoint_root = JoinPath(flags.home, "checkpoints"),
       .threads = flags.threads,
       .version = OCTET_VERSION},
      {.report = [&](control::StepReport report) { posting->PostReport(std::move(report)); },
       .end = [&](control::AssignmentEnd end) { posting->PostEnd(std::move(end)); }});
  if (!host.ok()) {
    LogError("cannot listen for other boards: " + host.status().message());
    return kExitFailed;
  }
  Agent agent({.board = flags.board,
               .pool = flags.pool,
               .ordinal = flags.ordinal,
               .incarnation = incarnation,
               .data_endpoint = (*host)->data_endpoint(),
               .metrics_address = *metrics_address,
               .version = OCTET_VERSION,
               .host = HostName(),
               .pid = getpid()},
              **link, clock, HooksOf(**host));
  posting = &agent;
  LogInfo("board " + flags.board.str() + " is up; data " + (*host)->data_endpoint() +
          ", metrics http://" + *metrics_address + "/metrics");
  Thread signal_thread("signals", [&] {
    int signal = 0;
    sigwait(&signals, &signal);
    agent.Shutdown(signal == SIGINT ? "SIGINT" : "SIGTERM");
  });
  const Status served = agent.Run();
  if (!served.ok()) {
    LogError(served.message());
    // A thread hangs: only the end of the process frees the board.
    std::_Exit(kExitFailed);
  }
  LogInfo("board " + flags.board.str() + " leaves");
  // Ends the waiting of the signal thread where it was the coordinator who asked to leave.
  kill(getpid(), SIGTERM);
  return EXIT_SUCCESS;
}

int Main(const std::vector<std::string>& arguments) {
  const auto flags = ParseWorkerFlags(arguments);
  if (!flags.ok()) {
    std::cerr << "octet-worker: " << flags.status().message() << "\n";
    return kExitUsage;
  }
  if (flags->help) {
    std::cout << WorkerUsage();
    return EXIT_SUCCESS;
  }
  if (flags->version) {
    std::cout << "octet-worker " << OCTET_VERSION << "\n";
    return EXIT_SUCCESS;
  }
  InitLog({.component = "worker " + flags->board.str()});
  return Serve(*flags);
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) { return octet::Main({argv + 1, argv + argc}); }
