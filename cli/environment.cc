#include "cli/environment.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "shared/base/file_system.h"

namespace octet::cli {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string LoginName() {
  if (const passwd* entry = getpwuid(geteuid()); entry != nullptr) return entry->pw_name;
  return "user-" + std::to_string(geteuid());
}

std::string OwnFolder() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return ".";
  return ParentPath(std::string_view(path.data(), static_cast<size_t>(length)));
}

}  // namespace

Environment ReadEnvironment() {
  Environment environment;
  environment.home = Variable("OCTET_HOME");
  if (environment.home.empty()) environment.home = JoinPath(Variable("HOME"), ".octet");
  environment.server = Variable("OCTET_SERVER");
  const std::string user = Variable("OCTET_USER");
  environment.user = UserName(user.empty() ? LoginName() : user);
  environment.terminal = isatty(STDOUT_FILENO) == 1;
  environment.programs = OwnFolder();
  return environment;
}

void Pause(Duration pause) { (void)poll(nullptr, 0, static_cast<int>(pause.count())); }

}  // namespace octet::cli
