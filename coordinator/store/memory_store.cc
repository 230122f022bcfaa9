#include "coordinator/store/shared_index.h"
#include "coordinator/store/store.h"

namespace octet {
namespace {

class MemoryStore final : public Store {
 public:
  Result<Object> Get(const ObjectKey& key) const override { return index_.Get(key); }
  Result<Snapshot> List(Kind kind, const std::string& ns) const override {
    return index_.List(kind, ns);
  }
  Result<Snapshot> All() const override { return index_.All(); }
  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override {
    return index_.Commit(writes, [](const std::vector<Change>&, int64_t) { return Ok(); });
  }
  Result<std::vector<Change>> ChangesSince(int64_t version) const override {
    return index_.ChangesSince(version);
  }
  int64_t WaitForChange(int64_t version, Duration wait) const override {
    return index_.WaitForChange(version, wait);
  }

 private:
  SharedIndex index_;
};

}  // namespace

std::unique_ptr<Store> MakeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace octet
