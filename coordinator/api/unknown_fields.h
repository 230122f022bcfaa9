// What becomes of fields that a kind does not have, by the client's fieldValidation. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coordinator/api/responses.h"
#include "coordinator/api/write_request.h"
#include "shared/objects/fault.h"

namespace octet {

// Takes the faults of unknown fields out of `faults`: strict: a refusal in Kubernetes' words, with
// what was probably meant, that has every other fault as a cause, too; warn: adds to `warnings`;
// ignore: forgets them.
std::optional<ApiResponse> RefuseUnknownFields(const KindInfo& info, FieldValidation validation,
                                               Faults& faults, std::vector<std::string>& warnings);

}  // namespace octet
