#include "coordinator/controllers/world.h"

#include "shared/base/log.h"

namespace octet {

Status World::Refresh(const Store& store) {
  if (version_ >= 0) {
    const Result<std::vector<Change>> changes = store.ChangesSince(version_);
    if (changes.ok()) {
      for (const Change& change : *changes) {
        change.type == ChangeType::kDeleted ? Drop(*change.object) : Put(*change.object);
        version_ = change.version();
      }
      return Ok();
    }
    if (changes.status().code() != StatusCode::kOutOfRange) return changes.status();
  }
  OCTET_ASSIGN_OR_RETURN(const Snapshot all, store.All());
  std::set<std::string> complained = std::move(complained_);
  *this = World();
  complained_ = std::move(complained);
  for (const Object& object : all.objects) Put(object);
  version_ = all.resource_version;
  return Ok();
}

void World::Put(const Object& object) {
  const auto put = [&](auto& map, auto key, auto decoded) {
    if (!decoded.ok()) {
      map.erase(key);
      return Complain(object, decoded.status());
    }
    auto& entry = map[key];
    entry.object = object;
    entry.typed = std::move(decoded).value();
  };
  switch (object.kind) {
    case Kind::kTrainingJob:
      return put(jobs_, JobUid(object.meta.uid), DecodeTrainingJob(object));
    case Kind::kUserQuota:
      return put(quotas_, object.meta.name, DecodeUserQuota(object));
    case Kind::kSlicePool:
      return put(pools_, PoolName(object.meta.name), DecodeSlicePool(object));
    case Kind::kBoard:
      return put(boards_, BoardId(object.meta.name), DecodeBoard(object));
    case Kind::kSession: {
      Drop(object);
      const SessionUid uid(object.meta.uid);
      put(sessions_, uid, DecodeSession(object));
      const auto found = sessions_.find(uid);
      if (found == sessions_.end()) return;
      by_job_[found->second.typed.job_uid].insert(uid);
      if (!found->second.typed.ended) open_[found->second.typed.job_uid] = uid;
      return;
    }
    default:
      return;  // Kubernetes' own kinds: nothing is decided by them.
  }
}

void World::Drop(const Object& object) {
  switch (object.kind) {
    case Kind::kTrainingJob:
      jobs_.erase(JobUid(object.meta.uid));
      return;
    case Kind::kUserQuota:
      quotas_.erase(object.meta.name);
      return;
    case Kind::kSlicePool:
      pools_.erase(PoolName(object.meta.name));
      return;
    case Kind::kBoard:
      boards_.erase(BoardId(object.meta.name));
      return;
    case Kind::kSession: {
      const auto found = sessions_.find(SessionUid(object.meta.uid));
      if (found == sessions_.end()) return;
      const JobUid job = found->second.typed.job_uid;
      const auto open = open_.find(job);
      if (open != open_.end() && open->second == found->first) open_.erase(open);
      by_job_[job].erase(found->first);
      if (by_job_[job].empty()) by_job_.erase(job);
      sessions_.erase(found);
      return;
    }
    default:
      return;
  }
}

void World::Complain(const Object& object, const Status& status) {
  if (!complained_.insert(object.meta.uid).second) return;
  LogError("object " + object.meta.name + " cannot be read and is left alone: " + status.message());
}

const JobEntry* World::FindJob(const JobUid& uid) const {
  const auto found = jobs_.find(uid);
  return found == jobs_.end() ? nullptr : &found->second;
}

const SessionEntry* World::FindOpenSession(const JobUid& job) const {
  const auto found = open_.find(job);
  return found == open_.end() ? nullptr : &sessions_.at(found->second);
}

std::vector<const Session*> World::SessionsOf(const JobUid& job) const {
  std::vector<const Session*> sessions;
  const auto found = by_job_.find(job);
  if (found == by_job_.end()) return sessions;
  for (const SessionUid& uid : found->second) sessions.push_back(&sessions_.at(uid).typed);
  return sessions;
}

UpdateObject UpdateStatus(const Object& object, Value status) {
  Object updated = object;
  updated.status = std::move(status);
  return {.object = std::move(updated), .expected_version = object.meta.resource_version};
}

}  // namespace octet
