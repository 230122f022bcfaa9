// The lines that jobs print, kept as files beside the store: FOLDER/UID/START.log, where START is
// how many bytes of the log came before the file. A log that grows past limits::kJobLogBytesMax
// loses its oldest file, so a byte keeps its offset for ever and a reader sees no rewriting.
//
// One thread appends (JobLogs); ReadJobLog may be called from any other at the same time.
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
  // The file being written.
  struct Tail {
    int64_t start = 0;  // Offset of its first byte.
    int64_t bytes = 0;
  };

  Result<Tail> FindTail(const std::string& job_folder) const;
  Status Write(const JobUid& job, const std::string& text);
  // Removes the oldest files while the log without them is long enough.
  Status Shorten(const std::string& job_folder, int64_t end);

  FileSystem& files_;
  const std::string folder_;
  std::map<JobUid, Tail> tails_;  // Of the logs written so far.
};

struct JobLogPart {
  int64_t offset =
      0;  // Of the first byte of `text`; above the one asked for if older lines are gone.
  std::string text;
  bool at_end = false;  // There is nothing after `text` now.
};

// At most `bytes_max` bytes of a job's log from byte `offset` (at least 0) on. A job that has
// written nothing has an empty log. The errors are those of the files.
Result<JobLogPart> ReadJobLog(const FileSystem& files, const std::string& folder, const JobUid& job,
                              int64_t offset, size_t bytes_max);

}  // namespace octet
