// Bounds of the worker's control side, each with its reason.
#pragma once

#include <cstddef>

#include "shared/base/time.h"

namespace octet {

// Log lines kept while the coordinator does not know this worker; older ones are dropped.
inline constexpr int kHeldLogLinesMax = 1000;
// Jobs whose newest fence is remembered. An Assign that is late by this many jobs cannot be on its
// way.
inline constexpr size_t kRememberedJobsMax = 256;
// Ends that wait for their acknowledgement; a coordinator that comes back asks about the newest
// first.
inline constexpr size_t kPendingEndsMax = 16;
// A session that was stopped hard ends within a step and a collective's deadline, or never.
inline constexpr Duration kHardStopWait = std::chrono::seconds(30);
// On SIGTERM: time for the last checkpoint, and the time after which the process ends in any case.
// The coordinator gives its workers ten seconds.
inline constexpr Duration kShutdownGrace = std::chrono::seconds(7);
inline constexpr Duration kShutdownWaitMax = std::chrono::milliseconds(9000);
// Events of the session (reports, its end) that wait for the agent's thread.
inline constexpr size_t kAgentEventsMax = 256;

}  // namespace octet
