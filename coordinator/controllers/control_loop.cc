#include "coordinator/controllers/control_loop.h"

#include "coordinator/controllers/admission.h"
#include "coordinator/controllers/assignments.h"
#include "coordinator/controllers/departures.h"
#include "coordinator/controllers/figures.h"
#include "coordinator/controllers/garbage.h"
#include "coordinator/controllers/loss.h"
#include "coordinator/controllers/pools.h"
#include "coordinator/controllers/progress.h"
#include "coordinator/controllers/quotas.h"
#include "coordinator/controllers/sessions.h"
#include "shared/base/limits.h"
#include "shared/base/log.h"
#include "shared/base/thread.h"

namespace octet {
namespace {

// Applies an event of the fleet.
struct EventVisitor {
  ControlContext& context;
  void operator()(const WorkerRegistered& event) const { NoteRegistered(context, event); }
  void operator()(const AssignAnswered& event) const { NoteAnswer(context, event); }
  void operator()(const StepReported& event) const { NoteReport(context, event); }
  void operator()(const AssignmentEnded& event) const { NoteEnd(context, event); }
};

}  // namespace

Result<std::unique_ptr<ControlLoop>> ControlLoop::Make(const ControlSeams& seams) {
  std::unique_ptr<ControlLoop> loop(new ControlLoop(seams));
  OCTET_RETURN_IF_ERROR(loop->context_.world.Refresh(seams.store));
  OCTET_RETURN_IF_ERROR(MakeNamespaces(loop->context_));
  FollowOpenSessions(loop->context_, /*fresh=*/false);
  return loop;
}

void ControlLoop::Hear(const FromWorker& message) {
  const auto event = context_.fleet.OnMessage(message, context_.clock.Monotonic());
  if (event) std::visit(EventVisitor{context_}, *event);
}

void ControlLoop::Round(Duration wait) {
  for (const FromWorker& message : link_.Receive(wait)) Hear(message);
  const Status read = context_.world.Refresh(context_.store);
  if (!read.ok()) {
    // Nothing can be decided without the objects; workers keep to their grants by themselves.
    context_.Warn("the store cannot be read: " + read.ToString());
    return;
  }
  FollowOpenSessions(context_, /*fresh=*/true);
  FollowPools(context_);
  EndSessions(context_);
  EndLostSessions(context_);
  FollowDepartures(context_);
  EndSessions(context_);
  WriteProgress(context_);
  SignSessions(context_);
  ShowBoards(context_);
  AdmitJobs(context_);
  FollowOpenSessions(context_, /*fresh=*/true);
  AssignBoards(context_);
  CollectGarbage(context_);
  context_.fleet.OnTick(context_.clock.Monotonic());
  ShowQuotas(context_);
  ShowFigures(context_);
}

void ControlLoop::Run() {
  // A change of an object (by the API) ends the wait for messages.
  Thread watcher("octet-watch", [this] {
    int64_t version = 0;
    while (!stop_) {
      const int64_t now = context_.store.WaitForChange(version, limits::kControlTick);
      if (now > version) link_.Wake();
      version = now;
    }
  });
  while (!stop_) Round(limits::kControlTick);
  watcher.Join();
  Drain();
}

void ControlLoop::Drain() {
  context_.draining = true;
  const MonotonicTime limit = context_.clock.Monotonic() + kStopLimit;
  do {
    Round(limits::kControlTick / 4);
  } while (!context_.provider.Running().empty() && context_.clock.Monotonic() < limit);
}

void ControlLoop::Stop() {
  stop_ = true;
  link_.Wake();
}

}  // namespace octet
