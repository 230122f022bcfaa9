#include "tests/scenario/coordinator/simulated_cluster.h"

#include <algorithm>

#include "shared/base/limits.h"
#include "shared/objects/json.h"
#include "shared/objects/kinds.h"

namespace octet {
namespace {

constexpr Duration kTurn = std::chrono::milliseconds(100);

// A Tuesday, far from the week's ends.
TimePoint StartOfTime() { return ParseTime("2026-12-01T06:00:00Z").value(); }

Object Check(const std::string& json) {
  Faults faults;
  Object object = CheckDocument(ReadJson(json).value(), faults);
  CHECK(faults.empty()) << FormatFaults("document", faults);
  return object;
}

}  // namespace

Result<std::vector<Object>> TroubledStore::Commit(const std::vector<Write>& writes) {
  if (broken) return ResourceExhausted("the disk is full");
  if (!raced_job.empty()) {
    const Result<Object> found =
        base_->Get({.kind = Kind::kTrainingJob, .ns = "default", .name = raced_job});
    raced_job.clear();
    Object object = found.value();
    object.meta.labels["raced"] = "yes";
    CHECK(base_->Commit({UpdateObject{.object = object}}).ok());
  }
  if (!writes.empty()) ++commits;
  return base_->Commit(writes);
}

SimulatedCluster::SimulatedCluster(int64_t boards)
    : clock(StartOfTime()), store(std::make_unique<TroubledStore>(MakeMemoryStore())) {
  Object pool = Check(R"({"apiVersion": "octet.dev/v1", "kind": "SlicePool",
    "metadata": {"name": "local"}, "spec": {"acceleratorType": "v3-8", "replicas": )" +
                      std::to_string(boards) + "}}");
  pool.meta.uid = "pool";
  CHECK(store->Commit({CreateObject{pool}}).ok());
  for (const char* folder : {"/home/logs/jobs", "/home/prometheus", "/home/checkpoints"}) {
    CHECK(files.CreateDirectories(folder).ok());
  }
  StartCoordinator();
  CHECK(Until([&] { return BoardsIn(BoardState::kReady) == static_cast<size_t>(boards); }));
}

void SimulatedCluster::StartCoordinator() {
  link = std::make_unique<SimulatedLink>();
  metrics = std::make_unique<CoordinatorMetrics>("test");
  loop = ControlLoop::Make({.store = *store,
                            .link = *link,
                            .provider = provider,
                            .clock = clock,
                            .files = files,
                            .metrics = *metrics,
                            .home = "/home",
                            .random = Random(static_cast<uint64_t>(store->commits) + 1)})
             .value();
}

void SimulatedCluster::CrashCoordinator() { loop.reset(); }

void SimulatedCluster::Step(Duration length) {
  for (Duration passed{}; passed < length; passed += kTurn) {
    clock.Advance(kTurn);
    for (auto& [board, worker] : workers) TakeTurn(*worker);
    if (loop != nullptr) loop->Round(Duration(0));
    FollowProvider();
  }
}

// Processes as the provider has them: new ones register, ended ones are gone.
void SimulatedCluster::FollowProvider() {
  const std::vector<BoardId> running = provider.Running();
  std::erase_if(workers, [&](const auto& entry) {
    return std::find(running.begin(), running.end(), entry.first) == running.end();
  });
  for (const WantedBoard& wanted : provider.wanted()) {
    const bool runs = std::find(running.begin(), running.end(), wanted.board) != running.end();
    if (!runs || workers.contains(wanted.board)) continue;
    const uint64_t incarnation = ++incarnations_;
    workers[wanted.board] = std::make_unique<SimulatedWorker>(SimulatedWorker{
        .agent =
            AgentCore({.board = wanted.board,
                       .pool = wanted.pool,
                       .ordinal = wanted.ordinal,
                       .incarnation = incarnation,
                       .data_endpoint = "tcp://127.0.0.1:" + std::to_string(40'000 + incarnation),
                       .metrics_address = "127.0.0.1:" + std::to_string(50'000 + incarnation),
                       .version = "test",
                       .host = "localhost",
                       .pid = static_cast<int64_t>(incarnation)}),
        .peer = wanted.board.str()});
  }
}

void SimulatedCluster::Perform(SimulatedWorker& worker, AgentActions actions) {
  if (actions.stop) worker.stop = actions.stop;
  if (actions.start) {
    worker.training = actions.start;
    worker.taken = clock.Monotonic();
    worker.step = checkpoints[JobUid(actions.start->job_uid())];
    worker.reported = -1;
    worker.stop.reset();
  }
  if (loop == nullptr || worker.cut) return;
  for (const control::WorkerMessage& message : actions.send) {
    for (int copy = 0; copy < (repeat_messages ? 3 : 1); ++copy)
      link->FromPeer(worker.peer, message);
  }
}

void SimulatedCluster::TakeTurn(SimulatedWorker& worker) {
  const MonotonicTime now = clock.Monotonic();
  for (const control::CoordinatorMessage& message : link->TakeSent(worker.peer)) {
    if (loop == nullptr || worker.cut) continue;
    if (message.has_end_ack()) ++end_acks[BoardId(worker.peer)];
    Perform(worker, worker.agent.OnMessage(message, now));
  }
  Perform(worker, worker.agent.OnTick(now));
  if (worker.training) Train(worker);
}

void SimulatedCluster::Train(SimulatedWorker& worker) {
  const control::Assign& assign = *worker.training;
  if (worker.hung) return;
  if (jobs_fail) return EndTraining(worker, control::FAILED, "a label is out of range");
  if (worker.stop) return EndTraining(worker, control::STOPPED, worker.stop->reason);
  const Duration ran = std::chrono::floor<Duration>(clock.Monotonic() - worker.taken);
  if (ran.count() >= assign.grant_millis() - assign.grace_millis()) {
    return EndTraining(worker, control::GRANT_REACHED, "");
  }
  worker.step = std::min(worker.step + steps_per_turn, total_steps);
  Report(worker);
  if (worker.step >= total_steps) EndTraining(worker, control::COMPLETED, "");
}

void SimulatedCluster::Report(SimulatedWorker& worker) {
  control::StepReport report;
  report.set_fence(worker.training->fence());
  report.set_running(true);
  report.set_step(worker.step);
  report.set_total_steps(total_steps);
  report.set_loss(1.0 / static_cast<double>(worker.step + 1));
  report.set_accuracy(0.5);
  if (worker.training->rank() == 0) {
    report.add_log_lines("step " + std::to_string(worker.step));
    if (worker.step % 5 == 0) {
      report.mutable_checkpoint()->set_step(worker.step);
      report.mutable_checkpoint()->set_path(worker.training->checkpoint_folder());
      checkpoints[JobUid(worker.training->job_uid())] = worker.step;
    }
  }
  Perform(worker, worker.agent.OnReport(std::move(report), clock.Monotonic()));
}

void SimulatedCluster::EndTraining(SimulatedWorker& worker, control::EndReason reason,
                                   const std::string& text) {
  control::AssignmentEnd end;
  end.set_fence(worker.training->fence());
  end.set_reason(reason);
  end.set_message(text);
  if (reason == control::COMPLETED && worker.training->rank() == 0) end.set_weights_sha256("beef");
  const bool saves =
      reason != control::FAILED && !(worker.stop && worker.stop->grace == Duration(0));
  if (saves && worker.training->rank() == 0) {
    checkpoints[JobUid(worker.training->job_uid())] = worker.step;
    end.mutable_last()->mutable_checkpoint()->set_step(worker.step);
    end.mutable_last()->mutable_checkpoint()->set_path(worker.training->checkpoint_folder());
    end.mutable_last()->set_step(worker.step);
    end.mutable_last()->set_total_steps(total_steps);
  }
  worker.training.reset();
  Perform(worker, worker.agent.OnSessionEnd(std::move(end), clock.Monotonic()));
}

void SimulatedCluster::Submit(const std::string& name, const std::string& accelerator,
                              const std::string& more) {
  Object job = Check(R"({"apiVersion": "octet.dev/v1", "kind": "TrainingJob",
    "metadata": {"name": ")" +
                     name + R"("}, "spec": {"user": "alice", "accelerator": {"type": ")" +
                     accelerator + R"("},
    "model": {"layers": [{"dense": {"units": 3, "activation": "softmax"}}]},
    "data": {"train": {"format": "csv", "files": ["/data/iris.csv"], "target": "species"}},
    "training": {"batchSize": 32, "epochs": 2, "loss": "sparse_categorical_crossentropy"})" +
                     (more.empty() ? "" : ", " + more) + "}}");
  job.meta.uid = "job-" + name + "-" + std::to_string(++uids_);
  job.meta.created = clock.Now();
  CHECK(store->Commit({CreateObject{job}}).ok());
}

void SimulatedCluster::SubmitQuota(const std::string& user, const std::string& weekly) {
  Object quota =
      Check(R"({"apiVersion": "octet.dev/v1", "kind": "UserQuota", "metadata": {"name": ")" + user +
            R"("}, "spec": {"user": ")" + user + R"(", "weekly": ")" + weekly + R"("}})");
  quota.meta.uid = "quota-" + user;
  CHECK(store->Commit({CreateObject{quota}}).ok());
}

void SimulatedCluster::SetSpec(const std::string& job, const std::string& field, Value value) {
  Object object = JobObject(job);
  object.spec.Set(field, std::move(value));
  CHECK(store->Commit({UpdateObject{.object = object}}).ok());
}

// As the API does it.
void SimulatedCluster::Delete(const std::string& job) {
  Object object = JobObject(job);
  if (object.meta.finalizers.empty()) {
    CHECK(store->Commit({DeleteObject{.key = KeyOf(object)}}).ok());
    return;
  }
  object.meta.deleted = clock.Now();
  CHECK(store->Commit({UpdateObject{.object = object}}).ok());
}

void SimulatedCluster::Scale(int64_t replicas) {
  Object pool = store->Get({.kind = Kind::kSlicePool, .name = "local"}).value();
  pool.spec.Set("replicas", replicas);
  CHECK(store->Commit({UpdateObject{.object = pool}}).ok());
}

void SimulatedCluster::Kill(const std::string& board) {
  workers.erase(BoardId(board));
  (void)link->TakeSent(board);
  provider.End(BoardId(board), "was ended by signal 9");
}

bool SimulatedCluster::JobExists(const std::string& name) const {
  return store->Get({.kind = Kind::kTrainingJob, .ns = "default", .name = name}).ok();
}

Object SimulatedCluster::JobObject(const std::string& name) const {
  return store->Get({.kind = Kind::kTrainingJob, .ns = "default", .name = name}).value();
}

TrainingJob SimulatedCluster::Job(const std::string& name) const {
  return DecodeTrainingJob(JobObject(name)).value();
}

std::vector<Session> SimulatedCluster::Sessions() const {
  std::vector<Session> sessions;
  const Snapshot all = store->List(Kind::kSession, "").value();
  for (const Object& object : all.objects) sessions.push_back(DecodeSession(object).value());
  std::sort(sessions.begin(), sessions.end(),
            [](const Session& a, const Session& b) { return a.start < b.start; });
  return sessions;
}

octet::Board SimulatedCluster::Board(const std::string& name) const {
  return DecodeBoard(store->Get({.kind = Kind::kBoard, .name = name}).value()).value();
}

size_t SimulatedCluster::BoardsIn(BoardState state) const {
  size_t count = 0;
  const Snapshot all = store->List(Kind::kBoard, "").value();
  for (const Object& object : all.objects) count += DecodeBoard(object).value().state == state;
  return count;
}

std::string SimulatedCluster::Log(const std::string& job_uid) const {
  return ReadJobLog(files, "/home/logs/jobs", JobUid(job_uid), 0, limits::kJobLogBytesMax)
      .value()
      .text;
}

}  // namespace octet
