// octet-coordinator: builds the real world from the flags, and nothing else.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/api/api_call.h"
#include "coordinator/api/api_handler.h"
#include "coordinator/api/http_server.h"
#include "coordinator/controllers/control_loop.h"
#include "coordinator/first_pool.h"
#include "coordinator/flags.h"
#include "coordinator/fleet/local_process_provider.h"
#include "coordinator/fleet/zmq_worker_link.h"
#include "coordinator/home.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"
#include "shared/base/process.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

// The signals that end the coordinator. Blocked in every thread; main waits for one.
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

std::string WorkerProgram(const CoordinatorFlags& flags) {
  if (!flags.worker.empty()) return flags.worker;
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string self = length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
  return JoinPath(ParentPath(self), "octet-worker");
}

Status PortError(const Status& status, const std::string& address, const char* flag) {
  return {status.code(), "cannot listen on " + address + ": " + status.message() +
                             "; choose another port with " + flag};
}

// Tries the port that a crashed coordinator had, so that its workers and clients find this one;
// then the address as it was given.
template <typename Start>
auto StartAt(const std::string& address, const std::string& stale_endpoint, Start start) {
  const std::string again = WithPortOf(address, stale_endpoint);
  auto started = start(again);
  if (!started.ok() && again != address) started = start(address);
  return started;
}

// The thread that owns the control socket and the loop. It reports where it listens, waits to be
// released and then runs until Stop.
class ControlThread {
 public:
  struct World {
    const CoordinatorFlags& flags;
    const Home& home;
    Store& store;
    const Clock& clock;
    FileSystem& files;
    CoordinatorMetrics& metrics;
  };

  ControlThread(const World& world, std::string stale_endpoint)
      : world_(world),
        thread_("octet-control", [this, stale = std::move(stale_endpoint)] { Body(stale); }) {}
  ~ControlThread() { Stop(); }

  // Where workers connect to, or why it cannot listen.
  Result<std::string> AwaitEndpoint() { return listening_.get_future().get(); }
  // Begins the loop; Ok once the store is read and the first round is over.
  Status Begin() {
    released_.set_value(true);
    begun_ = true;
    return running_.get_future().get();
  }
  // Ends the loop and its workers. Once more is harmless.
  void Stop() {
    if (!begun_) {
      begun_ = true;
      released_.set_value(false);
    }
    // The loop is gone with its thread: a second Stop must not find it.
    if (ControlLoop* loop = loop_.exchange(nullptr); loop != nullptr) loop->Stop();
    thread_.Join();
  }

 private:
  void Body(const std::string& stale_endpoint) {
    auto link = StartAt(world_.flags.control_address, stale_endpoint, [](const std::string& at) {
      return ZmqWorkerLink::Bind({.endpoint = "tcp://" + at});
    });
    if (!link.ok()) {
      listening_.set_value(
          PortError(link.status(), world_.flags.control_address, "--control-address"));
      return;
    }
    listening_.set_value((*link)->endpoint());
    if (!released_.get_future().get()) return;
    const std::unique_ptr<BoardProvider> provider = MakeProvider((*link)->endpoint());
    Result<std::unique_ptr<ControlLoop>> loop =
        ControlLoop::Make({.store = world_.store,
                           .link = **link,
                           .provider = *provider,
                           .clock = world_.clock,
                           .files = world_.files,
                           .metrics = world_.metrics,
                           .home = world_.home.path(),
                           .random = Random(SystemRandom64())});
    if (!loop.ok()) {
      running_.set_value(loop.status());
      return;
    }
    loop_ = loop->get();
    (*loop)->Round(Duration(0));
    running_.set_value(Ok());
    (*loop)->Run();
  }

  std::unique_ptr<BoardProvider> MakeProvider(const std::string& endpoint) const {
    if (world_.flags.provider == ProviderKind::kNone) return std::make_unique<NoProvider>();
    return std::make_unique<LocalProcessProvider>(
        LocalProcessOptions{.home = world_.home.path(),
                            .program = WorkerProgram(world_.flags),
                            .coordinator = endpoint},
        world_.files, Random(SystemRandom64()));
  }

  const World world_;
  bool begun_ = false;
  std::promise<Result<std::string>> listening_;
  std::promise<bool> released_;
  std::promise<Status> running_;
  // Lives on the thread; set before `running_` and used after it.
  std::atomic<ControlLoop*> loop_ = nullptr;
  Thread thread_;  // Last: it uses the others.
};

// Wakes the API's watches whenever the store has changed.
class StoreBell {
 public:
  StoreBell(const Store& store, HttpServer& server)
      : thread_("octet-bell", [this, &store, &server] {
          int64_t seen = 0;
          while (!stopping_) {
            const int64_t now = store.WaitForChange(seen, kRound);
            if (now != seen) server.Wake();
            seen = now;
          }
        }) {}
  ~StoreBell() { Stop(); }
  void Stop() {
    stopping_ = true;
    thread_.Join();
  }

 private:
  // A stop waits for one round.
  static constexpr Duration kRound = std::chrono::milliseconds(100);
  std::atomic<bool> stopping_ = false;
  Thread thread_;  // Last: it uses the others.
};

// Takes as many files as the system allows, and gives how many connections that leaves the API: the
// usual limit of 1,024 files would be a few hundred watches.
size_t ConnectionsAllowed() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limits::kHttpConnectionsMin;
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
  (void)getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t others = limits::kFilesBesideHttp;
  const size_t left = files.rlim_cur > others ? static_cast<size_t>(files.rlim_cur - others) : 0;
  return std::clamp(left, limits::kHttpConnectionsMin, limits::kHttpConnectionsMax);
}

Result<std::unique_ptr<HttpServer>> StartApi(const CoordinatorFlags& flags,
                                             const std::string& stale_endpoint, ApiHandler& handler,
                                             const Clock& clock, CoordinatorMetrics& metrics) {
  const auto answer = [&handler, &clock, &metrics](const ApiRequest& request) {
    const MonotonicTime begun = clock.Monotonic();
    ApiResponse response = handler.Handle(request);
    const ApiCall call = DescribeCall(request);
    metrics.CountApiRequest({.verb = call.verb,
                             .resource = call.resource,
                             .code = response.code,
                             .took = clock.Monotonic() - begun});
    return response;
  };
  auto server = StartAt(flags.api_address, stale_endpoint, [&](const std::string& at) {
    HttpServerOptions options;
    options.address = at;
    options.connections_max = ConnectionsAllowed();
    options.on_wake = [&handler] { handler.Refresh(); };
    return HttpServer::Start(options, answer);
  });
  if (!server.ok()) return PortError(server.status(), flags.api_address, "--api-address");
  return server;
}

Status Serve(const CoordinatorFlags& flags) {
  PosixFileSystem files;
  SystemClock clock;
  OCTET_ASSIGN_OR_RETURN(Home home, Home::Open(files, flags.home));
  InitLog({.component = "coordinator", .file = home.File("logs/coordinator.log")});
  const ReadyNote stale = home.TakeStaleNote().value_or(ReadyNote{});
  OCTET_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                         OpenSqliteStore(home.File("octet.db")));
  OCTET_RETURN_IF_ERROR(
      EnsurePool(*store, flags, FormatUuid(SystemRandom64(), SystemRandom64()), clock.Now()));
  OCTET_ASSIGN_OR_RETURN(const int64_t boards, CountBoards(*store));

  CoordinatorMetrics metrics(OCTET_VERSION);
  const Result<std::string> metrics_address =
      StartAt(flags.metrics_address, stale.metrics,
              [&](const std::string& at) { return metrics.Serve(at); });
  if (!metrics_address.ok()) {
    return PortError(metrics_address.status(), flags.metrics_address, "--metrics-address");
  }
  ControlThread control({.flags = flags,
                         .home = home,
                         .store = *store,
                         .clock = clock,
                         .files = files,
                         .metrics = metrics},
                        stale.control);
  OCTET_ASSIGN_OR_RETURN(const std::string endpoint, control.AwaitEndpoint());
  ApiOptions api_options;
  api_options.version = OCTET_VERSION;
  api_options.read_log = [&files, folder = home.File("logs/jobs")](const JobUid& job,
                                                                   int64_t offset) {
    return ReadJobLog(files, folder, job, offset, limits::kLogAnswerBytesMax);
  };
  ApiHandler handler(*store, clock, std::move(api_options));
  OCTET_ASSIGN_OR_RETURN(const std::unique_ptr<HttpServer> api,
                         StartApi(flags, stale.api, handler, clock, metrics));
  OCTET_RETURN_IF_ERROR(control.Begin());
  StoreBell bell(*store, *api);

  OCTET_RETURN_IF_ERROR(home.WriteNote({.pid = getpid(),
                                        .start_time = ProcessStartTime(getpid()),
                                        .api = "http://" + api->address(),
                                        .control = endpoint,
                                        .metrics = "http://" + *metrics_address + "/metrics",
                                        .boards = boards}));
  LogInfo("ready: API " + api->address() + ", control " + endpoint + ", metrics " +
          *metrics_address);
  const sigset_t signals = StopSignals();
  int signal = 0;
  (void)sigwait(&signals, &signal);
  LogInfo("stopping on signal " + std::to_string(signal));
  control.Stop();
  bell.Stop();
  api->Stop();
  home.RemoveNote();
  LogInfo("stopped");
  return Ok();
}

int Main(const std::vector<std::string>& arguments) {
  const Result<CoordinatorFlags> flags = ParseCoordinatorFlags(arguments);
  if (!flags.ok()) {
    std::cerr << "octet-coordinator: " << flags.status().message() << '\n';
    return 2;
  }
  if (flags->help || flags->version) {
    std::cout << (flags->help ? CoordinatorUsage() : "octet-coordinator " OCTET_VERSION "\n");
    return 0;
  }
  // Before any thread is there to inherit another mask.
  const sigset_t signals = StopSignals();
  (void)pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  (void)signal(SIGPIPE, SIG_IGN);
  const Status status = Serve(*flags);
  if (status.ok()) return 0;
  std::cerr << "octet-coordinator: " << status.message() << '\n';
  return 1;
}

}  // namespace
}  // namespace octet

int main(int argc, char** argv) {
  return octet::Main(std::vector<std::string>(argv + 1, argv + argc));
}
