#include "shared/base/log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace octet {
namespace {

constexpr size_t kLogFileBytesMax = 16 * 1024 * 1024;
constexpr size_t kLogFilesKept = 3;

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// Replaces spdlog's own default, which writes to standard output.
spdlog::logger& Logger() {
  static const bool once = [] {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "octet", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
    return true;
  }();
  (void)once;
  return *spdlog::default_logger_raw();
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string OneLine(std::string_view message) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string line;
  for (const char c : message) {
    if (!IsControl(c)) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    }
  }
  return line;
}

void Write(spdlog::level::level_enum level, std::string_view message) {
  spdlog::logger& logger = Logger();
  if (logger.should_log(level)) logger.log(level, OneLine(message));
}

spdlog::sink_ptr SinkFor(const std::string& file) {
  if (!file.empty()) {
    try {
      return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, kLogFileBytesMax,
                                                                    kLogFilesKept);
    } catch (const spdlog::spdlog_ex& error) {
      LogError("cannot write the log file " + file + ": " + error.what() +
               "; logging to standard error instead");
    }
  }
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace

void InitLog(const LogOptions& options) {
  Logger();
  auto logger = std::make_shared<spdlog::logger>(options.component, SinkFor(options.file));
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %n %v", spdlog::pattern_time_type::utc);
  logger->set_level(LevelOf(options.level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void LogDebug(std::string_view message) { Write(spdlog::level::debug, message); }
void LogInfo(std::string_view message) { Write(spdlog::level::info, message); }
void LogWarning(std::string_view message) { Write(spdlog::level::warn, message); }
void LogError(std::string_view message) { Write(spdlog::level::err, message); }

}  // namespace octet
