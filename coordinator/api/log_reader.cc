#include "coordinator/api/log_reader.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <numeric>
#include <tuple>

namespace octet {
namespace {

// The number of this name in the query, at least `min`; nothing: it is not there.
OrRefusal<std::optional<int64_t>> NumberOf(const ApiRequest& request, const char* name,
                                           int64_t min) {
  const std::string& text = request.Query(name);
  if (text.empty()) return std::optional<int64_t>();
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= min) return std::optional(number);
  return BadRequest(std::string(name) + " must be a whole number, at least " + std::to_string(min) +
                    "; got \"" + text + "\"");
}

}  // namespace

OrRefusal<LogOptions> ReadLogOptions(const ApiRequest& request, TimePoint now) {
  LogOptions options;
  options.container = request.Query("container");
  options.follow = IsTrueWord(request.Query("follow"));
  options.previous = IsTrueWord(request.Query("previous"));
  options.timestamps = IsTrueWord(request.Query("timestamps"));
  std::optional<int64_t> since;
  const std::tuple<const char*, int64_t, std::optional<int64_t>*> numbers[] = {
      {"tailLines", 0, &options.tail_lines},
      {"limitBytes", 1, &options.bytes_max},
      {"sinceSeconds", 1, &since}};
  for (const auto& [name, min, number] : numbers) {
    auto read = NumberOf(request, name, min);
    if (auto* refusal = std::get_if<ApiResponse>(&read)) return *std::move(refusal);
    *number = std::get<std::optional<int64_t>>(read);
  }
  const std::string& since_time = request.Query("sinceTime");
  if (since && !since_time.empty()) {
    return BadRequest("at most one of sinceTime or sinceSeconds may be specified");
  }
  // Seconds before the beginning of time are all of it.
  if (since) options.since = now - std::chrono::seconds(std::min<int64_t>(*since, 1'000'000'000));
  if (!since_time.empty()) {
    const Result<TimePoint> time = ParseTime(since_time);
    if (!time.ok()) return BadRequest("sinceTime: " + time.status().message());
    options.since = *time;
  }
  return options;
}

Result<std::string> LogReader::Read() {
  std::deque<std::string> lines;
  const bool cuts = first_ && options_.tail_lines;
  for (bool at_end = false; !at_end;) {
    OCTET_ASSIGN_OR_RETURN(JobLogPart part, source_(offset_));
    // Older lines are gone: what was begun has no end.
    if (part.offset > offset_) rest_.clear();
    offset_ = part.offset + static_cast<int64_t>(part.text.size());
    at_end = part.at_end || part.text.empty();
    rest_ += part.text;
    size_t begin = 0;
    for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      const LogLine line = ReadLogLine(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
      if (line.attempt != attempt_ || (options_.since && line.time < options_.since)) continue;
      lines.push_back(Shown(line));
      if (cuts && static_cast<int64_t>(lines.size()) > *options_.tail_lines) lines.pop_front();
    }
    rest_.erase(0, begin);
  }
  first_ = false;
  std::string text = std::accumulate(lines.begin(), lines.end(), std::string());
  if (options_.bytes_max) {
    text.resize(std::min(text.size(), static_cast<size_t>(*options_.bytes_max - given_)));
  }
  given_ += static_cast<int64_t>(text.size());
  return text;
}

std::string LogReader::Shown(const LogLine& line) const {
  std::string shown;
  if (options_.timestamps && line.time) shown = FormatTime(*line.time) + " ";
  shown += line.text;
  return shown + "\n";
}

}  // namespace octet
