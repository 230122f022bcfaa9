// SqliteDatabase: the file under the SQLite store: schema, rows, transactions, and what SQLite's
// errors mean. It knows nothing of versions or watchers.
//
// One thread opens, uses and destroys it. While it is open no other process can open the file
// (locking_mode EXCLUSIVE), so that two coordinators cannot share a home.
//
// Schema, user_version 2:
//   objects(kind, ns, name, uid, resource_version, json), primary key (kind, ns, name); json is
//     the canonical JSON of the whole object;
//   meta(key, value): one row `version`, the last version given out. It is kept apart from the
//     objects, so that versions are never given twice after the newest object was deleted;
//   changes(resource_version, type, json, previous): the last limits::kWatchHistoryMax changes, so
//     that watches go on after a restart: the object after and before, type as ChangeType.
// A file of version 1, which had no changes, is brought to version 2 when it is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/store/object_table.h"
#include "shared/base/status.h"

namespace octet {

class SqliteDatabase {
 public:
  // Opens or creates; reads and checks every page (quick_check). Errors as of OpenSqliteStore.
  static Result<std::unique_ptr<SqliteDatabase>> Open(const std::string& path);
  ~SqliteDatabase();

  // Every object, with the version. kDataLoss: a row that cannot be read.
  Result<ObjectTable> ReadAll();

  // One transaction, on the disk when it returns Ok. kResourceExhausted: the disk is full and
  // nothing was changed. kUnavailable: the disk failed; whether the transaction is there will be
  // known when the file is opened again, and until then every Write is refused.
  Status Write(const TransactionPlan& plan);

 private:
  class Impl;
  explicit SqliteDatabase(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace octet
