#include "coordinator/api/change_rules.h"

#include <algorithm>

#include "shared/objects/schema.h"
#include "shared/objects/training_job.h"

namespace octet {
namespace {

const Value& MemberOf(const Value& map, const std::string& key) {
  static const Value absent;
  const Value* member = map.Find(key);
  return member == nullptr ? absent : *member;
}

// The members of either spec that differ.
std::vector<std::string> ChangedMembers(const Value& live, const Value& wanted) {
  std::vector<std::string> keys;
  for (const Value* spec : {&live, &wanted}) {
    if (!spec->is_map()) continue;
    for (const Value::Member& member : spec->AsMap()) {
      const bool known = std::find(keys.begin(), keys.end(), member.key) != keys.end();
      if (!known && !(MemberOf(live, member.key) == MemberOf(wanted, member.key))) {
        keys.push_back(member.key);
      }
    }
  }
  return keys;
}

Fault Immutable(const Object& wanted, const std::string& member, const std::string& why) {
  const Value* value = wanted.spec.Find(member);
  return {.path = MemberPath("spec", member),
          .message = "cannot be changed " + why,
          .position = value == nullptr ? Position() : value->position};
}

Faults CheckJobChange(const Object& live, const Object& wanted,
                      const std::vector<std::string>& changed) {
  static const std::vector<std::string> kMutableWhileRunning = {"suspend", "priority", "session",
                                                                "retries"};
  Faults faults;
  const Result<TrainingJob> job = DecodeTrainingJob(live);
  // A job that this version cannot read is left to the one that wrote it.
  const bool ended = !job.ok() || IsTerminal(job->status.phase);
  const bool started = ended || job->status.attempts > 0;
  for (const std::string& member : changed) {
    const auto& allowed = kMutableWhileRunning;
    const bool may_change = std::find(allowed.begin(), allowed.end(), member) != allowed.end();
    if (member == "user") {
      faults.push_back(Immutable(wanted, member, "after the job is created: it is who pays"));
    } else if (ended) {
      faults.push_back(
          Immutable(wanted, member, "after the job has ended: delete it and apply again"));
    } else if (started && !may_change) {
      faults.push_back(Immutable(wanted, member,
                                 "after the job has started: delete it and apply again, or give "
                                 "the new one another name"));
    }
  }
  return faults;
}

}  // namespace

Faults CheckChange(const Object& live, const Object& wanted) {
  const std::vector<std::string> changed = ChangedMembers(live.spec, wanted.spec);
  Faults faults;
  switch (live.kind) {
    case Kind::kTrainingJob:
      return CheckJobChange(live, wanted, changed);
    case Kind::kUserQuota:
    case Kind::kSlicePool:
      for (const std::string& member : changed) {
        if (member != "user" && member != "acceleratorType") continue;
        faults.push_back(Immutable(wanted, member, "once it is set: create another object"));
      }
      return faults;
    case Kind::kBoard:
    case Kind::kSession:
      for (const std::string& member : changed) {
        if (live.kind == Kind::kBoard && member == "unschedulable") continue;
        faults.push_back(Immutable(wanted, member, "by users: the coordinator writes it"));
      }
      return faults;
    default:
      return faults;
  }
}

}  // namespace octet
