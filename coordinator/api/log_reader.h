// LogReader: how the API reads the log of a job. A function rather than a class, since there is
// nothing to it but one call.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "shared/base/file_system.h"
#include "shared/base/ids.h"

namespace octet {

struct JobLogPart {
  int64_t offset = 0;  // Of the first byte of `text`; above the one asked for if older lines are gone.
  std::string text;
  bool at_end = false;  // There is nothing after `text` now.
};

// At most `bytes_max` bytes of the log of `job` from byte `offset` on. A job that has written nothing
// has an empty log. Called on the API's thread.
using LogReader =
    std::function<Result<JobLogPart>(const JobUid& job, int64_t offset, size_t bytes_max)>;

// Reads FOLDER/UID.log. `files` outlives the reader.
LogReader MakeFileLogReader(const FileSystem& files, std::string folder);

}  // namespace octet
