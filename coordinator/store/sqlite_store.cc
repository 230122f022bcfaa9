// The SQLite store: every object in memory for readers, and one writer thread that owns the
// database.
//
// A transaction waits in a queue, is planned against the memory, written, and only then shown to
// readers; they never wait for the disk. Only the writer thread changes the memory, so that a plan
// stays true while it is being written.
#include <future>
#include <utility>

#include "coordinator/store/sqlite_database.h"
#include "coordinator/store/table_store.h"
#include "shared/base/bounded_queue.h"
#include "shared/base/limits.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

class SqliteStore final : public TableStore {
 public:
  SqliteStore() : queue_(limits::kStoreQueueMax) {}
  ~SqliteStore() override { queue_.Close(); }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  // Once, before anything else.
  Status Open(const std::string& path) {
    std::promise<Status> opened;
    std::future<Status> outcome = opened.get_future();
    writer_.emplace("store", [this, path, opened = &opened] { Run(path, *opened); });
    return outcome.get();
  }

  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override {
    Transaction transaction{.writes = &writes, .outcome = {}};
    std::future<Result<std::vector<Object>>> outcome = transaction.outcome.get_future();
    CHECK(queue_.Push(std::move(transaction))) << "a commit to a store that is being destroyed";
    return outcome.get();
  }

 private:
  struct Transaction {
    const std::vector<Write>* writes;  // The caller waits, so that they live.
    std::promise<Result<std::vector<Object>>> outcome;
  };

  // The writer thread: the database lives and dies here.
  void Run(const std::string& path, std::promise<Status>& opened) {
    Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::Open(path);
    if (!database.ok()) return opened.set_value(database.status());
    Result<ObjectTable> table = (*database)->ReadAll();
    if (!table.ok()) return opened.set_value(table.status());
    Load(std::move(*table));
    opened.set_value(Ok());
    while (std::optional<Transaction> transaction = queue_.Pop()) {
      transaction->outcome.set_value(Execute(**database, *transaction->writes));
    }
  }

  Result<std::vector<Object>> Execute(SqliteDatabase& database, const std::vector<Write>& writes) {
    OCTET_ASSIGN_OR_RETURN(TransactionPlan plan, Plan(writes));
    OCTET_RETURN_IF_ERROR(database.Write(plan));
    Apply(plan);
    return std::move(plan.results);
  }

  BoundedQueue<Transaction> queue_;
  std::optional<Thread> writer_;  // Last: joined before what it uses is gone.
};

}  // namespace

Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path) {
  auto store = std::make_unique<SqliteStore>();
  OCTET_RETURN_IF_ERROR(store->Open(path));
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace octet
