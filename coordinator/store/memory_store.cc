#include <mutex>
#include <utility>

#include "coordinator/store/table_store.h"

namespace octet {
namespace {

class MemoryStore final : public TableStore {
 public:
  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override {
    std::lock_guard lock(commit_);
    OCTET_ASSIGN_OR_RETURN(TransactionPlan plan, Plan(writes));
    Apply(plan);
    return std::move(plan.results);
  }

 private:
  std::mutex commit_;  // Over both halves of a transaction.
};

}  // namespace

std::unique_ptr<Store> MakeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace octet
