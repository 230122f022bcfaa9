// Every bound of the system in one place, each with its reason. A queue, retry, message, loop or
// wait without a name here is a mistake.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "shared/base/time.h"

namespace octet::limits {

using namespace std::chrono_literals;

// Membership.

// A worker says that it is alive this often; three lost messages are noise.
inline constexpr Duration kHeartbeatInterval = 1s;
// A worker that has not been heard for this long is lost. Five intervals: a laptop's scheduler can
// starve a process for two or three.
inline constexpr Duration kHeartbeatTimeout = 5s;
// A gang that has not acknowledged its assignment by then is taken back.
inline constexpr Duration kAssignTimeout = 30s;
// A control message that needs an answer is sent again after this long.
inline constexpr Duration kResendInterval = 500ms;
// After a restart the coordinator waits this long for the workers of open sessions to come back.
inline constexpr Duration kReconnectWindow = 10s;

// Boards of one pool: 1,024 slices of the largest type.
inline constexpr int64_t kPoolBoardsMax = 1024 * 256;

// Sessions and quota.

// The sign of life of an open session is persisted at least this often; what a crash can hide.
inline constexpr Duration kSignOfLifeInterval = 10s;
inline constexpr Duration kWeeklyQuotaDefault = 30h;
inline constexpr Duration kSessionQuotaDefault = 3h;
// No session is granted more, and none counts for more; bounds every loop over its weeks.
inline constexpr Duration kSessionLengthMax = 24h * 366;

// Collectives.

// An all-reduce that makes no progress for this long fails on every board.
inline constexpr Duration kCollectiveDeadline = 10s;
// Payload chunk between boards: below 256 KiB the cost per message shows, above 1 MiB nothing is
// won.
inline constexpr size_t kCollectiveChunkBytes = 512 * 1024;
// Up to this size one board reduces for all (a star): fewer messages beat balanced bandwidth.
inline constexpr size_t kCollectiveStarBytes = 64 * 1024;
// Chunks that a board sends to another before the first result is back: enough to fill the line
// while the other adds, little enough for a slow board to hold.
inline constexpr int kChunkWindow = 8;
// Frames of gangs that this worker has not joined yet, kept for when it does: one join a board.
inline constexpr size_t kGangFramesWaitingMax = 4096;
// One frame between boards: a chunk with the roots of an uneven board.
inline constexpr size_t kDataFrameBytesMax = 16 * 1024 * 1024;
// Frames queued for one peer; the window keeps them far below.
inline constexpr int kDataQueueFramesMax = 256;
// A stopped or unreachable board is lost after this; a starved laptop's I/O threads answer sooner.
inline constexpr Duration kDataHeartbeatInterval = 500ms;
inline constexpr Duration kDataHeartbeatTimeout = 3s;
// After a lost connection to a board its own frames, on another connection, may still be arriving.
inline constexpr Duration kPeerLossGrace = 50ms;
// The last results of a gang go out for at most this long after it is left.
inline constexpr Duration kDataLinger = 2s;
// A waiting collective asks this often whether it is to stop.
inline constexpr Duration kInterruptInterval = 100ms;
// What rank 0 may give the other boards at once: weights and optimizer state of a large model.
inline constexpr uint64_t kBroadcastBytesMax = uint64_t{64} * 1024 * 1024 * 1024;
// Boards of one job: a v3-2048 has 256.
inline constexpr int kSliceBoardsMax = 256;

// Messages and files.

// One control message, log lines included.
inline constexpr size_t kControlMessageBytesMax = 4 * 1024 * 1024;
// A request body or a manifest file: etcd's own limit is 1.5 MiB for an object.
inline constexpr size_t kManifestBytesMax = 3 * 1024 * 1024;
// Nesting of a YAML or JSON document; deeper is an attack, not a job.
inline constexpr int kManifestDepthMax = 64;
// Values in a YAML file, those that aliases repeat included: a large job has some hundred, and each
// costs some fifty bytes of memory.
inline constexpr size_t kManifestNodesMax = 100'000;
// Faults listed for one file; after that, "and N more".
inline constexpr size_t kFaultsMax = 100;
// Faults counted for one file: counting on for ever would let a hostile text cost minutes.
inline constexpr size_t kFaultsCountedMax = 1000;
// A data file that a worker reads whole into memory.
inline constexpr size_t kDataFileBytesMax = size_t{2} * 1024 * 1024 * 1024;
// Log of one job kept by the coordinator; older lines are dropped from the front.
inline constexpr size_t kJobLogBytesMax = 4 * 1024 * 1024;
// Checkpoints kept for a job.
inline constexpr int kCheckpointsKept = 3;

// Loops.

// The control loop runs at least this often, for timers; events wake it at once.
inline constexpr Duration kControlTick = 200ms;
// Status of a running job is written at most this often.
inline constexpr Duration kProgressInterval = 1s;
// A plan that loses the race for its transaction is decided again at most this many times a tick.
inline constexpr int kCommitAttemptsMax = 5;
// Changes kept in memory for watchers; a watcher further behind must list again.
inline constexpr size_t kWatchHistoryMax = 10'000;

// Operations of one JSON patch: each may copy a whole document. kube-apiserver's own limit.
inline constexpr size_t kJsonPatchOperationsMax = 10'000;
// Bytes of events that one watch sends before others have their turn.
inline constexpr size_t kWatchPartBytesMax = 256 * 1024;
// A watch that asks for bookmarks gets one this often while nothing else happens.
inline constexpr Duration kBookmarkInterval = 60s;

// The API server, plain HTTP.
//
// Connections at one time: 5,000 watches and what comes and goes beside them. Where the system
// allows fewer files, fewer, but never less than the least; the connection that idled for longest
// makes room for a new one.
inline constexpr size_t kHttpConnectionsMax = 6000;
inline constexpr size_t kHttpConnectionsMin = 100;
// Files that the coordinator opens besides: database, logs, sockets of workers and of metrics.
inline constexpr uint64_t kFilesBesideHttp = 600;
// Request line and headers; kubectl's stay below 4 KiB.
inline constexpr uint32_t kHttpHeaderBytesMax = 16 * 1024;
// Between two requests of one connection. Clients keep one for a follow-up for about as long.
inline constexpr Duration kHttpIdleTimeout = 90s;
// From the first byte of a request to the end of its headers; slower is an attack.
inline constexpr Duration kHttpHeaderTimeout = 10s;
// From the headers to the end of the body, and for taking an answer: kManifestBytesMax at 100
// KiB/s.
inline constexpr Duration kHttpBodyTimeout = 30s;
// At a stop, answers under way have this long to leave.
inline constexpr Duration kHttpStopGrace = 1s;
// After an accept failed for want of file descriptors, the next try waits this long.
inline constexpr Duration kHttpAcceptPause = 100ms;
// Log text in one answer; a follower asks again from where it ended.
inline constexpr size_t kLogAnswerBytesMax = 1024 * 1024;

// The store.
//
// Transactions that wait for the writer thread; more callers than that wait for room.
inline constexpr size_t kStoreQueueMax = 64;

}  // namespace octet::limits
