#include <algorithm>

#include "shared/base/file_system.h"

namespace octet {
namespace {

bool IsUnder(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (folder == "/" || path[folder.size()] == '/');
}

bool IsRoot(const std::string& path) { return path == "/" || path == "."; }

}  // namespace

Result<std::string> MemoryFileSystem::Read(const std::string& path) const {
  std::lock_guard lock(mutex_);
  const auto file = files_.find(path);
  if (file == files_.end()) return NotFound(path + ": no such file");
  return file->second->bytes;
}

Status MemoryFileSystem::Write(const std::string& path, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  if (folders_.contains(path)) return Unavailable(path + ": is a folder");
  const std::string parent = ParentPath(path);
  if (!IsRoot(parent) && !folders_.contains(parent)) return NotFound(path + ": no such folder");
  std::shared_ptr<File>& file = files_[path];
  if (file == nullptr) file = std::make_shared<File>();
  file->bytes = bytes;
  return Ok();
}

Status MemoryFileSystem::Append(const std::string& path, std::string_view bytes) {
  std::string whole;
  {
    std::lock_guard lock(mutex_);
    if (const auto file = files_.find(path); file != files_.end()) whole = file->second->bytes;
  }
  return Write(path, whole.append(bytes));
}

Status MemoryFileSystem::Sync(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (const auto file = files_.find(path); file != files_.end()) {
    file->second->synced_bytes = file->second->bytes;
    file->second->ever_synced = true;
    return Ok();
  }
  if (!IsRoot(path) && !folders_.contains(path)) return NotFound(path + ": no such file or folder");
  // The entries of this folder, not those of the folders in it.
  const auto forget = [&](const std::string& entry) { return ParentPath(entry) == path; };
  std::erase_if(synced_files_, [&](const auto& file) { return forget(file.first); });
  for (const auto& [name, file] : files_) {
    if (forget(name)) synced_files_[name] = file;
  }
  std::erase_if(synced_folders_, [&](const std::string& folder) {
    return forget(folder) && !folders_.contains(folder);
  });
  for (const std::string& folder : folders_) {
    if (forget(folder)) synced_folders_.insert(folder);
  }
  return Ok();
}

Status MemoryFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(mutex_);
  if (const auto file = files_.find(from); file != files_.end()) {
    files_[to] = file->second;
    files_.erase(from);
    return Ok();
  }
  if (!folders_.contains(from)) return NotFound(from + ": no such file or folder");
  if (files_.contains(to) || folders_.contains(to)) return AlreadyExists(to + ": already exists");
  std::map<std::string, std::shared_ptr<File>> moved_files;
  std::set<std::string> moved_folders;
  const auto moved = [&](const std::string& path) {
    return path == from || IsUnder(path, from) ? to + path.substr(from.size()) : path;
  };
  for (const auto& [name, file] : files_) moved_files[moved(name)] = file;
  for (const std::string& folder : folders_) moved_folders.insert(moved(folder));
  files_ = std::move(moved_files);
  folders_ = std::move(moved_folders);
  // What the folder held durably goes with its new name once the parent is synced.
  std::map<std::string, std::shared_ptr<File>> also;
  for (const auto& [name, file] : synced_files_) {
    if (IsUnder(name, from)) also[moved(name)] = file;
  }
  synced_files_.insert(also.begin(), also.end());
  return Ok();
}

Status MemoryFileSystem::Remove(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (files_.erase(path) == 0) return NotFound(path + ": no such file");
  return Ok();
}

Status MemoryFileSystem::RemoveAll(const std::string& path) {
  std::lock_guard lock(mutex_);
  std::erase_if(files_,
                [&](const auto& file) { return file.first == path || IsUnder(file.first, path); });
  std::erase_if(folders_,
                [&](const std::string& folder) { return folder == path || IsUnder(folder, path); });
  return Ok();
}

Status MemoryFileSystem::CreateDirectories(const std::string& path) {
  std::lock_guard lock(mutex_);
  for (std::string folder = path; !IsRoot(folder); folder = ParentPath(folder)) {
    if (files_.contains(folder)) return AlreadyExists(folder + ": is a file");
    folders_.insert(folder);
  }
  return Ok();
}

Result<std::vector<std::string>> MemoryFileSystem::List(const std::string& path) const {
  std::lock_guard lock(mutex_);
  if (!IsRoot(path) && !folders_.contains(path)) return NotFound(path + ": no such folder");
  std::vector<std::string> names;
  const auto add = [&](const std::string& entry) {
    if (ParentPath(entry) == path) names.push_back(entry.substr(entry.rfind('/') + 1));
  };
  for (const auto& [name, file] : files_) add(name);
  for (const std::string& folder : folders_) add(folder);
  std::sort(names.begin(), names.end());
  return names;
}

bool MemoryFileSystem::Exists(const std::string& path) const {
  std::lock_guard lock(mutex_);
  return files_.contains(path) || folders_.contains(path) || IsRoot(path);
}

void MemoryFileSystem::PowerCut() {
  std::lock_guard lock(mutex_);
  files_.clear();
  folders_ = synced_folders_;
  const auto reachable = [&](const std::string& path) {
    for (std::string folder = ParentPath(path); !IsRoot(folder); folder = ParentPath(folder)) {
      if (!folders_.contains(folder)) return false;
    }
    return true;
  };
  for (const auto& [name, file] : synced_files_) {
    if (!reachable(name)) continue;
    auto kept = std::make_shared<File>(*file);
    kept->bytes = file->ever_synced ? file->synced_bytes : "";
    files_[name] = kept;
  }
  synced_files_ = files_;
}

}  // namespace octet
