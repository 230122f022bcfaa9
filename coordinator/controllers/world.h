// World: the coordinator's objects, decoded, at one version of the store. What the controllers
// read.
//
// An object that cannot be decoded (written by a newer version) is told once and left out: nothing
// is done with it. Each entry keeps the Object that it was decoded from, so that an update carries
// everything that the typed form leaves out, and the version it was read at. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/store/store.h"
#include "shared/objects/board.h"
#include "shared/objects/session.h"
#include "shared/objects/training_job.h"
#include "shared/objects/user_quota.h"

namespace octet {

template <typename T>
struct Entry {
  Object object{};
  T typed{};
};
using JobEntry = Entry<TrainingJob>;
using SessionEntry = Entry<Session>;

class World {
 public:
  // Reads what has changed since the last time. On an error the world is as before.
  Status Refresh(const Store& store);

  int64_t version() const { return version_; }
  const std::map<JobUid, JobEntry>& jobs() const { return jobs_; }
  const std::map<std::string, Entry<UserQuota>>& quotas() const { return quotas_; }  // By name.
  const std::map<PoolName, Entry<SlicePool>>& pools() const { return pools_; }
  const std::map<BoardId, Entry<Board>>& boards() const { return boards_; }
  const std::map<SessionUid, SessionEntry>& sessions() const { return sessions_; }
  // Of them, those that have not ended, by job: a job holds at most one.
  const std::map<JobUid, SessionUid>& open_sessions() const { return open_; }

  // nullptr if there is none.
  const JobEntry* FindJob(const JobUid& uid) const;
  const SessionEntry* FindOpenSession(const JobUid& job) const;
  // The sessions of one job, in order of their uids.
  std::vector<const Session*> SessionsOf(const JobUid& job) const;

 private:
  void Put(const Object& object);
  void Drop(const Object& object);
  void Complain(const Object& object, const Status& status);

  int64_t version_ = -1;  // Nothing read yet.
  std::map<JobUid, JobEntry> jobs_;
  std::map<std::string, Entry<UserQuota>> quotas_;
  std::map<PoolName, Entry<SlicePool>> pools_;
  std::map<BoardId, Entry<Board>> boards_;
  std::map<SessionUid, SessionEntry> sessions_;
  std::map<JobUid, SessionUid> open_;
  std::map<JobUid, std::set<SessionUid>> by_job_;
  std::set<std::string> complained_;  // Uids.
};

// The update of an object read from the world; kAborted at the commit if it has changed since.
UpdateObject UpdateStatus(const Object& object, Value status);

}  // namespace octet
