#include "worker/flags.h"

#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "shared/objects/accelerator_type.h"
#include "shared/objects/fault.h"

namespace octet {
namespace {

constexpr int64_t kOrdinalMax = 1'000'000;
constexpr int64_t kPortMax = 65'535;

Result<int64_t> ParseInteger(const std::string& flag, const std::string& text, int64_t max) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > max) {
    return InvalidArgument(flag + " is \"" + text + "\"; give a whole number from 0 to " +
                           std::to_string(max));
  }
  return number;
}

using Setter = std::function<Status(const std::string&)>;

Setter Text(std::string& into) {
  return [&into](const std::string& text) {
    into = text;
    return Ok();
  };
}

Setter Integer(const std::string& flag, int64_t max, std::function<void(int64_t)> into) {
  return [=](const std::string& text) -> Status {
    OCTET_ASSIGN_OR_RETURN(const int64_t number, ParseInteger(flag, text, max));
    into(number);
    return Ok();
  };
}

std::map<std::string, Setter> Setters(WorkerFlags& flags, std::string& board, std::string& pool) {
  return {
      {"--board", Text(board)},
      {"--pool", Text(pool)},
      {"--coordinator", Text(flags.coordinator)},
      {"--home", Text(flags.home)},
      {"--data-host", Text(flags.data_host)},
      {"--metrics-address", Text(flags.metrics_address)},
      {"--ordinal", Integer("--ordinal", kOrdinalMax, [&](int64_t n) { flags.ordinal = n; })},
      {"--data-port",
       Integer("--data-port", kPortMax, [&](int64_t n) { flags.data_port = static_cast<int>(n); })},
      {"--threads", Integer("--threads", kCoresPerBoard,
                            [&](int64_t n) { flags.threads = static_cast<int>(n); })},
  };
}

Status Unknown(const std::string& flag, const std::map<std::string, Setter>& setters) {
  std::vector<std::string> known;
  for (const auto& [name, setter] : setters) known.push_back(name);
  const std::string meant = DidYouMean(flag, known);
  return InvalidArgument("there is no flag " + flag +
                         (meant.empty() ? "" : "; did you mean " + meant + "?") + "; see --help");
}

// "local-3" is board 3 of the pool "local", as a StatefulSet names its pods.
Status TakePlaceFromName(WorkerFlags& flags) {
  const std::string& name = flags.board.str();
  const size_t dash = name.rfind('-');
  if (flags.pool.empty()) flags.pool = PoolName(name.substr(0, dash));
  if (flags.ordinal >= 0) return Ok();
  const std::string number = dash == std::string::npos ? "" : name.substr(dash + 1);
  const Result<int64_t> ordinal = ParseInteger("--ordinal", number, kOrdinalMax);
  if (!ordinal.ok()) {
    return InvalidArgument("--ordinal is needed, since \"" + name +
                           "\" does not end in a dash and a number; see --help");
  }
  flags.ordinal = *ordinal;
  return Ok();
}

Status CheckComplete(const WorkerFlags& flags) {
  const std::pair<const char*, bool> needed[] = {{"--board", flags.board.empty()},
                                                 {"--coordinator", flags.coordinator.empty()},
                                                 {"--home", flags.home.empty()}};
  for (const auto& [flag, missing] : needed) {
    if (missing) return InvalidArgument(std::string(flag) + " is needed; see --help");
  }
  return Ok();
}

}  // namespace

Result<WorkerFlags> ParseWorkerFlags(const std::vector<std::string>& arguments) {
  WorkerFlags flags;
  std::string board;
  std::string pool;
  const auto setters = Setters(flags, board, pool);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    const std::string flag = arguments[i].substr(0, equals);
    if (arguments[i] == "--help" || arguments[i] == "-h") {
      flags.help = true;
      return flags;
    }
    if (arguments[i] == "--version") {
      flags.version = true;
      return flags;
    }
    const auto setter = setters.find(flag);
    if (setter == setters.end()) return Unknown(flag, setters);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = arguments[i].substr(equals + 1);
    if (!value && i + 1 < arguments.size()) value = arguments[++i];
    if (!value || value->empty()) return InvalidArgument(flag + " needs a value");
    OCTET_RETURN_IF_ERROR(setter->second(*value));
  }
  flags.board = BoardId(board);
  flags.pool = PoolName(pool);
  OCTET_RETURN_IF_ERROR(CheckComplete(flags));
  OCTET_RETURN_IF_ERROR(TakePlaceFromName(flags));
  return flags;
}

std::string WorkerUsage() {
  return "octet-worker: one emulated TPU v3-8 board of a cluster. The coordinator starts it.\n"
         "\n"
         "  --board NAME             this board's name, such as local-0\n"
         "  --pool NAME              the slice pool it belongs to (the name up to its last dash)\n"
         "  --ordinal N              its number in the pool, from 0 (the number after that dash)\n"
         "  --coordinator ENDPOINT   the coordinator's control address, such as "
         "tcp://127.0.0.1:7444\n"
         "  --home DIR               the cluster's folder; checkpoints are in DIR/checkpoints\n"
         "  --data-host ADDRESS      where other boards reach this one (127.0.0.1)\n"
         "  --data-port N            the port of it (0: a free one)\n"
         "  --metrics-address H:P    where Prometheus finds it; port 0 takes a free one "
         "(127.0.0.1:0)\n"
         "  --threads N              threads for the eight cores, 1 to 8; 0 for as many as there "
         "are\n"
         "                           processors (0)\n"
         "  --version, --help\n"
         "\n"
         "Example: octet-worker --board local-0 --home ~/.octet \\\n"
         "           --coordinator tcp://127.0.0.1:7444\n";
}

}  // namespace octet
