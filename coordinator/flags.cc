#include "coordinator/flags.h"

#include <charconv>
#include <functional>
#include <map>

#include "shared/objects/accelerator_type.h"
#include "shared/objects/fault.h"

namespace octet {
namespace {

// A v3-2048 has 256; the control plane is measured up to ten times that.
constexpr int64_t kBoardsMax = 2560;

using Setter = std::function<Status(const std::string&)>;

Setter Text(std::string& into) {
  return [&into](const std::string& text) {
    into = text;
    return Ok();
  };
}

Status SetAddress(const char* flag, const std::string& text, std::string& into) {
  const size_t colon = text.rfind(':');
  int port = -1;
  if (colon != std::string::npos && colon > 0) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
    if (error != std::errc() || stop != end) port = -1;
  }
  if (port < 0 || port > 65535) {
    return InvalidArgument(std::string(flag) + " is \"" + text +
                           "\"; give an address and a port, such as 127.0.0.1:7443 (port 0 takes a "
                           "free one)");
  }
  into = text;
  return Ok();
}

Setter Address(const char* flag, std::string& into) {
  return [flag, &into](const std::string& text) { return SetAddress(flag, text, into); };
}

Status SetBoards(const std::string& text, std::optional<int64_t>& into) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0 || number > kBoardsMax) {
    return InvalidArgument("--boards is \"" + text + "\"; give a whole number from 0 to " +
                           std::to_string(kBoardsMax));
  }
  into = number;
  return Ok();
}

Status SetProvider(const std::string& text, ProviderKind& into) {
  if (text != "local" && text != "none") {
    return InvalidArgument("--provider is \"" + text +
                           "\"; use local (workers are started here) or none (they come by "
                           "themselves)");
  }
  into = text == "local" ? ProviderKind::kLocal : ProviderKind::kNone;
  return Ok();
}

std::map<std::string, Setter> Setters(CoordinatorFlags& flags) {
  return {
      {"--home", Text(flags.home)},
      {"--api-address", Address("--api-address", flags.api_address)},
      {"--control-address", Address("--control-address", flags.control_address)},
      {"--metrics-address", Address("--metrics-address", flags.metrics_address)},
      {"--boards", [&](const std::string& text) { return SetBoards(text, flags.boards); }},
      {"--pool", Text(flags.pool)},
      {"--pool-type", Text(flags.pool_type)},
      {"--provider", [&](const std::string& text) { return SetProvider(text, flags.provider); }},
      {"--worker", Text(flags.worker)},
  };
}

Status Unknown(const std::string& flag, const std::map<std::string, Setter>& setters) {
  std::vector<std::string> known;
  for (const auto& [name, setter] : setters) known.push_back(name);
  const std::string meant = DidYouMean(flag, known);
  return InvalidArgument("there is no flag " + flag +
                         (meant.empty() ? "" : "; did you mean " + meant + "?") + " See --help.");
}

}  // namespace

Result<CoordinatorFlags> ParseCoordinatorFlags(const std::vector<std::string>& arguments) {
  CoordinatorFlags flags;
  const auto setters = Setters(flags);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    const std::string flag = arguments[i].substr(0, equals);
    flags.help = flag == "--help" || flag == "-h";
    flags.version = flag == "--version";
    if (flags.help || flags.version) return flags;
    const auto setter = setters.find(flag);
    if (setter == setters.end()) return Unknown(flag, setters);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = arguments[i].substr(equals + 1);
    if (!value && i + 1 < arguments.size()) value = arguments[++i];
    if (!value || value->empty()) return InvalidArgument(flag + " needs a value");
    OCTET_RETURN_IF_ERROR(setter->second(*value));
  }
  if (flags.home.empty()) {
    return InvalidArgument("--home is needed: the folder of the cluster's state");
  }
  if (flags.boards) {
    const Result<int64_t> slices = SlicesFor(flags.pool_type, *flags.boards);
    if (!slices.ok()) return slices.status();
  }
  return flags;
}

std::string CoordinatorUsage() {
  return "octet-coordinator: takes training jobs, schedules them on boards, keeps the quota.\n"
         "Usually started by: octet up\n"
         "\n"
         "  --home DIR                  state, logs and checkpoints of the cluster\n"
         "  --api-address HOST:PORT     REST API (127.0.0.1:7443); port 0 takes a free one\n"
         "  --control-address HOST:PORT where workers connect (127.0.0.1:7444)\n"
         "  --metrics-address HOST:PORT Prometheus' /metrics (127.0.0.1:7446)\n"
         "  --boards N                  make the pool this large; without it the pools stay as "
         "they "
         "are\n"
         "  --pool NAME                 that pool (local)\n"
         "  --pool-type TYPE            accelerator type of its slices (v3-8)\n"
         "  --provider local|none       local: start the workers here; none: they come by "
         "themselves (local)\n"
         "  --worker PATH               the worker's program (octet-worker beside this one)\n"
         "  --version, --help\n";
}

Result<int64_t> SlicesFor(const std::string& pool_type, int64_t boards) {
  const AcceleratorType* type = FindAcceleratorType(pool_type);
  if (type == nullptr)
    return InvalidArgument("--pool-type: " + UnknownAcceleratorMessage(pool_type));
  const int64_t each = type->boards().count();
  if (boards % each != 0) {
    return InvalidArgument("--boards is " + std::to_string(boards) + ", but a slice of type " +
                           pool_type + " has " + std::to_string(each) +
                           "; give a multiple of that");
  }
  return boards / each;
}

}  // namespace octet
