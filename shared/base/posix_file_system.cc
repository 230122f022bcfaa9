#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "shared/base/file_system.h"

namespace octet {
namespace {

Status ErrnoStatus(int error, const std::string& path) {
  std::string message = path + ": " + std::strerror(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotFound(std::move(message));
    case EEXIST:
    case ENOTEMPTY:
      return AlreadyExists(std::move(message));
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDenied(std::move(message));
    case ENOSPC:
    case EDQUOT:
      return ResourceExhausted(std::move(message));
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
      // The path is wrong; trying again would not help.
      return InvalidArgument(std::move(message));
    case EIO:
      return DataLoss(std::move(message));
    default:
      return Unavailable(std::move(message));
  }
}

// Closes when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // A full disk may show only here.
  int Close() { return close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

Status WriteAll(const std::string& path, std::string_view bytes, int flags) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
  if (file.get() < 0) return ErrnoStatus(errno, path);
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, path);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (file.Close() != 0) return ErrnoStatus(errno, path);
  return Ok();
}

}  // namespace

Result<std::string> PosixFileSystem::Read(const std::string& path) const {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR, path);
  std::string bytes;
  bytes.reserve(static_cast<size_t>(info.st_size));
  // Files of /proc have no size: read until the end, whatever the size says.
  char buffer[65536];
  while (true) {
    const ssize_t count = read(file.get(), buffer, sizeof(buffer));
    if (count == 0) return bytes;
    if (count < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, path);
    }
    bytes.append(buffer, static_cast<size_t>(count));
  }
}

Status PosixFileSystem::Write(const std::string& path, std::string_view bytes) {
  return WriteAll(path, bytes, O_TRUNC);
}

Status PosixFileSystem::Append(const std::string& path, std::string_view bytes) {
  return WriteAll(path, bytes, O_APPEND);
}

Status PosixFileSystem::Sync(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, path);
  if (fsync(file.get()) != 0) return ErrnoStatus(errno, path);
  return Ok();
}

Status PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) return ErrnoStatus(errno, from + " to " + to);
  return Ok();
}

Status PosixFileSystem::Remove(const std::string& path) {
  if (unlink(path.c_str()) != 0) return ErrnoStatus(errno, path);
  return Ok();
}

Status PosixFileSystem::RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return ErrnoStatus(error.value(), path);
  return Ok();
}

Status PosixFileSystem::CreateDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  // A parent that is a file is in the way, not missing.
  if (error.value() == ENOTDIR) return AlreadyExists(path + ": a file is in the way");
  if (error) return ErrnoStatus(error.value(), path);
  return Ok();
}

Result<std::vector<std::string>> PosixFileSystem::List(const std::string& path) const {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  if (error) return ErrnoStatus(error.value(), path);
  std::vector<std::string> names;
  for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  // An increment that fails ends the loop.
  if (error) return ErrnoStatus(error.value(), path);
  std::sort(names.begin(), names.end());
  return names;
}

bool PosixFileSystem::Exists(const std::string& path) const {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace octet
