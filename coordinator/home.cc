#include "coordinator/home.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/objects/json.h"

namespace octet {
namespace {

constexpr char kNote[] = "run/coordinator.json";
constexpr char kLock[] = "run/lock";

Status CannotWrite(const std::string& path, const std::string& why) {
  return PermissionDenied("cannot write in the home " + path + " (" + why +
                          "); choose a folder that you may write with --home or OCTET_HOME");
}

std::string TextAt(const Value& value, const char* key) {
  const Value* found = value.Find(key);
  return found != nullptr && found->is_string() ? found->AsString() : "";
}

}  // namespace

Result<Home> Home::Open(FileSystem& files, const std::string& path) {
  for (const char* folder : {"run/workers", "logs/jobs", "checkpoints", "prometheus"}) {
    const Status made = files.CreateDirectories(JoinPath(path, folder));
    if (!made.ok()) return CannotWrite(path, made.message());
  }
  const std::string lock_path = JoinPath(path, kLock);
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return CannotWrite(path, std::strerror(errno));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    const Result<std::string> holder = files.Read(lock_path);
    return FailedPrecondition("the home " + path + " is in use by process " +
                              (holder.ok() && !holder->empty() ? *holder : "(unknown)") +
                              "; stop it with: octet down, or choose another --home");
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(lock, 0) != 0 ||
      pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const std::string why = std::strerror(errno);
    close(lock);
    return CannotWrite(path, why);
  }
  return Home(files, path, lock);
}

Home::~Home() {
  if (lock_ >= 0) close(lock_);
}

Home::Home(Home&& other) noexcept
    : files_(other.files_), path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

std::optional<ReadyNote> Home::TakeStaleNote() {
  const Result<std::string> text = files_.Read(File(kNote));
  if (!text.ok()) return std::nullopt;
  RemoveNote();
  const Result<Value> value = ReadJson(*text);
  if (!value.ok()) return std::nullopt;
  ReadyNote note{.start_time = TextAt(*value, "startTime"),
                 .api = TextAt(*value, "api"),
                 .control = TextAt(*value, "control"),
                 .metrics = TextAt(*value, "metrics")};
  const Value* pid = value->Find("pid");
  if (pid != nullptr && pid->is_int()) note.pid = pid->AsInt();
  return note;
}

Status Home::WriteNote(const ReadyNote& note) {
  Value value = Value::MakeMap();
  value.Set("pid", note.pid);
  value.Set("startTime", note.start_time);
  value.Set("api", note.api);
  value.Set("control", note.control);
  value.Set("metrics", note.metrics);
  value.Set("boards", note.boards);
  return WriteFileAtomically(files_, File(kNote), WriteJson(value) + "\n");
}

void Home::RemoveNote() { (void)files_.Remove(File(kNote)); }

std::string WithPortOf(const std::string& address, const std::string& endpoint) {
  const size_t scheme = endpoint.find("://");
  if (!address.ends_with(":0") || scheme == std::string::npos) return address;
  std::string there = endpoint.substr(scheme + 3);
  there = there.substr(0, there.find('/'));
  const std::string host = address.substr(0, address.size() - 1);  // With the colon.
  return there.starts_with(host) && there.size() > host.size() ? there : address;
}

}  // namespace octet
