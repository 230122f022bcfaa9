// Builder of a ClusterSnapshot for tests. A value.
#pragma once

#include <string>

#include "coordinator/scheduler/scheduler.h"

namespace octet {

struct ClusterBuilder {
  ClusterSnapshot snapshot;

  // A pool of so many ready boards, "NAME-0" and so on.
  ClusterBuilder& Pool(const std::string& name, int64_t boards, const std::string& type = "v3-8") {
    SlicePool pool;
    pool.meta.name = name;
    pool.accelerator_type = type;
    pool.replicas = boards / FindAcceleratorType(type)->boards().count();
    snapshot.pools.push_back(pool);
    for (int64_t ordinal = 0; ordinal < boards; ++ordinal) {
      Board board;
      board.meta.name = name + "-" + std::to_string(ordinal);
      board.pool = PoolName(name);
      board.ordinal = ordinal;
      board.state = BoardState::kReady;
      snapshot.boards.push_back(board);
    }
    return *this;
  }

  Board& BoardNamed(const std::string& name) {
    for (Board& board : snapshot.boards) {
      if (board.meta.name == name) return board;
    }
    CHECK(false) << "no board " << name;
    return snapshot.boards.front();
  }

  // A waiting job of alice's for 1 h, at least 5 min; the later it is added, the younger.
  TrainingJob& Job(const std::string& name, const std::string& type = "v3-8") {
    TrainingJob job;
    job.meta.name = name;
    job.meta.ns = "default";
    job.meta.uid = "uid-" + name;
    job.meta.generation = 1;
    job.meta.created = TimePoint(std::chrono::seconds(snapshot.jobs.size()));
    job.spec.user = UserName("alice");
    job.spec.accelerator = *FindAcceleratorType(type);
    job.spec.session_duration = std::chrono::hours(1);
    job.spec.session_min = std::chrono::minutes(5);
    snapshot.jobs.push_back(job);
    return snapshot.jobs.back();
  }

  // An open session of another job of that user on these boards.
  Session& Held(const std::string& user, const std::string& job, std::vector<std::string> boards,
                TimePoint start, Duration grant) {
    Session session;
    session.meta.name = job + "-1";
    session.meta.ns = "default";
    session.meta.uid = "session-" + job;
    session.job_name = job;
    session.job_uid = JobUid("uid-" + job);
    session.user = UserName(user);
    for (std::string& board : boards) session.boards.emplace_back(std::move(board));
    session.start = start;
    session.grant = grant;
    snapshot.sessions.push_back(session);
    return snapshot.sessions.back();
  }

  UserQuotaSpec& Quota(const std::string& user) {
    UserQuota quota;
    quota.meta.name = user;
    quota.spec = {
        .user = UserName(user), .weekly = std::chrono::hours(30), .session = std::chrono::hours(3)};
    snapshot.quotas.push_back(quota);
    return snapshot.quotas.back().spec;
  }
};

}  // namespace octet
