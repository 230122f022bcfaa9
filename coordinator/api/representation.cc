#include "coordinator/api/representation.h"

#include <map>
#include <string>

namespace octet {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string_view TakeUpTo(char separator, std::string_view& rest) {
  const size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return Trimmed(part);
}

// What one element of an Accept header asks for; nothing if it is not served.
std::optional<Representation::Form> FormOf(std::string_view range) {
  const std::string_view type = TakeUpTo(';', range);
  if (type != "application/json" && type != "application/*" && type != "*/*") return std::nullopt;
  std::map<std::string, std::string, std::less<>> parameters;
  while (!range.empty()) {
    std::string_view value = TakeUpTo(';', range);
    const std::string_view name = TakeUpTo('=', value);
    parameters[std::string(name)] = std::string(value);
  }
  const std::string as = parameters["as"];
  const std::string group = parameters["g"];
  const std::string version = parameters["v"];
  if (as.empty()) return Representation::Form::kObject;
  if (as == "Table" && group == "meta.k8s.io" && version == "v1") {
    return Representation::Form::kTable;
  }
  if (as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && version == "v2") {
    return Representation::Form::kGroupDiscovery;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Representation> Negotiate(const ApiRequest& request) {
  Representation chosen;
  const std::string& include = request.Query("includeObject");
  if (include == "None") chosen.row_object = RowObject::kNone;
  if (include == "Object") chosen.row_object = RowObject::kWhole;
  std::string_view accept = request.Header("accept");
  if (Trimmed(accept).empty()) return chosen;
  while (!accept.empty()) {
    if (const auto form = FormOf(TakeUpTo(',', accept))) {
      chosen.form = *form;
      return chosen;
    }
  }
  return std::nullopt;
}

}  // namespace octet
