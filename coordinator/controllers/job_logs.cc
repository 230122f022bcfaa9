#include "coordinator/controllers/job_logs.h"

#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {

std::string JobLogs::PathOf(const JobUid& job) const {
  return JoinPath(folder_, job.str() + ".log");
}

void JobLogs::Append(const JobUid& job, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const std::string path = PathOf(job);
  if (!bytes_.contains(job)) {
    const Result<std::string> before = files_.Read(path);
    bytes_[job] = before.ok() ? before->size() : 0;
  }
  Status status = files_.Append(path, text);
  if (status.code() == StatusCode::kNotFound) {
    status = files_.CreateDirectories(folder_);
    if (status.ok()) status = files_.Append(path, text);
  }
  size_t& bytes = bytes_[job];
  bytes += text.size();
  if (status.ok() && bytes > limits::kJobLogBytesMax) {
    status = Shorten(path);
    bytes_.erase(job);
  }
  if (!status.ok()) LogWarning("the log of job " + job.str() + ": " + status.message());
}

Status JobLogs::Shorten(const std::string& path) {
  OCTET_ASSIGN_OR_RETURN(const std::string text, files_.Read(path));
  const size_t line_end = text.find('\n', text.size() - limits::kJobLogBytesMax / 2);
  const size_t begin = line_end == std::string::npos ? text.size() : line_end + 1;
  return WriteFileAtomically(files_, path, std::string_view(text).substr(begin));
}

void JobLogs::Remove(const JobUid& job) {
  bytes_.erase(job);
  const Status status = files_.Remove(PathOf(job));
  if (!status.ok() && status.code() != StatusCode::kNotFound) {
    LogWarning("the log of job " + job.str() + ": " + status.message());
  }
}

}  // namespace octet
