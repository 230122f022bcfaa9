// The log of a process, over spdlog: one line an event, "time level component message key=value …".
// Shells log; cores never do. Any thread may log. Before InitLog, lines go to standard error. Line
// breaks and other control characters of a message are written as \n, \t or \xHH, so that no text
// from outside can forge a line.
#pragma once

#include <string>
#include <string_view>

namespace octet {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  std::string component = {};        // "coordinator", "worker local-3".
  LogLevel level = LogLevel::kInfo;  // Lines below it are dropped.
  std::string file = {};             // Empty: standard error. Rotated at 16 MiB, 3 kept.
};

// Call once, before any thread that logs. A file that cannot be opened is told of on standard
// error, where the lines then go.
void InitLog(const LogOptions& options);

void LogDebug(std::string_view message);
void LogInfo(std::string_view message);
void LogWarning(std::string_view message);
void LogError(std::string_view message);

}  // namespace octet
