// The progress controller: what workers report becomes the job's status, at most once in
// limits::kProgressInterval, and lines of its log.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

// A report of a live session; one of no live session changes nothing.
void NoteReport(ControlContext& context, const StepReported& event);
// Writes what is new and due: BoardsReady and Running at once.
void WriteProgress(ControlContext& context);

// A worker's report as the job's core takes it. Figures that it does not have keep those of
// `before`.
JobReport ReadReport(const control::StepReport& report, const TrainingJobStatus& before);
// Adds a report of a board to what the session is known to have done.
void MergeReport(const BoardId& board, const control::StepReport& newer, LiveSession& live);

}  // namespace octet
