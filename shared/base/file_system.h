// The FileSystem seam: files as Octet needs them, so that tests can run in memory, with faults and
// with a power cut between any two calls.
//
// All methods may be called from any thread. Paths are absolute or relative to the process.
// Failures: kNotFound (no such path), kAlreadyExists, kPermissionDenied, kResourceExhausted (disk
// full), kInvalidArgument (a folder where a file is wanted, or a path that no system takes),
// kDataLoss (a read that returned an I/O error), kUnavailable (anything else from the
// system, with its text). Nothing throws.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/status.h"

namespace octet {

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::string> Read(const std::string& path) const = 0;
  // Replaces or creates the file. Not atomic and not durable: see WriteFileAtomically.
  virtual Status Write(const std::string& path, std::string_view bytes) = 0;
  // Appends, creating the file if needed. Not durable until Sync.
  virtual Status Append(const std::string& path, std::string_view bytes) = 0;
  // Makes the bytes of a file, or the entries of a folder, survive a power cut.
  virtual Status Sync(const std::string& path) = 0;
  // Atomic replacement of `to` (files), or a move of a folder to a free name.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Remove(const std::string& path) = 0;             // One file; kNotFound if absent.
  virtual Status RemoveAll(const std::string& path) = 0;          // A tree; absent is Ok.
  virtual Status CreateDirectories(const std::string& path) = 0;  // With parents; existing is Ok.
  // Names of the entries of a folder, sorted.
  virtual Result<std::vector<std::string>> List(const std::string& path) const = 0;
  virtual bool Exists(const std::string& path) const = 0;
};

// Writes to `path`.tmp, syncs, renames, syncs the folder: after a crash either the old or the new
// bytes.
Status WriteFileAtomically(FileSystem& files, const std::string& path, std::string_view bytes);

// "a/b" and "c" give "a/b/c"; an absolute `name` stands for itself.
std::string JoinPath(std::string_view folder, std::string_view name);
std::string ParentPath(std::string_view path);

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::string> Read(const std::string& path) const override;
  Status Write(const std::string& path, std::string_view bytes) override;
  Status Append(const std::string& path, std::string_view bytes) override;
  Status Sync(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status RemoveAll(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  bool Exists(const std::string& path) const override;
};

// Files in memory. PowerCut() keeps only what was synced: bytes of a file since its last Sync, and
// entries (creations, renames, removals) of a folder since its last Sync, are gone. A file whose
// entry was synced but whose bytes were not is empty afterwards. Relative paths begin at "/".
class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem();
  Result<std::string> Read(const std::string& path) const override;
  Status Write(const std::string& path, std::string_view bytes) override;
  Status Append(const std::string& path, std::string_view bytes) override;
  Status Sync(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status RemoveAll(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  bool Exists(const std::string& path) const override;
  void PowerCut();

 private:
  struct Node;
  // Shared, because a node may be an entry of a folder both now and in what a power cut leaves, and
  // under different names.
  using NodePointer = std::shared_ptr<Node>;
  struct Node {
    bool is_folder = false;
    std::string bytes;  // Of a file.
    std::string synced_bytes;
    std::map<std::string, NodePointer> entries;  // Of a folder, by name.
    std::map<std::string, NodePointer> synced_entries;
  };

  // The callers hold mutex_.
  NodePointer Find(const std::string& path) const;
  Result<NodePointer> FindParent(const std::string& path) const;
  Result<NodePointer> FileForWriting(const std::string& path);
  static void ForgetUnsynced(Node& node);

  mutable std::mutex mutex_;
  NodePointer root_;
};

// Passes calls on to `base` (which outlives it) and fails the chosen ones.
class FaultFileSystem final : public FileSystem {
 public:
  explicit FaultFileSystem(FileSystem& base) : base_(base) {}
  // The `n`-th mutating call from now (0 = the next) and all after it fail with `status`; a Write
  // or Append that fails first writes half of its bytes, as a full disk does.
  void FailFrom(int n, Status status);
  // No call fails any more.
  void Heal();
  // Mutating calls seen so far.
  int calls() const;

  Result<std::string> Read(const std::string& path) const override;
  Status Write(const std::string& path, std::string_view bytes) override;
  Status Append(const std::string& path, std::string_view bytes) override;
  Status Sync(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status RemoveAll(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  bool Exists(const std::string& path) const override;

 private:
  Status Next();

  FileSystem& base_;
  mutable std::mutex mutex_;
  int calls_ = 0;
  int fail_from_ = -1;
  Status fault_;
};

}  // namespace octet
