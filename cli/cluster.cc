#include "cli/cluster.h"

#include <iostream>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "shared/base/process.h"
#include "shared/objects/accelerator_type.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet::cli {
namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(50);
// The coordinator lets its workers write a checkpoint before it ends.
constexpr Duration kStopTimeout = std::chrono::seconds(30);

std::string ClusterFile(const std::string& home) { return home + "/run/coordinator.json"; }
std::string WorkersFolder(const std::string& home) { return home + "/run/workers"; }

std::string TextAt(const Value& value, std::string_view key) {
  const Value* found = value.Find(key);
  return found != nullptr && found->is_string() ? found->AsString() : "";
}

int64_t NumberAt(const Value& value, std::string_view key) {
  const Value* found = value.Find(key);
  return found != nullptr && found->is_int() ? found->AsInt() : 0;
}

struct WorkerProcess {
  std::string name;
  int64_t pid = 0;
  std::string start_time;
};

// The workers that still run, from their pid files.
std::vector<WorkerProcess> LiveWorkers(const FileSystem& files, const std::string& home) {
  std::vector<WorkerProcess> workers;
  const Result<std::vector<std::string>> names = files.List(WorkersFolder(home));
  if (!names.ok()) return workers;
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    const Result<std::string> text = files.Read(JoinPath(WorkersFolder(home), name));
    if (!text.ok()) continue;
    const Result<Value> value = ReadJson(*text);
    if (!value.ok()) continue;
    WorkerProcess worker{.name = name.substr(0, name.size() - 5),
                         .pid = NumberAt(*value, "pid"),
                         .start_time = TextAt(*value, "startTime")};
    if (ProcessIsAlive(worker.pid, worker.start_time)) workers.push_back(worker);
  }
  return workers;
}

Status PrepareHome(FileSystem& files, const std::string& home) {
  for (const char* folder : {"/run", "/logs"}) {
    const Status made = files.CreateDirectories(home + folder);
    if (!made.ok()) {
      return made.Annotate("cannot write in the home " + home +
                           "; set OCTET_HOME to a folder that you may write");
    }
  }
  const std::string probe = home + "/run/.probe";
  const Status written = files.Write(probe, "");
  if (!written.ok()) {
    return written.Annotate("cannot write in the home " + home +
                            "; set OCTET_HOME to a folder that you may write");
  }
  return files.Remove(probe);
}

// The last lines of what the coordinator printed before it gave up.
std::string LastWords(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.Read(path);
  if (!text.ok() || text->empty()) return "it printed nothing; see the logs folder";
  constexpr size_t kShown = 2000;
  std::string last = text->size() > kShown ? text->substr(text->size() - kShown) : *text;
  while (last.ends_with('\n')) last.pop_back();
  return last;
}

// Waits for run/coordinator.json of the process `pid`, or for its end.
Result<RunningCluster> AwaitCoordinator(const FileSystem& files, const Clock& clock,
                                        const std::string& home, int64_t pid, Duration timeout,
                                        const std::string& output) {
  const MonotonicTime limit = clock.Monotonic() + timeout;
  while (clock.Monotonic() < limit) {
    if (const std::optional<std::string> how = ChildExit(pid)) {
      return FailedPrecondition("the coordinator " + *how + ":\n" + LastWords(files, output));
    }
    const Result<RunningCluster> cluster = ReadCluster(files, home);
    if (cluster.ok() && cluster->pid == pid) return cluster;
    Pause(kPollInterval);
  }
  SendKill(pid);
  return DeadlineExceeded("the coordinator was not ready after " + FormatDuration(timeout) +
                          " and was stopped; see " + home + "/logs/coordinator.log");
}

int ReadyBoards(const Value& list) {
  int ready = 0;
  const Value* items = list.Find("items");
  if (items == nullptr || !items->is_list()) return 0;
  for (const Value& board : items->AsList()) {
    const Value* state = board.FindPath("status.state");
    if (state == nullptr || !state->is_string()) continue;
    if (state->AsString() == "Ready" || state->AsString() == "Busy") ++ready;
  }
  return ready;
}

Status AwaitBoards(ApiClient& api, const Clock& clock, int wanted, const UpOptions& options,
                   const Environment& environment) {
  const MonotonicTime limit = clock.Monotonic() + options.timeout;
  int shown = -1;
  while (true) {
    const Result<Value> list = api.List(Kind::kBoard, "", "");
    const int ready = list.ok() ? ReadyBoards(*list) : 0;
    if (environment.terminal && ready != shown) {
      std::cout << "\rwaiting for the workers: " << ready << " of " << wanted << std::flush;
    }
    shown = ready;
    if (ready >= wanted) break;
    if (clock.Monotonic() >= limit) {
      return DeadlineExceeded(std::to_string(ready) + " of " + std::to_string(wanted) +
                              " workers are there after " + FormatDuration(options.timeout) +
                              "; see the logs in " + environment.home +
                              "/logs, and stop the cluster with: octet down");
    }
    Pause(kPollInterval);
  }
  if (environment.terminal) std::cout << "\r\x1b[K";
  return Ok();
}

void PrintWelcome(const RunningCluster& cluster, const std::string& home, int boards) {
  std::cout << "Octet is running: " << boards << (boards == 1 ? " board, " : " boards, ")
            << boards * kCoresPerBoard << " cores\n"
            << "  API      " << cluster.api << '\n'
            << "  metrics  " << cluster.metrics << '\n'
            << "  home     " << home << '\n'
            << "Next:\n"
            << "  octet apply -f manifests/iris.yaml    submit a job\n"
            << "  octet watch iris                      see it train\n"
            << "  octet status                          boards, jobs and quota\n"
            << "  octet down                            stop everything\n";
}

}  // namespace

Result<RunningCluster> ReadCluster(const FileSystem& files, const std::string& home) {
  const Result<std::string> text = files.Read(ClusterFile(home));
  if (!text.ok()) {
    return NotFound("no cluster runs in " + home + "; start one with: octet up");
  }
  OCTET_ASSIGN_OR_RETURN(const Value value, ReadJson(*text));
  RunningCluster cluster{.pid = NumberAt(value, "pid"),
                         .start_time = TextAt(value, "startTime"),
                         .api = TextAt(value, "api"),
                         .control = TextAt(value, "control"),
                         .metrics = TextAt(value, "metrics"),
                         .boards = NumberAt(value, "boards")};
  cluster.alive = ProcessIsAlive(cluster.pid, cluster.start_time);
  return cluster;
}

Status Up(FileSystem& files, const Clock& clock, const Environment& environment,
          const UpOptions& options) {
  OCTET_RETURN_IF_ERROR(PrepareHome(files, environment.home));
  const Result<RunningCluster> before = ReadCluster(files, environment.home);
  if (before.ok() && before->alive) {
    std::cout << "Octet is already running in " << environment.home << " (process " << before->pid
              << ", " << before->api << "); stop it with: octet down\n";
    return Ok();
  }
  if (before.ok()) {
    std::cout
        << "The cluster of process " << before->pid
        << " is gone without a goodbye; its jobs and quotas are kept, and it is started again.\n";
    OCTET_RETURN_IF_ERROR(files.Remove(ClusterFile(environment.home)));
  }
  const std::string output = environment.home + "/logs/coordinator.out";
  // Its last words are to be its own, not those of an earlier one.
  if (files.Exists(output)) OCTET_RETURN_IF_ERROR(files.Remove(output));
  OCTET_ASSIGN_OR_RETURN(
      const int64_t pid,
      StartProcess({environment.programs + "/octet-coordinator", "--home", environment.home,
                    "--api-address", options.api_address, "--control-address",
                    options.control_address, "--metrics-address", options.metrics_address,
                    "--boards", std::to_string(options.boards), "--pool-type", options.pool_type,
                    "--provider", "local", "--worker", environment.programs + "/octet-worker"},
                   output));
  OCTET_ASSIGN_OR_RETURN(
      const RunningCluster cluster,
      AwaitCoordinator(files, clock, environment.home, pid, options.timeout, output));
  ApiClient api(cluster.api, environment.user);
  OCTET_RETURN_IF_ERROR(AwaitBoards(api, clock, options.boards, options, environment));
  PrintWelcome(cluster, environment.home, options.boards);
  return Ok();
}

Status Down(FileSystem& files, const Clock& clock, const Environment& environment) {
  const std::vector<WorkerProcess> workers = LiveWorkers(files, environment.home);
  const Result<RunningCluster> cluster = ReadCluster(files, environment.home);
  const bool running = cluster.ok() && cluster->alive;
  if (!running && workers.empty()) {
    if (cluster.ok()) OCTET_RETURN_IF_ERROR(files.Remove(ClusterFile(environment.home)));
    std::cout << "Octet is not running in " << environment.home << '\n';
    return Ok();
  }
  const MonotonicTime limit = clock.Monotonic() + kStopTimeout;
  if (running) {
    SendTerminate(cluster->pid);
    while (ProcessIsAlive(cluster->pid, cluster->start_time)) {
      if (clock.Monotonic() >= limit) {
        std::cout << "The coordinator did not stop in " << FormatDuration(kStopTimeout)
                  << " and was killed.\n";
        SendKill(cluster->pid);
      }
      Pause(kPollInterval);
    }
  }
  // Workers that the coordinator could not stop, because it was killed before.
  for (const WorkerProcess& worker : workers) {
    if (!ProcessIsAlive(worker.pid, worker.start_time)) continue;
    SendTerminate(worker.pid);
  }
  const MonotonicTime worker_limit = clock.Monotonic() + kStopTimeout;
  for (const WorkerProcess& worker : workers) {
    while (ProcessIsAlive(worker.pid, worker.start_time)) {
      if (clock.Monotonic() >= worker_limit) SendKill(worker.pid);
      Pause(kPollInterval);
    }
    const Status removed =
        files.Remove(JoinPath(WorkersFolder(environment.home), worker.name + ".json"));
    if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  }
  const Status removed = files.Remove(ClusterFile(environment.home));
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) return removed;
  std::cout << "Stopped: " << (running ? "the coordinator and " : "") << workers.size()
            << (workers.size() == 1 ? " worker" : " workers")
            << ". Jobs, quotas and checkpoints stay in " << environment.home << '\n';
  return Ok();
}

Status ShowStatus(const FileSystem& files, const Clock& clock, const Environment& environment) {
  std::string server = environment.server;
  if (server.empty()) {
    OCTET_ASSIGN_OR_RETURN(const RunningCluster cluster, ReadCluster(files, environment.home));
    if (!cluster.alive) {
      return NotFound("the cluster of " + environment.home + " (process " +
                      std::to_string(cluster.pid) + ") is gone; start it again with: octet up");
    }
    server = cluster.api;
    std::cout << "API " << cluster.api << "   metrics " << cluster.metrics << "   process "
              << cluster.pid << "   home " << environment.home << '\n';
  } else {
    std::cout << "API " << server << '\n';
  }
  ApiClient api(server, environment.user);
  return ShowOverview(api, clock);
}

}  // namespace octet::cli
