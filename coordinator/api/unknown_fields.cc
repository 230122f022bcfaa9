#include "coordinator/api/unknown_fields.h"

namespace octet {
namespace {

// `unknown field "spec.replicaz"; did you mean replicas?`
std::string Describe(const Fault& fault) {
  const size_t hint = fault.message.find("; ");
  return "unknown field \"" + fault.path + "\"" +
         (hint == std::string::npos ? "" : fault.message.substr(hint));
}

}  // namespace

std::optional<ApiResponse> RefuseUnknownFields(const KindInfo& info, FieldValidation validation,
                                               Faults& faults, std::vector<std::string>& warnings) {
  std::string unknown;
  for (const Fault& fault : faults) {
    if (fault.reason != kUnknownField) continue;
    const std::string text = Describe(fault);
    unknown += (unknown.empty() ? "" : ", ") + text;
    if (validation == FieldValidation::kWarn) warnings.push_back(text);
  }
  if (unknown.empty()) return std::nullopt;
  if (validation == FieldValidation::kStrict) {
    return BadFields(info.name + " in version \"" + info.version + "\" cannot be handled as a " +
                         info.name + ": strict decoding error: " + unknown,
                     faults);
  }
  std::erase_if(faults, [](const Fault& fault) { return fault.reason == kUnknownField; });
  return std::nullopt;
}

}  // namespace octet
