// The logs that ApiHandler serves: of a job from a byte on, and of a pod as kubectl asks for it.
#include <algorithm>
#include <charconv>
#include <memory>

#include "coordinator/api/api_handler.h"
#include "coordinator/api/log_reader.h"
#include "coordinator/api/object_view.h"
#include "shared/objects/training_job.h"

namespace octet {
namespace {

// Takes from `part` what is whole lines, unless a line is longer than a part, and gives their
// texts.
std::string TakeWholeLines(JobLogPart& part) {
  const size_t end = part.text.rfind('\n');
  if (end != std::string::npos) {
    part.at_end = part.at_end && end + 1 == part.text.size();
    part.text.resize(end + 1);
  }
  std::string shown;
  for (size_t begin = 0; begin < part.text.size();) {
    const size_t stop = std::min(part.text.find('\n', begin), part.text.size());
    shown += ReadLogLine(std::string_view(part.text).substr(begin, stop - begin)).text;
    if (stop < part.text.size()) shown += '\n';
    begin = stop + 1;
  }
  return shown;
}

}  // namespace

Result<JobLogPart> ApiHandler::ReadLogPart(const std::string& job_uid, int64_t offset) const {
  if (!options_.read_log) return JobLogPart{.offset = offset, .text = {}, .at_end = true};
  return options_.read_log(JobUid(job_uid), offset);
}

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
  Result<JobLogPart> part = ReadLogPart(live->meta.uid, offset);
  if (!part.ok()) return StoreError(subject, part.status());
  ApiResponse response = TextResponse(200, TakeWholeLines(*part));
  response.headers["Octet-Log-Offset"] = std::to_string(part->offset);
  response.headers["Octet-Log-Next"] =
      std::to_string(part->offset + static_cast<int64_t>(part->text.size()));
  response.headers["Octet-Log-More"] = part->at_end ? "false" : "true";
  response.headers["Octet-Log-End"] =
      part->at_end && IsTerminal(job->status.phase) ? "true" : "false";
  return response;
}

ApiResponse ApiHandler::ReadPodLog(const Call& call) const {
  const Subject subject = SubjectOf(call.path);
  auto read = ReadLogOptions(call.request, clock_.Now());
  if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
  auto& options = std::get<LogOptions>(read);
  const Result<Object> live = GetShown(call.path).ok() ? GetLive(call.path) : GetShown(call.path);
  if (!live.ok()) return StoreError(subject, live.status());
  const Result<TrainingJob> job = DecodeTrainingJob(*live);
  if (!job.ok()) return StoreError(subject, Internal(job.status().message()));
  if (!options.container.empty() && options.container != kContainerName) {
    return BadRequest("container " + options.container + " is not valid for pod " + call.path.name +
                      ": it has " + kContainerName);
  }
  const int64_t attempt = std::max<int64_t>(job->status.attempts, 1) - (options.previous ? 1 : 0);
  if (attempt < 1) {
    return BadRequest("previous terminated container \"" + std::string(kContainerName) +
                      "\" in pod \"" + call.path.name + "\" not found");
  }
  const bool follow = options.follow && !options.previous;
  // Rank 0 tells for all.
  const std::optional<ViewSource> source = SourceOf(Kind::kPod, call.path.name);
  const bool tells = source && source->rank == 0;
  const auto reader = std::make_shared<LogReader>(
      [this, tells, uid = live->meta.uid](int64_t offset) -> Result<JobLogPart> {
        if (!tells) return JobLogPart{.offset = offset, .text = {}, .at_end = true};
        return ReadLogPart(uid, offset);
      },
      std::move(options), attempt);
  if (!follow) {
    Result<std::string> text = reader->Read();
    return text.ok() ? TextResponse(200, *std::move(text)) : StoreError(subject, text.status());
  }
  ApiResponse response = TextResponse(200, "");
  response.stream = [this, reader, path = call.path, uid = live->meta.uid, attempt] {
    // The job first: what was written before its session ended is then in the log.
    const Result<Object> now = GetLive(path);
    const Result<TrainingJob> job_now =
        now.ok() ? DecodeTrainingJob(*now) : Result<TrainingJob>(now.status());
    const bool goes_on = job_now.ok() && job_now->meta.uid == uid &&
                         job_now->status.attempts <= attempt && !IsTerminal(job_now->status.phase);
    Result<std::string> text = reader->Read();
    return StreamPart{.bytes = text.ok() ? *std::move(text) : "",
                      .end = !goes_on || !text.ok() || reader->full()};
  };
  return response;
}

}  // namespace octet
