#include "coordinator/store/sqlite_database.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <utility>

#include "shared/base/limits.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

// "OCTT", in the file's header: this is a database of ours and no other program's.
constexpr int64_t kApplicationId = 0x4F435454;
constexpr int64_t kSchemaVersion = 2;

constexpr char kSchema[] = R"sql(
CREATE TABLE objects(
  kind TEXT NOT NULL,
  ns TEXT NOT NULL,
  name TEXT NOT NULL,
  uid TEXT NOT NULL,
  resource_version INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY(kind, ns, name)) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta(key, value) VALUES('version', 0);
PRAGMA application_id = 0x4F435454;
)sql";

// What version 2 adds. Run on a new file after kSchema, and on one of version 1.
constexpr char kSchemaChanges[] = R"sql(
CREATE TABLE changes(
  resource_version INTEGER PRIMARY KEY,
  type INTEGER NOT NULL,
  json TEXT NOT NULL,
  previous TEXT);
PRAGMA user_version = 2;
)sql";

constexpr char kUpsert[] =
    "INSERT INTO objects(kind, ns, name, uid, resource_version, json) VALUES(?1, ?2, ?3, ?4, ?5, "
    "?6) "
    "ON CONFLICT(kind, ns, name) DO UPDATE SET uid = ?4, resource_version = ?5, json = ?6";
constexpr char kDelete[] = "DELETE FROM objects WHERE kind = ?1 AND ns = ?2 AND name = ?3";
constexpr char kAddChange[] =
    "INSERT INTO changes(resource_version, type, json, previous) VALUES(?1, ?2, ?3, ?4)";
constexpr char kDropChanges[] = "DELETE FROM changes WHERE resource_version <= ?1";
constexpr char kSetVersion[] = "UPDATE meta SET value = ?1 WHERE key = 'version'";

Status Damaged(const std::string& path, const std::string& what) {
  return DataLoss(
      path + " is damaged (" + what +
      "). Nothing in it was changed. Move it away together with its -wal file and put back "
      "a copy, or start without it: jobs, quotas and the ledger are then empty");
}

Status OfSystem(const std::string& path, int error) {
  if (error == EACCES || error == EPERM || error == EROFS) {
    return PermissionDenied(path + ": " + std::strerror(error) +
                            ". The file and its folder must be writable for this user");
  }
  if (error == ENOSPC || error == EDQUOT) {
    return ResourceExhausted(path + ": the disk is full; make room");
  }
  return Unavailable(path + ": " + (error == 0 ? "cannot be opened" : std::strerror(error)));
}

// What a result code means for the caller.
Status OfSqlite(const std::string& path, sqlite3* handle, int code) {
  const std::string text = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  const int system = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
      return Ok();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return FailedPrecondition(path +
                                " is in use by another process: a coordinator is running on "
                                "this home already. Stop it first (octet down)");
    case SQLITE_FULL:
      return ResourceExhausted(path +
                               ": the disk is full; nothing was changed. Make room and try again");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Damaged(path, text);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return OfSystem(path, system == 0 ? EACCES : system);
    case SQLITE_CANTOPEN:
      return OfSystem(path, system);
    default:
      return Unavailable(path + ": " + text +
                         (system == 0 ? "" : std::string(": ") + std::strerror(system)));
  }
}

// The object in a column of JSON.
Result<Object> ReadObject(const std::string& path, const std::string& row,
                          const std::string& json) {
  const Result<Value> document = ReadJson(json);
  if (!document.ok()) return Damaged(path, "row " + row + ": " + document.status().message());
  Result<Object> object = DecodeObject(*document);
  if (!object.ok()) return Damaged(path, "row " + row + ": " + object.status().message());
  return object;
}

class Statement {
 public:
  Statement() = default;
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  int Prepare(sqlite3* handle, const char* sql) {
    return sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  }
  // The text must live until the next Reset.
  void Bind(int index, const std::string& text) {
    sqlite3_bind_text64(statement_, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void BindNull(int index) { sqlite3_bind_null(statement_, index); }
  void Bind(int index, int64_t number) { sqlite3_bind_int64(statement_, index, number); }
  int Step() { return sqlite3_step(statement_); }
  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  bool IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string Text(int column) const {
    const unsigned char* text = sqlite3_column_text(statement_, column);
    const int bytes = sqlite3_column_bytes(statement_, column);
    return text == nullptr
               ? ""
               : std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(bytes));
  }
  // Runs a statement that gives no rows, and makes it ready for the next time.
  int Run() {
    const int code = Step();
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

class SqliteDatabase::Impl {
 public:
  explicit Impl(std::string path) : path_(std::move(path)) {}
  ~Impl() {
    // Statements go before the handle that they belong to.
    upsert_.reset();
    remove_.reset();
    add_change_.reset();
    drop_changes_.reset();
    set_version_.reset();
    sqlite3_close_v2(handle_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status Open();
  Result<ObjectTable> ReadAll();
  Status Write(const TransactionPlan& plan);

 private:
  Status Wrap(int code) const { return OfSqlite(path_, handle_, code); }
  Status Execute(const char* sql) {
    return Wrap(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
  }
  Result<int64_t> Number(const char* sql);
  Result<std::string> Word(const char* sql);
  Status CheckIdentity();
  Status CreateSchema();
  Status CheckPages();
  Status PrepareAll();
  Status WriteRows(const TransactionPlan& plan);
  Result<std::vector<Object>> ReadObjects(int64_t version);
  Result<std::deque<Change>> ReadChanges(int64_t version);
  int WriteRow(const Change& change, const std::string& json);
  int WriteChange(const Change& change, const std::string& json);
  Status GiveUp(Status status);

  const std::string path_;
  sqlite3* handle_ = nullptr;
  std::unique_ptr<Statement> upsert_;
  std::unique_ptr<Statement> remove_;
  std::unique_ptr<Statement> add_change_;
  std::unique_ptr<Statement> drop_changes_;
  std::unique_ptr<Statement> set_version_;
  Status broken_;  // Not Ok after a failure whose outcome only a new opening can tell.
};

Result<int64_t> SqliteDatabase::Impl::Number(const char* sql) {
  Statement statement;
  OCTET_RETURN_IF_ERROR(Wrap(statement.Prepare(handle_, sql)));
  const int code = statement.Step();
  if (code == SQLITE_ROW) return statement.Int(0);
  OCTET_RETURN_IF_ERROR(Wrap(code));
  return Damaged(path_, std::string("no answer to ") + sql);
}

Result<std::string> SqliteDatabase::Impl::Word(const char* sql) {
  Statement statement;
  OCTET_RETURN_IF_ERROR(Wrap(statement.Prepare(handle_, sql)));
  const int code = statement.Step();
  if (code == SQLITE_ROW) return statement.Text(0);
  OCTET_RETURN_IF_ERROR(Wrap(code));
  return Damaged(path_, std::string("no answer to ") + sql);
}

// The exclusive lock comes first, so that what is read afterwards stays true. SQLite takes it with
// the first access in WAL mode; a file that is new or of another journal mode is locked by BEGIN
// EXCLUSIVE.
Status SqliteDatabase::Impl::Open() {
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  OCTET_RETURN_IF_ERROR(Wrap(sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr)));
  OCTET_RETURN_IF_ERROR(Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF"));
  OCTET_RETURN_IF_ERROR(CheckIdentity());
  OCTET_ASSIGN_OR_RETURN(const std::string mode, Word("PRAGMA journal_mode = WAL"));
  if (mode != "wal") return Unavailable(path_ + ": the file system allows no write-ahead log");
  OCTET_RETURN_IF_ERROR(Execute("PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT"));
  OCTET_RETURN_IF_ERROR(CheckPages());
  OCTET_RETURN_IF_ERROR(CreateSchema());
  return PrepareAll();
}

Status SqliteDatabase::Impl::CheckIdentity() {
  OCTET_ASSIGN_OR_RETURN(const int64_t tables, Number("SELECT count(*) FROM sqlite_schema"));
  OCTET_ASSIGN_OR_RETURN(const int64_t application, Number("PRAGMA application_id"));
  if (application != kApplicationId && (tables > 0 || application != 0)) {
    return FailedPrecondition(path_ +
                              " is a SQLite database of another program; name another file");
  }
  OCTET_ASSIGN_OR_RETURN(const int64_t schema, Number("PRAGMA user_version"));
  if (schema > kSchemaVersion) {
    return FailedPrecondition(path_ + " was written by a newer version of Octet (schema " +
                              std::to_string(schema) + ", this version knows " +
                              std::to_string(kSchemaVersion) +
                              "): use that version or a newer one");
  }
  return Ok();
}

Status SqliteDatabase::Impl::CheckPages() {
  OCTET_ASSIGN_OR_RETURN(const std::string verdict, Word("PRAGMA quick_check(1)"));
  return verdict == "ok" ? Ok() : Damaged(path_, verdict);
}

// In one transaction with the identity: a crash leaves an empty file or a whole one.
Status SqliteDatabase::Impl::CreateSchema() {
  OCTET_ASSIGN_OR_RETURN(const int64_t schema, Number("PRAGMA user_version"));
  if (schema == kSchemaVersion) return Ok();
  OCTET_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  Status made = schema == 0 ? Execute(kSchema) : Ok();
  if (made.ok()) made = Execute(kSchemaChanges);
  if (made.ok()) made = Execute("COMMIT");
  if (!made.ok() && sqlite3_get_autocommit(handle_) == 0) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return made;
}

Status SqliteDatabase::Impl::PrepareAll() {
  upsert_ = std::make_unique<Statement>();
  remove_ = std::make_unique<Statement>();
  add_change_ = std::make_unique<Statement>();
  drop_changes_ = std::make_unique<Statement>();
  set_version_ = std::make_unique<Statement>();
  OCTET_RETURN_IF_ERROR(Wrap(upsert_->Prepare(handle_, kUpsert)));
  OCTET_RETURN_IF_ERROR(Wrap(remove_->Prepare(handle_, kDelete)));
  OCTET_RETURN_IF_ERROR(Wrap(add_change_->Prepare(handle_, kAddChange)));
  OCTET_RETURN_IF_ERROR(Wrap(drop_changes_->Prepare(handle_, kDropChanges)));
  return Wrap(set_version_->Prepare(handle_, kSetVersion));
}

Result<ObjectTable> SqliteDatabase::Impl::ReadAll() {
  OCTET_ASSIGN_OR_RETURN(const int64_t version,
                         Number("SELECT value FROM meta WHERE key = 'version'"));
  OCTET_ASSIGN_OR_RETURN(std::vector<Object> objects, ReadObjects(version));
  OCTET_ASSIGN_OR_RETURN(std::deque<Change> changes, ReadChanges(version));
  return ObjectTable(version, std::move(objects), std::move(changes));
}

Result<std::vector<Object>> SqliteDatabase::Impl::ReadObjects(int64_t version) {
  Statement rows;
  OCTET_RETURN_IF_ERROR(
      Wrap(rows.Prepare(handle_, "SELECT kind, ns, name, resource_version, json FROM objects")));
  std::vector<Object> objects;
  int code = SQLITE_OK;
  while ((code = rows.Step()) == SQLITE_ROW) {
    const std::string row = rows.Text(0) + " " + rows.Text(1) + "/" + rows.Text(2);
    OCTET_ASSIGN_OR_RETURN(Object object, ReadObject(path_, row, rows.Text(4)));
    if (object.meta.resource_version != rows.Int(3) || rows.Int(3) > version) {
      return Damaged(path_, "row " + row + ": its version is " + std::to_string(rows.Int(3)) +
                                ", the database's " + std::to_string(version));
    }
    objects.push_back(std::move(object));
  }
  OCTET_RETURN_IF_ERROR(Wrap(code));
  return objects;
}

// The last changes without a gap, up to `version`. A log that ends before it was written by a
// version that kept none: then there are no changes.
Result<std::deque<Change>> SqliteDatabase::Impl::ReadChanges(int64_t version) {
  Statement rows;
  OCTET_RETURN_IF_ERROR(Wrap(rows.Prepare(handle_,
                                          "SELECT resource_version, type, json, previous FROM "
                                          "changes ORDER BY resource_version DESC")));
  std::deque<Change> changes;
  int code = SQLITE_OK;
  for (int64_t wanted = version; (code = rows.Step()) == SQLITE_ROW; --wanted) {
    if (rows.Int(0) != wanted) return changes;
    const std::string row = "change " + std::to_string(wanted);
    Change change{.type = static_cast<ChangeType>(rows.Int(1)), .object = {}, .previous = {}};
    OCTET_ASSIGN_OR_RETURN(Object object, ReadObject(path_, row, rows.Text(2)));
    change.object = std::make_shared<const Object>(std::move(object));
    if (!rows.IsNull(3)) {
      OCTET_ASSIGN_OR_RETURN(Object previous, ReadObject(path_, row, rows.Text(3)));
      change.previous = std::make_shared<const Object>(std::move(previous));
    }
    changes.push_front(std::move(change));
  }
  OCTET_RETURN_IF_ERROR(Wrap(code));
  return changes;
}

int SqliteDatabase::Impl::WriteRow(const Change& change, const std::string& json) {
  const Object& object = *change.object;
  const std::string& kind = InfoOf(object.kind).name;
  Statement& statement = change.type == ChangeType::kDeleted ? *remove_ : *upsert_;
  statement.Bind(1, kind);
  statement.Bind(2, object.meta.ns);
  statement.Bind(3, object.meta.name);
  if (change.type == ChangeType::kDeleted) return statement.Run();
  statement.Bind(4, object.meta.uid);
  statement.Bind(5, object.meta.resource_version);
  statement.Bind(6, json);
  return statement.Run();
}

int SqliteDatabase::Impl::WriteChange(const Change& change, const std::string& json) {
  const std::string previous =
      change.previous == nullptr ? "" : WriteCanonicalJson(EncodeObject(*change.previous));
  add_change_->Bind(1, change.version());
  add_change_->Bind(2, static_cast<int64_t>(change.type));
  add_change_->Bind(3, json);
  if (change.previous == nullptr) {
    add_change_->BindNull(4);
  } else {
    add_change_->Bind(4, previous);
  }
  return add_change_->Run();
}

Status SqliteDatabase::Impl::WriteRows(const TransactionPlan& plan) {
  OCTET_RETURN_IF_ERROR(Execute("BEGIN IMMEDIATE"));
  for (const Change& change : plan.changes) {
    const std::string json = WriteCanonicalJson(EncodeObject(*change.object));
    OCTET_RETURN_IF_ERROR(Wrap(WriteRow(change, json)));
    OCTET_RETURN_IF_ERROR(Wrap(WriteChange(change, json)));
  }
  // As many old ones go as new ones came, so that no transaction pays for many.
  drop_changes_->Bind(1, plan.version - static_cast<int64_t>(limits::kWatchHistoryMax));
  OCTET_RETURN_IF_ERROR(Wrap(drop_changes_->Run()));
  set_version_->Bind(1, plan.version);
  OCTET_RETURN_IF_ERROR(Wrap(set_version_->Run()));
  return Execute("COMMIT");
}

// After a failed sync the kernel may have dropped what it could not write and call the next sync a
// success (the lesson of PostgreSQL's "fsyncgate"), and a commit record may or may not be on the
// disk. Going on would build on sand: this handle writes no more.
Status SqliteDatabase::Impl::GiveUp(Status status) {
  if (status.code() == StatusCode::kResourceExhausted) return status;
  if (status.code() != StatusCode::kDataLoss) {
    status = Unavailable(status.message() +
                         ". The store takes no more writes; look at the disk and start again");
  }
  broken_ = status;
  return status;
}

Status SqliteDatabase::Impl::Write(const TransactionPlan& plan) {
  if (!broken_.ok()) return broken_;
  if (plan.changes.empty()) return Ok();
  Status written = WriteRows(plan);
  if (written.ok()) return written;
  if (sqlite3_get_autocommit(handle_) == 0) {
    const Status undone = Execute("ROLLBACK");
    if (!undone.ok()) written = undone;
  }
  return GiveUp(std::move(written));
}

SqliteDatabase::SqliteDatabase(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteDatabase::~SqliteDatabase() = default;

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::Open(const std::string& path) {
  auto impl = std::make_unique<Impl>(path);
  OCTET_RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<SqliteDatabase>(new SqliteDatabase(std::move(impl)));
}

Result<ObjectTable> SqliteDatabase::ReadAll() { return impl_->ReadAll(); }
Status SqliteDatabase::Write(const TransactionPlan& plan) { return impl_->Write(plan); }

}  // namespace octet
