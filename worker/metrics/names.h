// Every metric of a worker: its name, its unit (the name's ending) and what it says. Nothing else
// in the worker spells a metric's name. None carries a job, user or session as a label: their
// number is unbounded.
#pragma once

#include <array>

namespace octet {

struct MetricName {
  const char* name;
  const char* help;
};

inline constexpr MetricName kBuildInfo{
    "octet_build_info", "Always 1; the labels say which program and version this is."};
inline constexpr MetricName kWorkerSteps{"octet_worker_steps_total",
                                         "Training steps that this board has done."};
inline constexpr MetricName kWorkerExamples{
    "octet_worker_examples_total", "Training examples that this board's cores have worked on."};
inline constexpr MetricName kWorkerLoss{
    "octet_worker_loss",
    "Mean training loss over the examples of the running epoch so far; absent while idle."};
inline constexpr MetricName kWorkerStepSeconds{
    "octet_worker_step_seconds", "Wall time of a training step, all-reduce included."};
inline constexpr MetricName kWorkerAllReduceSeconds{
    "octet_worker_all_reduce_seconds",
    "Part of a training step's wall time that went into the all-reduce, in and between boards."};
inline constexpr MetricName kWorkerAllReduceBytes{
    "octet_worker_all_reduce_bytes_total",
    "Bytes that this board has sent and received in all-reduces between boards."};
inline constexpr MetricName kBoardMxu{
    "octet_board_mxu_ratio",
    "Share of wall time in which the emulated cores computed, 0 to 1. Measured as busy time of the "
    "host's "
    "threads, not as a real TPU's matrix unit. Absent where nothing ran."};
inline constexpr MetricName kBoardIdle{"octet_board_idle_ratio",
                                       "Share of wall time in which the emulated cores waited for "
                                       "input or for other boards, 0 to 1. Measured "
                                       "on the host. Absent where nothing ran."};
inline constexpr MetricName kBoardHbmUsed{
    "octet_board_hbm_used_bytes",
    "High-bandwidth memory of one core that the running job is accounted."};
inline constexpr MetricName kBoardHbmLimit{"octet_board_hbm_limit_bytes",
                                           "High-bandwidth memory that one emulated core has."};
inline constexpr MetricName kWorkerCheckpoints{"octet_worker_checkpoints_total",
                                               "Checkpoints that this worker has written durably."};
inline constexpr MetricName kWorkerStaleFrames{
    "octet_worker_stale_frames_total",
    "Frames of an older assignment that arrived from other boards and were dropped."};

inline constexpr std::array kAllWorkerMetrics = {kBuildInfo,
                                                 kWorkerSteps,
                                                 kWorkerExamples,
                                                 kWorkerLoss,
                                                 kWorkerStepSeconds,
                                                 kWorkerAllReduceSeconds,
                                                 kWorkerAllReduceBytes,
                                                 kBoardMxu,
                                                 kBoardIdle,
                                                 kBoardHbmUsed,
                                                 kBoardHbmLimit,
                                                 kWorkerCheckpoints,
                                                 kWorkerStaleFrames};

}  // namespace octet
