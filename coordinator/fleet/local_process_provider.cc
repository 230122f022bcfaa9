#include "coordinator/fleet/local_process_provider.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "shared/base/log.h"
#include "shared/base/process.h"

namespace octet {
namespace {

// Pid files are written here and nowhere else: three flat members, the text of which we choose.
std::string WritePidFile(int64_t pid, const std::string& start_time, const std::string& address) {
  return "{\"pid\": " + std::to_string(pid) + ", \"startTime\": \"" + start_time +
         "\", \"coordinator\": \"" + address + "\"}\n";
}

// The text after `"key": ` up to the next comma or brace, without quotes.
std::string Member(const std::string& text, const std::string& key) {
  const std::string label = "\"" + key + "\": ";
  const size_t found = text.find(label);
  if (found == std::string::npos) return "";
  const size_t begin = found + label.size();
  const size_t end = text.find_first_of(",}", begin);
  std::string value = text.substr(begin, end == std::string::npos ? end : end - begin);
  std::erase(value, '"');
  return value;
}

int64_t ReadPid(const std::string& digits) {
  int64_t pid = 0;
  std::istringstream(digits) >> pid;
  return pid;
}

constexpr char kPidFileSuffix[] = ".json";

}  // namespace

LocalProcessProvider::LocalProcessProvider(LocalProcessOptions options, FileSystem& files,
                                           Random random)
    : options_(std::move(options)), files_(files), random_(random) {
  Adopt();
}

LocalProcessProvider::~LocalProcessProvider() = default;

std::string LocalProcessProvider::PidFile(const BoardId& board) const {
  return JoinPath(options_.home, "run/workers/" + board.str() + kPidFileSuffix);
}

void LocalProcessProvider::Adopt() {
  const Result<std::vector<std::string>> names =
      files_.List(JoinPath(options_.home, "run/workers"));
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!name.ends_with(kPidFileSuffix)) continue;
    const BoardId board(name.substr(0, name.size() - std::string(kPidFileSuffix).size()));
    const Result<std::string> text = files_.Read(PidFile(board));
    if (!text.ok()) continue;
    Worker worker{.board = {.board = board},
                  .pid = ReadPid(Member(*text, "pid")),
                  .start_time = Member(*text, "startTime"),
                  .adopted = true,
                  .foreign_address = Member(*text, "coordinator") != options_.coordinator};
    if (!ProcessIsAlive(worker.pid, worker.start_time)) {
      (void)files_.Remove(PidFile(board));
      continue;
    }
    LogInfo("adopted worker " + board.str() + ", process " + std::to_string(worker.pid));
    workers_[board] = std::move(worker);
  }
}

void LocalProcessProvider::SetWanted(const std::vector<WantedBoard>& boards) {
  for (auto& [board, worker] : workers_) worker.wanted = false;
  for (const WantedBoard& board : boards) {
    Worker& worker = workers_[board.board];
    worker.board = board;
    worker.wanted = true;
  }
}

std::vector<WorkerExit> LocalProcessProvider::OnTick(MonotonicTime now) {
  std::vector<WorkerExit> exits;
  for (auto it = workers_.begin(); it != workers_.end();) {
    Worker& worker = it->second;
    std::string how;
    if (worker.pid != 0 && HasEnded(worker, how)) {
      exits.push_back({.board = it->first, .pid = worker.pid, .how = how});
      AfterExit(worker, how, now);
    }
    const bool leave = !worker.wanted || worker.foreign_address;
    if (worker.pid != 0 && leave) Stop(worker, now);
    if (worker.pid == 0 && worker.wanted && now >= worker.start_at) Start(worker, now);
    const bool forgotten = worker.pid == 0 && !worker.wanted;
    it = forgotten ? workers_.erase(it) : std::next(it);
  }
  return exits;
}

void LocalProcessProvider::Start(Worker& worker, MonotonicTime now) {
  const std::string log = JoinPath(options_.home, "logs/" + worker.board.board.str() + ".log");
  std::vector<std::string> command = {options_.program,
                                      "--board",
                                      worker.board.board.str(),
                                      "--pool",
                                      worker.board.pool.str(),
                                      "--ordinal",
                                      std::to_string(worker.board.ordinal),
                                      "--coordinator",
                                      options_.coordinator,
                                      "--home",
                                      options_.home};
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
  const Result<int64_t> pid = StartProcess(command, log);
  if (!pid.ok()) {
    LogError("worker " + worker.board.board.str() + ": " + pid.status().message());
    AfterExit(worker, pid.status().message(), now);
    return;
  }
  worker.pid = *pid;
  worker.start_time = ProcessStartTime(*pid);
  worker.adopted = false;
  worker.started = now;
  worker.message.clear();
  LogInfo("started worker " + worker.board.board.str() + ", process " + std::to_string(*pid));
  const Status written =
      WriteFileAtomically(files_, PidFile(worker.board.board),
                          WritePidFile(*pid, worker.start_time, options_.coordinator));
  if (!written.ok()) {
    // Without the file nobody could find the worker after a crash.
    LogError("worker " + worker.board.board.str() + ": " + written.message());
    SendKill(worker.pid);
  }
}

void LocalProcessProvider::Stop(Worker& worker, MonotonicTime now) {
  if (!worker.stopping) {
    worker.stopping = true;
    worker.kill_at = now + options_.stop_limit;
    SendTerminate(worker.pid);
    LogInfo("stopping worker " + worker.board.board.str());
  } else if (!worker.killed && now >= worker.kill_at) {
    worker.killed = true;
    SendKill(worker.pid);
    LogWarning("worker " + worker.board.board.str() + " did not stop in " +
               FormatDuration(options_.stop_limit) + " and was killed");
  }
}

bool LocalProcessProvider::HasEnded(Worker& worker, std::string& how) {
  if (worker.adopted) {
    if (ProcessIsAlive(worker.pid, worker.start_time)) return false;
    how = "has ended";
    return true;
  }
  const std::optional<std::string> exit = ChildExit(worker.pid);
  if (exit) how = *exit;
  return exit.has_value();
}

void LocalProcessProvider::AfterExit(Worker& worker, const std::string& how, MonotonicTime now) {
  const Status removed = files_.Remove(PidFile(worker.board.board));
  if (!removed.ok() && removed.code() != StatusCode::kNotFound) LogWarning(removed.message());
  const bool asked = worker.stopping;
  const bool healthy = worker.pid != 0 && now >= worker.started + options_.healthy_after;
  worker.failures = asked || healthy ? 0 : worker.failures + 1;
  worker.start_at =
      asked ? now : now + BackoffDelay(options_.backoff, std::max(worker.failures, 1), random_);
  worker.message = asked ? "" : "the worker " + how + "; it is started again";
  worker.pid = 0;
  worker.stopping = false;
  worker.killed = false;
  worker.foreign_address = false;
  if (!asked) LogWarning("worker " + worker.board.board.str() + " " + how);
}

std::vector<BoardId> LocalProcessProvider::Running() const {
  std::vector<BoardId> running;
  for (const auto& [board, worker] : workers_) {
    if (worker.pid != 0) running.push_back(board);
  }
  return running;
}

std::string LocalProcessProvider::Message(const BoardId& board) const {
  const auto found = workers_.find(board);
  return found == workers_.end() ? "" : found->second.message;
}

}  // namespace octet
