#include "cli/processes.h"

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

namespace octet::cli {

std::string StartTimeOf(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The second field is the program's name in parentheses and may itself hold spaces and
  // parentheses.
  const size_t close = text.rfind(')');
  if (close == std::string::npos) return "";
  std::istringstream fields(text.substr(close + 1));
  std::string field;
  // After the name come the state (field 3) and eighteen more fields before the start time (field
  // 22).
  constexpr int kFieldsToStartTime = 20;
  for (int i = 0; i < kFieldsToStartTime && (fields >> field); ++i) {
    if (i == 0 && (field == "Z" || field == "X")) return "";
  }
  return field;
}

bool IsAlive(int64_t pid, const std::string& start_time) {
  if (pid <= 0) return false;
  const std::string now = StartTimeOf(pid);
  return !now.empty() && (start_time.empty() || now == start_time);
}

Result<int64_t> StartDetached(const std::vector<std::string>& command, const std::string& output) {
  CHECK(!command.empty());
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, command[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return Unavailable("cannot start " + command[0] + ": " + std::strerror(error));
  }
  return static_cast<int64_t>(pid);
}

void Terminate(int64_t pid) { (void)kill(static_cast<pid_t>(pid), SIGTERM); }

void Kill(int64_t pid) { (void)kill(static_cast<pid_t>(pid), SIGKILL); }

bool ChildHasEnded(int64_t pid, std::string& how) {
  int status = 0;
  if (waitpid(static_cast<pid_t>(pid), &status, WNOHANG) != static_cast<pid_t>(pid)) return false;
  if (WIFEXITED(status)) {
    how = "exited with code " + std::to_string(WEXITSTATUS(status));
  } else {
    how = "was ended by signal " + std::to_string(WTERMSIG(status));
  }
  return true;
}

}  // namespace octet::cli
