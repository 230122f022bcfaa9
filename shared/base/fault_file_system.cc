#include "shared/base/check.h"
#include "shared/base/file_system.h"

namespace octet {

void FaultFileSystem::FailFrom(int n, Status status) {
  CHECK(n >= 0 && !status.ok());
  std::lock_guard lock(mutex_);
  fail_from_ = calls_ + n;
  fault_ = std::move(status);
}

void FaultFileSystem::Heal() {
  std::lock_guard lock(mutex_);
  fail_from_ = -1;
}

int FaultFileSystem::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

Status FaultFileSystem::Next() {
  std::lock_guard lock(mutex_);
  const int call = calls_++;
  return fail_from_ >= 0 && call >= fail_from_ ? fault_ : Ok();
}

Result<std::string> FaultFileSystem::Read(const std::string& path) const {
  return base_.Read(path);
}

Status FaultFileSystem::Write(const std::string& path, std::string_view bytes) {
  const Status fault = Next();
  if (fault.ok()) return base_.Write(path, bytes);
  (void)base_.Write(path, bytes.substr(0, bytes.size() / 2));
  return fault;
}

Status FaultFileSystem::Append(const std::string& path, std::string_view bytes) {
  const Status fault = Next();
  if (fault.ok()) return base_.Append(path, bytes);
  (void)base_.Append(path, bytes.substr(0, bytes.size() / 2));
  return fault;
}

Status FaultFileSystem::Sync(const std::string& path) {
  OCTET_RETURN_IF_ERROR(Next());
  return base_.Sync(path);
}

Status FaultFileSystem::Rename(const std::string& from, const std::string& to) {
  OCTET_RETURN_IF_ERROR(Next());
  return base_.Rename(from, to);
}

Status FaultFileSystem::Remove(const std::string& path) {
  OCTET_RETURN_IF_ERROR(Next());
  return base_.Remove(path);
}

Status FaultFileSystem::RemoveAll(const std::string& path) {
  OCTET_RETURN_IF_ERROR(Next());
  return base_.RemoveAll(path);
}

Status FaultFileSystem::CreateDirectories(const std::string& path) {
  OCTET_RETURN_IF_ERROR(Next());
  return base_.CreateDirectories(path);
}

Result<std::vector<std::string>> FaultFileSystem::List(const std::string& path) const {
  return base_.List(path);
}

bool FaultFileSystem::Exists(const std::string& path) const { return base_.Exists(path); }

}  // namespace octet
