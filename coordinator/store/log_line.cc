#include "coordinator/store/log_line.h"

#include <charconv>

namespace octet {

std::string StampLogLine(TimePoint time, int64_t attempt, std::string_view text) {
  std::string line = FormatTime(time) + " " + std::to_string(attempt) + " ";
  line += text;
  return line;
}

LogLine ReadLogLine(std::string_view line) {
  const LogLine plain{.text = line};
  const size_t first = line.find(' ');
  if (first == std::string_view::npos) return plain;
  const size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos) return plain;
  const Result<TimePoint> time = ParseTime(line.substr(0, first));
  LogLine stamped{.text = line.substr(second + 1)};
  const char* const end = line.data() + second;
  const auto [stop, error] = std::from_chars(line.data() + first + 1, end, stamped.attempt);
  if (!time.ok() || error != std::errc() || stop != end) return plain;
  stamped.time = *time;
  return stamped;
}

}  // namespace octet
