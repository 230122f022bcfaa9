// A whole cluster in one process and one thread: the real control loop over the memory store, and
// workers that are the real AgentCore with a pretended training loop. Time is a FakeClock that Step
// moves.
//
// What a test can do to it: kill a process, cut a board's connection, hang its training, restart or
// stop the coordinator, fail or delay transactions, deliver each message three times.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/controllers/control_loop.h"
#include "coordinator/fleet/simulated_link.h"
#include "coordinator/fleet/simulated_provider.h"
#include "shared/base/clock.h"
#include "worker/agent/agent_core.h"

namespace octet {

// Passes calls on; the next transactions can be made to fail, or to lose a race.
class TroubledStore final : public Store {
 public:
  explicit TroubledStore(std::unique_ptr<Store> base) : base_(std::move(base)) {}
  Result<Object> Get(const ObjectKey& key) const override { return base_->Get(key); }
  Result<Snapshot> List(Kind kind, const std::string& ns) const override {
    return base_->List(kind, ns);
  }
  Result<Snapshot> All() const override { return base_->All(); }
  Result<std::vector<Object>> Commit(const std::vector<Write>& writes) override;
  Result<Snapshot> ListAt(Kind kind, const std::string& ns, int64_t version) const override {
    return base_->ListAt(kind, ns, version);
  }
  int64_t OldestVersion() const override { return base_->OldestVersion(); }
  Result<std::vector<Change>> ChangesSince(int64_t version) const override {
    return base_->ChangesSince(version);
  }
  int64_t WaitForChange(int64_t version, Duration wait) const override {
    return base_->WaitForChange(version, wait);
  }

  bool broken = false;      // Every commit fails with kResourceExhausted.
  std::string raced_job{};  // Before the next commit somebody else labels this job.
  int commits = 0;          // That had something to write.

 private:
  std::unique_ptr<Store> base_;
};

// A worker process: the real agent, and a training loop that counts.
struct SimulatedWorker {
  AgentCore agent;
  std::string peer;
  std::optional<control::Assign> training{};
  MonotonicTime taken{};
  int64_t step = 0;
  int64_t reported = 0;
  std::optional<StopSession> stop{};
  bool cut = false;   // Nothing gets through, in either direction.
  bool hung = false;  // Trains for ever: neither a stop nor its grant ends it.
};

class SimulatedCluster {
 public:
  // One pool `local` of so many v3-8 boards, started and registered.
  explicit SimulatedCluster(int64_t boards);

  // Time passes: workers and coordinator take turns each 100 ms.
  void Step(Duration length = std::chrono::milliseconds(100));
  // Steps until `condition` holds; false after `limit`.
  template <typename Condition>
  bool Until(Condition condition, Duration limit = std::chrono::minutes(2)) {
    for (Duration passed{}; passed < limit; passed += std::chrono::milliseconds(100)) {
      if (condition()) return true;
      Step();
    }
    return condition();
  }
  bool UntilPhase(const std::string& job, JobPhase phase,
                  Duration limit = std::chrono::minutes(2)) {
    return Until([&] { return JobExists(job) && Job(job).status.phase == phase; }, limit);
  }

  // What users do. `more` is JSON for the spec, such as R"("priority": 5)".
  void Submit(const std::string& name, const std::string& accelerator = "v3-8",
              const std::string& more = "");
  void SubmitQuota(const std::string& user, const std::string& weekly);
  void SetSpec(const std::string& job, const std::string& field, Value value);
  void Delete(const std::string& job);
  void Scale(int64_t replicas);

  // What happens.
  void Kill(const std::string& board);
  void CrashCoordinator();
  void StartCoordinator();
  SimulatedWorker& Worker(const std::string& board) { return *workers.at(BoardId(board)); }

  // What is seen.
  bool JobExists(const std::string& name) const;
  TrainingJob Job(const std::string& name) const;
  Object JobObject(const std::string& name) const;
  std::vector<Session> Sessions() const;  // By start.
  octet::Board Board(const std::string& name) const;
  size_t BoardsIn(BoardState state) const;
  std::string Log(const std::string& job_uid) const;

  FakeClock clock;
  MemoryFileSystem files;
  std::unique_ptr<TroubledStore> store;
  std::unique_ptr<SimulatedLink> link;
  SimulatedProvider provider;
  std::unique_ptr<CoordinatorMetrics> metrics;
  std::unique_ptr<ControlLoop> loop;  // Null while the coordinator is down.
  std::map<BoardId, std::unique_ptr<SimulatedWorker>> workers;

  int64_t total_steps = 20;      // Of every job.
  int64_t steps_per_turn = 1;    // In 100 ms.
  bool repeat_messages = false;  // Each message of a worker arrives three times.
  bool jobs_fail = false;        // Every training ends as FAILED at its first step.
  std::map<BoardId, int> end_acks{};
  std::map<JobUid, int64_t> checkpoints{};  // The step of each job's newest one.

 private:
  void FollowProvider();
  void TakeTurn(SimulatedWorker& worker);
  void Train(SimulatedWorker& worker);
  void Report(SimulatedWorker& worker);
  void EndTraining(SimulatedWorker& worker, control::EndReason reason, const std::string& text);
  void Perform(SimulatedWorker& worker, AgentActions actions);

  uint64_t incarnations_ = 0;
  int64_t uids_ = 0;
};

}  // namespace octet
