#include "worker/train/session_inputs.h"

#include <utility>

#include "shared/base/limits.h"
#include "shared/objects/json.h"

namespace octet {

Result<SessionInputs> DecodeAssign(const control::Assign& assign) {
  OCTET_ASSIGN_OR_RETURN(const Value spec, ReadJson(assign.spec_json()));
  SessionInputs inputs;
  OCTET_ASSIGN_OR_RETURN(inputs.spec, DecodeTrainingJobSpec(spec));
  inputs.job_uid = JobUid(assign.job_uid());
  inputs.job = assign.job_namespace() + "/" + assign.job_name();
  inputs.attempt = assign.attempt();
  inputs.fence = Fence(assign.fence());
  inputs.rank = static_cast<int>(assign.rank());
  for (const control::Peer& peer : assign.peers()) {
    inputs.peers.push_back({.board = BoardId(peer.board()), .data_endpoint = peer.data_endpoint()});
  }
  inputs.checkpoint_folder = assign.checkpoint_folder();
  inputs.grant = Duration(assign.grant_millis());
  inputs.grace = Duration(assign.grace_millis());
  const auto boards = static_cast<int64_t>(inputs.peers.size());
  if (boards == 0 || boards > limits::kSliceBoardsMax || assign.rank() >= inputs.peers.size()) {
    return InvalidArgument("the assignment gives rank " + std::to_string(assign.rank()) + " of " +
                           std::to_string(boards) + " boards");
  }
  if (boards * kCoresPerBoard != inputs.spec.cores()) {
    return InvalidArgument("the assignment has " + std::to_string(boards) +
                           " boards and the job needs " +
                           std::to_string(inputs.spec.boards().count()));
  }
  const TrainingSpec& training = inputs.spec.training;
  if (training.logical_shards <= 0 || training.logical_shards % inputs.spec.cores() != 0 ||
      training.batch_size <= 0 || training.epochs <= 0) {
    return InvalidArgument("the job's batch, epochs or logical shards do not fit its cores");
  }
  if (inputs.checkpoint_folder.empty()) return InvalidArgument("there is no checkpoint folder");
  if (inputs.grant <= Duration(0)) return InvalidArgument("there is no grant");
  return inputs;
}

}  // namespace octet
