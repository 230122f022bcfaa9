// The pools' controller: from SlicePool objects to wanted boards to worker processes, and the Board
// objects that show what became of them.
//
// A board is Ready when its worker is registered and holds nothing: only then is it given out
// again.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

// What the pools want, told to the provider; and what its processes have done since, told to the
// fleet.
void FollowPools(ControlContext& context);
// Creates, updates and deletes Board objects and the pools' status. Figures of usage alone are
// written every two seconds at most.
void ShowBoards(ControlContext& context);

// Boards that a pool wants: one for each board of each slice.
int64_t BoardsOf(const SlicePool& pool);

}  // namespace octet
