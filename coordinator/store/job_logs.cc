#include "coordinator/store/job_logs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "shared/base/limits.h"
#include "shared/base/log.h"

namespace octet {
namespace {

constexpr char kSuffix[] = ".log";
// A log in so many files loses that part of itself at a time.
constexpr int64_t kFileBytesMax = static_cast<int64_t>(limits::kJobLogBytesMax) / 4;

// Twenty digits, so that names sort as numbers.
std::string FileName(int64_t start) {
  char name[32];
  std::snprintf(name, sizeof(name), "%020lld%s", static_cast<long long>(start), kSuffix);
  return name;
}

// Where the files of a log start, in rising order; other files are not ours and left alone.
Result<std::vector<int64_t>> StartsIn(const FileSystem& files, const std::string& job_folder) {
  const Result<std::vector<std::string>> names = files.List(job_folder);
  if (names.status().code() == StatusCode::kNotFound) return std::vector<int64_t>();
  if (!names.ok()) return names.status();
  std::vector<int64_t> starts;
  for (const std::string& name : *names) {
    int64_t start = 0;
    std::from_chars(name.data(), name.data() + name.size(), start);
    if (name == FileName(start)) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace

void JobLogs::Append(const JobUid& job, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const Status status = Write(job, text);
  if (status.ok()) return;
  // What is in the file now is unknown.
  tails_.erase(job);
  LogWarning("the log of job " + job.str() + ": " + status.message());
}

Status JobLogs::Write(const JobUid& job, const std::string& text) {
  const std::string job_folder = JoinPath(folder_, job.str());
  if (!tails_.contains(job)) {
    OCTET_RETURN_IF_ERROR(files_.CreateDirectories(job_folder));
    OCTET_ASSIGN_OR_RETURN(tails_[job], FindTail(job_folder));
  }
  Tail& tail = tails_[job];
  if (tail.bytes >= kFileBytesMax) tail = {.start = tail.start + tail.bytes, .bytes = 0};
  OCTET_RETURN_IF_ERROR(files_.Append(JoinPath(job_folder, FileName(tail.start)), text));
  tail.bytes += static_cast<int64_t>(text.size());
  return Shorten(job_folder, tail.start + tail.bytes);
}

Result<JobLogs::Tail> JobLogs::FindTail(const std::string& job_folder) const {
  OCTET_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, StartsIn(files_, job_folder));
  if (starts.empty()) return Tail{};
  OCTET_ASSIGN_OR_RETURN(const std::string text,
                         files_.Read(JoinPath(job_folder, FileName(starts.back()))));
  return Tail{.start = starts.back(), .bytes = static_cast<int64_t>(text.size())};
}

Status JobLogs::Shorten(const std::string& job_folder, int64_t end) {
  if (end <= static_cast<int64_t>(limits::kJobLogBytesMax)) return Ok();
  OCTET_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, StartsIn(files_, job_folder));
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    if (end - starts[i] <= static_cast<int64_t>(limits::kJobLogBytesMax)) break;
    OCTET_RETURN_IF_ERROR(files_.Remove(JoinPath(job_folder, FileName(starts[i]))));
  }
  return Ok();
}

void JobLogs::Remove(const JobUid& job) {
  tails_.erase(job);
  const Status status = files_.RemoveAll(JoinPath(folder_, job.str()));
  if (!status.ok()) LogWarning("the log of job " + job.str() + ": " + status.message());
}

Result<JobLogPart> ReadJobLog(const FileSystem& files, const std::string& folder, const JobUid& job,
                              int64_t offset, size_t bytes_max) {
  const std::string job_folder = JoinPath(folder, job.str());
  OCTET_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, StartsIn(files, job_folder));
  JobLogPart part{.offset = offset, .text = {}, .at_end = true};
  for (size_t i = 0; i < starts.size(); ++i) {
    // Wholly before the offset.
    if (i + 1 < starts.size() && starts[i + 1] <= offset) continue;
    if (part.text.size() == bytes_max) {
      part.at_end = false;
      break;
    }
    const Result<std::string> text = files.Read(JoinPath(job_folder, FileName(starts[i])));
    // Dropped since the folder was listed: the log goes on behind it, but not this part.
    if (text.status().code() == StatusCode::kNotFound) {
      part.at_end = false;
      if (part.text.empty()) continue;
      break;
    }
    if (!text.ok()) return text.status();
    if (part.text.empty()) part.offset = std::max(offset, starts[i]);
    const auto begin = static_cast<size_t>(std::max<int64_t>(0, part.offset - starts[i]));
    if (!part.text.empty() || begin < text->size()) {
      const size_t from = part.text.empty() ? begin : 0;
      const size_t taken = std::min(text->size() - from, bytes_max - part.text.size());
      part.text.append(*text, from, taken);
      part.at_end = from + taken == text->size();
    }
  }
  return part;
}

}  // namespace octet
