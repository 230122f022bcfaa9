#include "coordinator/store/sqlite_faults.h"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "shared/base/check.h"

namespace octet {

struct SqliteFaults::State {
  std::mutex mutex;
  int writes_left = std::numeric_limits<int>::max();  // Until the disk is full.
  bool syncs_fail = false;
  bool power_cut = false;
  std::map<std::string, std::optional<std::string>> synced;  // By path; nothing: never synced.
  sqlite3_vfs* system = nullptr;
  sqlite3_vfs vfs{};

  // SQLITE_OK, or what a write of any kind meets.
  int TakeWrite() {
    std::lock_guard lock(mutex);
    if (power_cut) return SQLITE_IOERR_WRITE;
    if (writes_left <= 0) return SQLITE_FULL;
    if (writes_left != std::numeric_limits<int>::max()) --writes_left;
    return SQLITE_OK;
  }
};

namespace {

// SQLite allocates this much and then the system's own file structure behind it.
struct FaultFile {
  sqlite3_file base;
  SqliteFaults::State* state;
  const char* path;  // Of SQLite, which keeps it as long as the file is open; may be null.
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultFile& Of(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return Of(file).real(); }
SqliteFaults::State& StateOf(sqlite3_vfs* vfs) {
  return *static_cast<SqliteFaults::State*>(vfs->pAppData);
}

int Close(sqlite3_file* file) { return Real(file)->pMethods->xClose(Real(file)); }

int Read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  return Real(file)->pMethods->xRead(Real(file), bytes, count, offset);
}

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  const int fault = Of(file).state->TakeWrite();
  return fault != SQLITE_OK ? fault
                            : Real(file)->pMethods->xWrite(Real(file), bytes, count, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int fault = Of(file).state->TakeWrite();
  return fault != SQLITE_OK ? fault : Real(file)->pMethods->xTruncate(Real(file), size);
}

int Size(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}

int Sync(sqlite3_file* file, int flags) {
  FaultFile& fault = Of(file);
  std::lock_guard lock(fault.state->mutex);
  if (fault.state->power_cut || fault.state->syncs_fail) return SQLITE_IOERR_FSYNC;
  const int code = Real(file)->pMethods->xSync(Real(file), flags);
  sqlite3_int64 size = 0;
  if (code != SQLITE_OK || fault.path == nullptr || Size(file, &size) != SQLITE_OK) return code;
  std::string bytes(static_cast<size_t>(size), '\0');
  if (size > 0) Read(file, bytes.data(), static_cast<int>(size), 0);
  fault.state->synced[fault.path] = std::move(bytes);
  return code;
}

int Lock(sqlite3_file* file, int level) { return Real(file)->pMethods->xLock(Real(file), level); }
int Unlock(sqlite3_file* file, int level) {
  return Real(file)->pMethods->xUnlock(Real(file), level);
}
int CheckLock(sqlite3_file* file, int* locked) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), locked);
}
int Control(sqlite3_file* file, int operation, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int Traits(sqlite3_file* file) { return Real(file)->pMethods->xDeviceCharacteristics(Real(file)); }

// Version 1: no shared memory and no memory mapping, which a database that is held exclusively does
// not use. The rest stays zero.
sqlite3_io_methods MakeMethods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = Close;
  methods.xRead = Read;
  methods.xWrite = Write;
  methods.xTruncate = Truncate;
  methods.xSync = Sync;
  methods.xFileSize = Size;
  methods.xLock = Lock;
  methods.xUnlock = Unlock;
  methods.xCheckReservedLock = CheckLock;
  methods.xFileControl = Control;
  methods.xSectorSize = SectorSize;
  methods.xDeviceCharacteristics = Traits;
  return methods;
}
const sqlite3_io_methods kMethods = MakeMethods();

int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  SqliteFaults::State& state = StateOf(vfs);
  FaultFile* fault = new (file) FaultFile{.base = {}, .state = &state, .path = path};
  const int code = state.system->xOpen(state.system, path, fault->real(), flags, flags_out);
  fault->base.pMethods = fault->real()->pMethods == nullptr ? nullptr : &kMethods;
  if (code == SQLITE_OK && path != nullptr) {
    std::lock_guard lock(state.mutex);
    state.synced.try_emplace(path);
  }
  return code;
}

int Delete(sqlite3_vfs* vfs, const char* path, int sync) {
  SqliteFaults::State& state = StateOf(vfs);
  std::lock_guard lock(state.mutex);
  if (state.power_cut) return SQLITE_IOERR_DELETE;
  state.synced.erase(path);
  return state.system->xDelete(state.system, path, sync);
}

}  // namespace

SqliteFaults::SqliteFaults() : state_(std::make_unique<State>()) {
  state_->system = sqlite3_vfs_find(nullptr);
  CHECK(state_->system != nullptr) << "SQLite has no file layer";
  // Everything but files is the system's own; its functions look at nothing that is ours.
  state_->vfs = *state_->system;
  state_->vfs.zName = "octet-faults";
  state_->vfs.pAppData = state_.get();
  state_->vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + state_->system->szOsFile;
  state_->vfs.pNext = nullptr;
  state_->vfs.xOpen = Open;
  state_->vfs.xDelete = Delete;
  CHECK(sqlite3_vfs_register(&state_->vfs, /*makeDflt=*/1) == SQLITE_OK);
}

SqliteFaults::~SqliteFaults() { sqlite3_vfs_unregister(&state_->vfs); }

void SqliteFaults::FillDiskFrom(int n) {
  std::lock_guard lock(state_->mutex);
  state_->writes_left = n;
}

void SqliteFaults::FailSyncs() {
  std::lock_guard lock(state_->mutex);
  state_->syncs_fail = true;
}

void SqliteFaults::Heal() {
  std::lock_guard lock(state_->mutex);
  state_->writes_left = std::numeric_limits<int>::max();
  state_->syncs_fail = false;
}

void SqliteFaults::CutPower() {
  std::lock_guard lock(state_->mutex);
  state_->power_cut = true;
}

void SqliteFaults::RestorePower() {
  std::lock_guard lock(state_->mutex);
  for (const auto& [path, bytes] : state_->synced) {
    if (bytes) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << *bytes;
    } else {
      std::filesystem::remove(path);
    }
  }
  state_->power_cut = false;
}

}  // namespace octet
