// JobLogs: the lines that jobs print, in FOLDER/UID.log, bounded by limits::kJobLogBytesMax: past
// that the older half is dropped. Readers (the API) read the files; a log is lost with the disk
// only. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared/base/file_system.h"
#include "shared/base/ids.h"

namespace octet {

class JobLogs {
 public:
  // `files` outlives the logs.
  JobLogs(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  // A disk that does not take the lines costs the lines, not the job: it is told in our own log.
  void Append(const JobUid& job, const std::vector<std::string>& lines);
  // The job is deleted.
  void Remove(const JobUid& job);

 private:
  std::string PathOf(const JobUid& job) const;
  // Keeps the younger half of a log that is too long.
  Status Shorten(const std::string& path);

  FileSystem& files_;
  const std::string folder_;
  std::map<JobUid, size_t> bytes_;  // Of the logs written so far.
};

}  // namespace octet
