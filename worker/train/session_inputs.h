// SessionInputs: everything that one session of a job needs, decoded once from its Assign message.
// A value.
#pragma once

#include <string>
#include <vector>

#include "proto/control.pb.h"
#include "shared/base/ids.h"
#include "shared/base/status.h"
#include "shared/base/time.h"
#include "shared/objects/training_job.h"

namespace octet {

struct SessionPeer {
  BoardId board;
  std::string data_endpoint;  // "tcp://127.0.0.1:40123"
};

struct SessionInputs {
  JobUid job_uid;
  std::string job;  // "namespace/name", for people.
  int64_t attempt = 0;
  Fence fence;
  int rank = 0;                    // This board's place in `peers`.
  std::vector<SessionPeer> peers;  // All boards of the gang, this one included.
  TrainingJobSpec spec;
  std::string checkpoint_folder;  // Shared by all attempts of the job and all its boards.
  Duration grant{};               // The session ends by itself after it.
  Duration grace{};               // Its last part, for the last checkpoint.
};

// kInvalidArgument where the message contradicts itself or the spec cannot be read: a coordinator
// of another version.
Result<SessionInputs> DecodeAssign(const control::Assign& assign);

}  // namespace octet
