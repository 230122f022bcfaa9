// The logs that ApiHandler serves: of a job from a byte on, and of a pod as kubectl asks for it.
#include <charconv>

#include "coordinator/api/api_handler.h"
#include "shared/objects/training_job.h"

namespace octet {

ApiResponse ApiHandler::ReadLog(const Call& call) const {
  const Subject subject = SubjectOf(call.path);
  const std::string& asked = call.request.Query("offset");
  int64_t offset = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), offset);
  if (!asked.empty() &&
      (error != std::errc() || end != asked.data() + asked.size() || offset < 0)) {
    return BadRequest("offset must be a number of bytes; got \"" + asked + "\"");
  }
  // The job first: what was written before it ended is then in the log.
  const Result<Object> live = GetLive(call.path);
  if (!live.ok()) return StoreError(subject, live.status());
  const Result<TrainingJob> job = DecodeTrainingJob(*live);
  if (!job.ok()) return StoreError(subject, Internal(job.status().message()));
  JobLogPart part{.offset = offset, .text = {}, .at_end = true};
  if (options_.read_log) {
    Result<JobLogPart> read = options_.read_log(JobUid(live->meta.uid), offset);
    if (!read.ok()) return StoreError(subject, read.status());
    part = *std::move(read);
  }
  ApiResponse response = TextResponse(200, std::move(part.text));
  response.headers["Octet-Log-Offset"] = std::to_string(part.offset);
  response.headers["Octet-Log-End"] =
      part.at_end && IsTerminal(job->status.phase) ? "true" : "false";
  return response;
}

}  // namespace octet
