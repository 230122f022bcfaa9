// SqliteFaults: a bad disk under SQLite, for tests: full, failing, or without power.
//
// While one lives it is SQLite's file layer (a VFS that passes calls on to the system's) for every
// database that this process opens. One at a time, and no database may outlive it. Its methods may
// be called from any thread.
#pragma once

#include <memory>

namespace octet {

class SqliteFaults {
 public:
  SqliteFaults();
  ~SqliteFaults();
  SqliteFaults(const SqliteFaults&) = delete;
  SqliteFaults& operator=(const SqliteFaults&) = delete;

  // The `n`-th write from now (0 = the next) and all after it find the disk full.
  void FillDiskFrom(int n);
  // Every sync fails with an I/O error.
  void FailSyncs();
  // No call fails any more.
  void Heal();

  // Power is gone: every write and sync fails from now on. Close the database, then call
  // RestorePower: each file is then what it was at its last sync, and gone if there was none.
  void CutPower();
  void RestorePower();

  struct State;  // Of the implementation.

 private:
  std::unique_ptr<State> state_;
};

}  // namespace octet
