// The pool that `--boards N` asks for: made at the first start, brought to that size at later ones.
#pragma once

#include "coordinator/flags.h"
#include "coordinator/store/store.h"

namespace octet {

// Nothing to do without flags.boards. `uid` is for a new object.
Status EnsurePool(Store& store, const CoordinatorFlags& flags, const std::string& uid,
                  TimePoint now);

// Boards that all pools of the store ask for.
Result<int64_t> CountBoards(const Store& store);

}  // namespace octet
