// The Store in a SQLite file: the only place with sqlite3.h.
//
// Reads are served from memory (SharedIndex), which holds exactly what the file holds. One thread
// owns the database handle from opening to closing; a transaction is handed to it and waited for.
// Tables:
//   objects(kind, ns, name, json): one row an object, canonical JSON, key (kind, ns, name)
//   meta(key, value): "version" is the resource version after the last transaction, so that
//   versions never repeat, also after the newest object was deleted.
// PRAGMA user_version is the version of this layout.
#include <sqlite3.h>

#include <future>
#include <utility>

#include "coordinator/store/shared_index.h"
#include "coordinator/store/store.h"
#include "shared/base/bounded_queue.h"
#include "shared/base/thread.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

constexpr int kLayoutVersion = 1;
// Transactions come one at a time (SharedIndex), and one more to close.
constexpr size_t kQueueCapacity = 4;

Status SqliteStatus(int code, sqlite3* database, const std::string& path) {
  const std::string message =
      path + ": " + (database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return ResourceExhausted(message + " (is the disk full?); nothing was changed");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return FailedPrecondition(message + "; another process uses this database: stop it first");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return PermissionDenied(message);
    case SQLITE_CANTOPEN:
      return PermissionDenied(message + "; check that the folder exists and may be written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return DataLoss(message + "; restore it from a backup, or move it away to begin anew");
    case SQLITE_IOERR:
      return Unavailable(message);
    default:
      return Internal(message);
  }
}

// A prepared statement, finalized when it goes out of scope.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    code_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  int code() const { return code_; }
  void Bind(int place, const std::string& text) {
    sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
  }
  void Bind(int place, int64_t number) { sqlite3_bind_int64(statement_, place, number); }
  // SQLITE_ROW, SQLITE_DONE or an error.
  int Step() { return code_ == SQLITE_OK ? sqlite3_step(statement_) : code_; }
  void Reset() { sqlite3_reset(statement_); }
  int64_t Number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string Text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    const int bytes = sqlite3_column_bytes(statement_, column);
    return text == nullptr ? "" : std::string(text, static_cast<size_t>(bytes));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
};

// The database file: every call from the one thread that opened it.
class Database {
 public:
  explicit Database(std::string path) : path_(std::move(path)) {}
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Status Open() {
    const int code = sqlite3_open_v2(path_.c_str(), &handle_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (code != SQLITE_OK) return SqliteStatus(code, handle_, path_);
    sqlite3_extended_result_codes(handle_, 1);
    // One process owns the file; a second one is refused instead of interleaved.
    OCTET_RETURN_IF_ERROR(Execute("PRAGMA locking_mode=EXCLUSIVE"));
    OCTET_RETURN_IF_ERROR(Execute("PRAGMA journal_mode=WAL"));
    OCTET_RETURN_IF_ERROR(Execute("PRAGMA synchronous=FULL"));
    return CreateTables();
  }

  Status Load(std::vector<Object>& objects, int64_t& version) {
    Statement meta(handle_, "SELECT value FROM meta WHERE key='version'");
    const int found = meta.Step();
    if (found == SQLITE_ROW) {
      version = meta.Number(0);
    } else if (found != SQLITE_DONE) {
      return SqliteStatus(found, handle_, path_);
    }
    Statement rows(handle_, "SELECT json FROM objects");
    int code = rows.Step();
    for (; code == SQLITE_ROW; code = rows.Step()) {
      Result<Value> value = ReadJson(rows.Text(0));
      Result<Object> object = value.ok() ? DecodeObject(*value) : Result<Object>(value.status());
      if (!object.ok()) {
        return DataLoss(path_ + ": a row is damaged: " + object.status().message() +
                        "; restore it from a backup, or move it away to begin anew");
      }
      objects.push_back(std::move(object).value());
    }
    return code == SQLITE_DONE ? Ok() : SqliteStatus(code, handle_, path_);
  }

  Status Persist(const std::vector<Change>& changes, int64_t version) {
    OCTET_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
    Status status = WriteAll(changes, version);
    if (status.ok()) status = Execute("COMMIT");
    if (!status.ok()) (void)Execute("ROLLBACK");
    return status;
  }

 private:
  Status Execute(const char* sql) {
    const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Ok() : SqliteStatus(code, handle_, path_);
  }

  Status CreateTables() {
    int64_t layout = 0;
    {
      Statement pragma(handle_, "PRAGMA user_version");
      const int code = pragma.Step();
      if (code != SQLITE_ROW) return SqliteStatus(code, handle_, path_);
      layout = pragma.Number(0);
    }
    if (layout == kLayoutVersion) return Ok();
    if (layout != 0) {
      return FailedPrecondition(path_ + ": written by a newer version of Octet (layout " +
                                std::to_string(layout) + "); use that version");
    }
    return Execute(
        "BEGIN IMMEDIATE;"
        "CREATE TABLE objects(kind TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,"
        " json TEXT NOT NULL, PRIMARY KEY(kind, ns, name)) WITHOUT ROWID;"
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
        "PRAGMA user_version=1;"
        "COMMIT;");
  }

  Status WriteAll(const std::vector<Change>& changes, int64_t version) {
    Statement put(handle_, "INSERT OR REPLACE INTO objects(kind, ns, name, json) VALUES(?,?,?,?)");
    Statement drop(handle_, "DELETE FROM objects WHERE kind=? AND ns=? AND name=?");
    for (const Change& change : changes) {
      const Object& object = change.object;
      Statement& statement = change.type == ChangeType::kDeleted ? drop : put;
      statement.Reset();
      statement.Bind(1, InfoOf(object.kind).plural);
      statement.Bind(2, object.meta.ns);
      statement.Bind(3, object.meta.name);
      if (change.type != ChangeType::kDeleted) {
        statement.Bind(4, WriteCanonicalJson(EncodeObject(object)));
      }
      const int code = statement.Step();
      if (code != SQLITE_DONE) return SqliteStatus(code, handle_, path_);
    }
    Statement meta(handle_, "INSERT OR REPLACE INTO meta(key, value) VALUES('version', ?)");
    meta.Bind(1, version);
    const int code = meta.Step();
    return code == SQLITE_DONE ? Ok() : SqliteStatus(code, handle_, path_);
  }

  std::string path_;
  sqlite3* handle_ = nullptr;
};

// A transaction on its way to the database's thread.
struct Job {
  const std::vector<Change>* changes = nullptr;  // Its owner waits, and so outlives the job.
  int64_t version = 0;
  std::promise<Status> done;
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::string path)
      : jobs_(kQueueCapacity),
        opened_(opening_.get_future()),
        thread_("store", [this, path = std::move(path)] { Run(path); }) {}

  ~SqliteStore() override { jobs_.Close(); }

  Status AwaitOpening() { return opened_.get(); }

  Result<Object> Get(const ObjectKey& key) const override { return index_.Get(key); }
  Result<Snapshot> List(Kind kind, const std::string& ns) const override {
    return index_.List(kind, ns);
  }
  Result<Snapshot> All() const override { return index_.All(); }
  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override {
    return index_.Commit(writes, [this](const std::vector<Change>& changes, int64_t version) {
      Job job{.changes = &changes, .version = version, .done = {}};
      std::future<Status> done = job.done.get_future();
      if (!jobs_.Push(std::move(job))) return Unavailable("the store is closed");
      return done.get();
    });
  }
  Result<std::vector<Change>> ChangesSince(int64_t version) const override {
    return index_.ChangesSince(version);
  }
  int64_t WaitForChange(int64_t version, Duration wait) const override {
    return index_.WaitForChange(version, wait);
  }

 private:
  // The thread that owns the database.
  void Run(const std::string& path) {
    Database database(path);
    std::vector<Object> objects;
    int64_t version = 0;
    Status status = database.Open();
    if (status.ok()) status = database.Load(objects, version);
    if (status.ok()) index_.Load(std::move(objects), version);
    opening_.set_value(status);
    while (std::optional<Job> job = jobs_.Pop()) {
      job->done.set_value(status.ok() ? database.Persist(*job->changes, job->version) : status);
    }
  }

  SharedIndex index_;
  BoundedQueue<Job> jobs_;
  std::promise<Status> opening_;
  std::future<Status> opened_;
  Thread thread_;  // Last: it uses everything above.
};

}  // namespace

Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path) {
  auto store = std::make_unique<SqliteStore>(path);
  OCTET_RETURN_IF_ERROR(store->AwaitOpening());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace octet
