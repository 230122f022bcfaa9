#include "coordinator/api/representation.h"

#include <map>
#include <string>

#include "coordinator/api/text_parts.h"

namespace octet {
namespace {

// What one element of an Accept header asks for; nothing if it is not served.
std::optional<Representation::Form> FormOf(std::string_view range) {
  const std::string_view type = Trimmed(TakeUpTo(';', range));
  if (type != "application/json" && type != "application/*" && type != "*/*") return std::nullopt;
  std::map<std::string, std::string, std::less<>> parameters;
  while (!range.empty()) {
    std::string_view value = Trimmed(TakeUpTo(';', range));
    const std::string_view name = Trimmed(TakeUpTo('=', value));
    parameters[std::string(name)] = std::string(Trimmed(value));
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
    if (const auto form = FormOf(Trimmed(TakeUpTo(',', accept)))) {
      chosen.form = *form;
      return chosen;
    }
  }
  return std::nullopt;
}

}  // namespace octet
