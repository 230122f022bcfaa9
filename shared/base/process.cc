#include "shared/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "shared/base/check.h"

namespace octet {
namespace {

// posix_spawn's settings, freed with it.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

std::string ProcessStartTime(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The second field is the program's name in parentheses and may itself hold spaces and
  // parentheses.
  const size_t close = text.rfind(')');
  if (close == std::string::npos) return "";
  std::istringstream fields(text.substr(close + 1));
  std::string field;
  // After the name come the state (field 3) and eighteen more before the start time (field 22).
  constexpr int kFieldsToStartTime = 20;
  for (int i = 0; i < kFieldsToStartTime && (fields >> field); ++i) {
    if (i == 0 && (field == "Z" || field == "X")) return "";
  }
  return field;
}

bool ProcessIsAlive(int64_t pid, const std::string& start_time) {
  return pid > 0 && !start_time.empty() && ProcessStartTime(pid) == start_time;
}

Result<int64_t> StartProcess(const std::vector<std::string>& command, const std::string& output) {
  CHECK(!command.empty());
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&settings.actions, STDOUT_FILENO, STDERR_FILENO);
  // A worker that inherited a listening socket or the lock of the home would keep it after our
  // death.
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, STDERR_FILENO + 1);

  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setflags(
      &settings.attributes,
      static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  pid_t pid = 0;
  const int error = posix_spawn(&pid, command[0].c_str(), &settings.actions, &settings.attributes,
                                arguments.data(), environ);
  if (error != 0) {
    return Unavailable("cannot start " + command[0] + ": " + std::strerror(error));
  }
  return static_cast<int64_t>(pid);
}

std::optional<std::string> ChildExit(int64_t pid) {
  int status = 0;
  const pid_t ended = waitpid(static_cast<pid_t>(pid), &status, WNOHANG);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return "is no child of this process";
  if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status));
}

void SendTerminate(int64_t pid) { (void)kill(static_cast<pid_t>(pid), SIGTERM); }

void SendKill(int64_t pid) { (void)kill(static_cast<pid_t>(pid), SIGKILL); }

}  // namespace octet
