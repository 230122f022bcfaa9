#include "coordinator/first_pool.h"

#include "coordinator/controllers/pools.h"
#include "shared/base/limits.h"
#include "shared/objects/board.h"

namespace octet {
namespace {

Status TryEnsurePool(Store& store, const CoordinatorFlags& flags, int64_t slices,
                     const std::string& uid, TimePoint now) {
  const ObjectKey key{.kind = Kind::kSlicePool, .name = flags.pool};
  const Result<Object> found = store.Get(key);
  if (!found.ok() && found.status().code() != StatusCode::kNotFound) return found.status();
  Object pool;
  pool.kind = Kind::kSlicePool;
  if (found.ok()) {
    pool = *found;
  } else {
    pool.meta.name = flags.pool;
    pool.meta.uid = uid;
    pool.meta.created = now;
  }
  pool.spec.Set("acceleratorType", flags.pool_type);
  pool.spec.Set("replicas", slices);
  if (!found.ok()) return store.Commit({CreateObject{std::move(pool)}}).status();
  const int64_t version = pool.meta.resource_version;
  return store.Commit({UpdateObject{.object = std::move(pool), .expected_version = version}})
      .status();
}

}  // namespace

Status EnsurePool(Store& store, const CoordinatorFlags& flags, const std::string& uid,
                  TimePoint now) {
  if (!flags.boards) return Ok();
  OCTET_ASSIGN_OR_RETURN(const int64_t slices, SlicesFor(flags.pool_type, *flags.boards));
  Status status = Ok();
  for (int attempt = 0; attempt < limits::kCommitAttemptsMax; ++attempt) {
    status = TryEnsurePool(store, flags, slices, uid, now);
    if (status.code() != StatusCode::kAborted) break;
  }
  return status;
}

Result<int64_t> CountBoards(const Store& store) {
  OCTET_ASSIGN_OR_RETURN(const Snapshot pools, store.List(Kind::kSlicePool, ""));
  int64_t boards = 0;
  for (const Object& object : pools.objects) {
    const Result<SlicePool> pool = DecodeSlicePool(object);
    if (pool.ok()) boards += BoardsOf(*pool);
  }
  return boards;
}

}  // namespace octet
