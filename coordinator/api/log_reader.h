// LogReader: what a client asks of a pod's log, applied to a job's log as it grows: which lines, in
// which form. The options are those of Kubernetes' PodLogOptions.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coordinator/api/responses.h"
#include "coordinator/store/job_logs.h"
#include "coordinator/store/log_line.h"

namespace octet {

struct LogOptions {
  std::string container{};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<TimePoint> since{};     // Older lines are left out.
  std::optional<int64_t> tail_lines{};  // Of what is there at first.
  std::optional<int64_t> bytes_max{};
};
// The options in the query of a request at `now`, or why they are none.
OrRefusal<LogOptions> ReadLogOptions(const ApiRequest& request, TimePoint now);

class LogReader {
 public:
  // Reads the log from a byte on.
  using Source = std::function<Result<JobLogPart>(int64_t offset)>;

  // Of the lines of `attempt` only.
  LogReader(Source source, LogOptions options, int64_t attempt)
      : source_(std::move(source)), options_(std::move(options)), attempt_(attempt) {}

  // What has come since the last time, up to its last whole line. The first time also applies
  // tail_lines.
  Result<std::string> Read();
  // bytes_max has been given.
  bool full() const { return options_.bytes_max && given_ >= *options_.bytes_max; }

 private:
  std::string Shown(const LogLine& line) const;

  Source source_;
  LogOptions options_;
  int64_t attempt_;
  int64_t offset_ = 0;
  bool first_ = true;
  std::string rest_;  // Of a line whose end has not come yet.
  int64_t given_ = 0;
};

}  // namespace octet
