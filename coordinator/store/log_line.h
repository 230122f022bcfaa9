// A line of a job's log as it is kept: when it came, in which attempt of the job, what it says:
// "2026-12-01T06:00:00.250Z 2 epoch 1". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/time.h"

namespace octet {

struct LogLine {
  // Nothing: a line of a version that did not keep it.
  std::optional<TimePoint> time{};
  int64_t attempt = 1;
  std::string_view text{};  // Of the line that was read.
};

std::string StampLogLine(TimePoint time, int64_t attempt, std::string_view text);
// `line` without its end.
LogLine ReadLogLine(std::string_view line);

}  // namespace octet
