// WriteRequest: what a request that changes something says: its options, the same for every verb,
// and its body, read as a document. Pure.
#pragma once

#include <string>
#include <vector>

#include "coordinator/api/request.h"
#include "coordinator/api/responses.h"

namespace octet {

inline constexpr char kJsonMediaType[] = "application/json";
inline constexpr char kYamlMediaType[] = "application/yaml";
inline constexpr char kMergeMediaType[] = "application/merge-patch+json";
inline constexpr char kJsonPatchMediaType[] = "application/json-patch+json";
inline constexpr char kStrategicMediaType[] = "application/strategic-merge-patch+json";
inline constexpr char kApplyMediaType[] = "application/apply-patch+yaml";

// What becomes of a field that the kind does not have: a refusal, a Warning header, nothing. In the
// last two cases it is dropped.
enum class FieldValidation { kStrict, kWarn, kIgnore };

struct WriteRequest {
  bool dry_run = false;
  bool force = false;  // Of an apply: take fields that others own.
  FieldValidation validation = FieldValidation::kStrict;
  std::string manager{};  // Who writes, for managedFields; given, or the program that asks.
  bool manager_given = false;
  std::string media_type{};  // One of those accepted.
  Value body{};              // Null: there is none.
};

// Reads the body as the first of `accepted` if no type is given, else as the given one of them.
// Where JSON is accepted, Kubernetes' protobuf form is, too.
OrRefusal<WriteRequest> ReadWriteRequest(const ApiRequest& request,
                                         const std::vector<std::string>& accepted);

}  // namespace octet
