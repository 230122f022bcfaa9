#include "shared/base/log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

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

void Write(spdlog::level::level_enum level, std::string_view message) {
  Logger().log(level, spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace

void InitLog(const LogOptions& options) {
  Logger();
  spdlog::sink_ptr sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  if (!options.file.empty()) {
    sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(options.file, kLogFileBytesMax,
                                                                  kLogFilesKept);
  }
  auto logger = std::make_shared<spdlog::logger>(options.component, sink);
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
