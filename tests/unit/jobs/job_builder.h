// Builders of jobs for tests of their life. Values.
#pragma once

#include <string>

#include "coordinator/jobs/lifecycle.h"

namespace octet {

inline const TimePoint kStart = ParseTime("2026-12-01T12:00:00Z").value();

inline TrainingJob MakeJob() {
  TrainingJob job;
  job.meta.name = "digits";
  job.meta.ns = "default";
  job.meta.uid = "uid-1";
  job.meta.generation = 1;
  job.spec.user = UserName("alice");
  job.spec.grace_period = std::chrono::seconds(30);
  job.spec.backoff_limit = 3;
  return job;
}

inline JobSession MakeJobSession(TimePoint now = kStart) {
  JobSession session;
  session.uid = SessionUid("session-1");
  session.name = "digits-1";
  session.boards = {BoardId("local-0"), BoardId("local-1")};
  session.grant = std::chrono::hours(1);
  session.started = now;
  return session;
}

inline SessionEnd MakeEnd(Fence fence, SessionEndCause cause) {
  SessionEnd end;
  end.fence = fence;
  end.cause = cause;
  end.charged = BoardMillis(1000);
  return end;
}

inline JobReport MakeReport(int64_t step, const std::string& checkpoint = "",
                            int64_t checkpoint_step = 0) {
  JobReport report{.checkpoint_path = checkpoint, .checkpoint_step = checkpoint_step};
  report.progress.step = step;
  return report;
}

// The job with the status that the transition gives it.
inline TrainingJob With(TrainingJob job, const Transition& transition) {
  job.status = transition.status;
  if (transition.suspend_spec) {
    job.spec.suspend = true;
    ++job.meta.generation;
  }
  return job;
}

inline TrainingJob Admitted(const TrainingJob& job) {
  return With(job, AdmitJob(job, MakeJobSession(), kStart));
}

inline TrainingJob Running(const TrainingJob& job) {
  const TrainingJob admitted = Admitted(job);
  return With(admitted, MarkRunning(admitted, admitted.status.fence, kStart));
}

inline TrainingJob EndedWith(const TrainingJob& job, SessionEndCause cause) {
  return With(job, EndJobSession(job, MakeEnd(job.status.fence, cause), kStart));
}

}  // namespace octet
