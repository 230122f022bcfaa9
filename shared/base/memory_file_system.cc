#include <algorithm>
#include <utility>

#include "shared/base/file_system.h"

namespace octet {
namespace {

std::vector<std::string> NamesIn(const std::string& path) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    if (!name.empty() && name != ".") names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

std::string LastName(const std::string& path) {
  const std::vector<std::string> names = NamesIn(path);
  return names.empty() ? std::string() : names.back();
}

Status NoSuchPath(const std::string& path) { return NotFound(path + ": no such file or folder"); }
Status IsFolder(const std::string& path) { return InvalidArgument(path + ": is a folder"); }

}  // namespace

MemoryFileSystem::MemoryFileSystem() : root_(std::make_shared<Node>()) { root_->is_folder = true; }

MemoryFileSystem::NodePointer MemoryFileSystem::Find(const std::string& path) const {
  NodePointer node = root_;
  for (const std::string& name : NamesIn(path)) {
    const auto entry = node->entries.find(name);
    if (entry == node->entries.end()) return nullptr;
    node = entry->second;
  }
  return node;
}

Result<MemoryFileSystem::NodePointer> MemoryFileSystem::FindParent(const std::string& path) const {
  if (NamesIn(path).empty()) return IsFolder(path);
  NodePointer parent = Find(ParentPath(path));
  if (parent == nullptr || !parent->is_folder) return NoSuchPath(path);
  return parent;
}

Result<MemoryFileSystem::NodePointer> MemoryFileSystem::FileForWriting(const std::string& path) {
  OCTET_ASSIGN_OR_RETURN(const NodePointer parent, FindParent(path));
  NodePointer& file = parent->entries[LastName(path)];
  if (file == nullptr) file = std::make_shared<Node>();
  if (file->is_folder) return IsFolder(path);
  return file;
}

Result<std::string> MemoryFileSystem::Read(const std::string& path) const {
  std::lock_guard lock(mutex_);
  const NodePointer file = Find(path);
  if (file == nullptr) return NoSuchPath(path);
  if (file->is_folder) return IsFolder(path);
  return file->bytes;
}

Status MemoryFileSystem::Write(const std::string& path, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  OCTET_ASSIGN_OR_RETURN(const NodePointer file, FileForWriting(path));
  file->bytes = bytes;
  return Ok();
}

Status MemoryFileSystem::Append(const std::string& path, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  OCTET_ASSIGN_OR_RETURN(const NodePointer file, FileForWriting(path));
  file->bytes += bytes;
  return Ok();
}

Status MemoryFileSystem::Sync(const std::string& path) {
  std::lock_guard lock(mutex_);
  const NodePointer node = Find(path);
  if (node == nullptr) return NoSuchPath(path);
  node->synced_bytes = node->bytes;
  node->synced_entries = node->entries;
  return Ok();
}

Status MemoryFileSystem::Rename(const std::string& from, const std::string& to) {
  std::lock_guard lock(mutex_);
  const NodePointer node = Find(from);
  if (node == nullptr) return NoSuchPath(from);
  OCTET_ASSIGN_OR_RETURN(const NodePointer from_parent, FindParent(from));
  OCTET_ASSIGN_OR_RETURN(const NodePointer to_parent, FindParent(to));
  const NodePointer replaced = Find(to);
  if (replaced == node) return Ok();
  if (replaced != nullptr && replaced->is_folder) {
    return node->is_folder ? AlreadyExists(to + ": already exists") : IsFolder(to);
  }
  if (replaced != nullptr && node->is_folder) return AlreadyExists(to + ": is a file");
  for (std::string above = to; !NamesIn(above).empty(); above = ParentPath(above)) {
    if (Find(above) == node) return InvalidArgument(to + ": lies inside " + from);
  }
  from_parent->entries.erase(LastName(from));
  to_parent->entries[LastName(to)] = node;
  return Ok();
}

Status MemoryFileSystem::Remove(const std::string& path) {
  std::lock_guard lock(mutex_);
  const NodePointer file = Find(path);
  if (file == nullptr) return NoSuchPath(path);
  if (file->is_folder) return IsFolder(path);
  OCTET_ASSIGN_OR_RETURN(const NodePointer parent, FindParent(path));
  parent->entries.erase(LastName(path));
  return Ok();
}

Status MemoryFileSystem::RemoveAll(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (Find(path) == nullptr) return Ok();
  OCTET_ASSIGN_OR_RETURN(const NodePointer parent, FindParent(path));
  parent->entries.erase(LastName(path));
  return Ok();
}

Status MemoryFileSystem::CreateDirectories(const std::string& path) {
  std::lock_guard lock(mutex_);
  NodePointer folder = root_;
  for (const std::string& name : NamesIn(path)) {
    NodePointer& entry = folder->entries[name];
    if (entry == nullptr) {
      entry = std::make_shared<Node>();
      entry->is_folder = true;
    }
    if (!entry->is_folder) return AlreadyExists(path + ": a file is in the way");
    folder = entry;
  }
  return Ok();
}

Result<std::vector<std::string>> MemoryFileSystem::List(const std::string& path) const {
  std::lock_guard lock(mutex_);
  const NodePointer folder = Find(path);
  if (folder == nullptr || !folder->is_folder) return NotFound(path + ": no such folder");
  std::vector<std::string> names;
  for (const auto& [name, node] : folder->entries) names.push_back(name);
  return names;
}

bool MemoryFileSystem::Exists(const std::string& path) const {
  std::lock_guard lock(mutex_);
  return Find(path) != nullptr;
}

void MemoryFileSystem::ForgetUnsynced(Node& node) {
  node.bytes = node.synced_bytes;
  // A copy for each name: a move of which only one end was synced may have left two.
  for (auto& [name, entry] : node.synced_entries) {
    entry = std::make_shared<Node>(*entry);
    ForgetUnsynced(*entry);
  }
  node.entries = node.synced_entries;
}

void MemoryFileSystem::PowerCut() {
  std::lock_guard lock(mutex_);
  ForgetUnsynced(*root_);
}

}  // namespace octet
