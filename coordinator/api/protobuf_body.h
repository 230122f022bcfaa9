// Bodies of requests in Kubernetes' protobuf form, read as the document that their JSON form would
// be. Clients send it for Kubernetes' own kinds; answers are always JSON. Pure.
#pragma once

#include <string>

#include "shared/base/status.h"
#include "shared/objects/value.h"

namespace octet {

inline constexpr char kProtobufMediaType[] = "application/vnd.kubernetes.protobuf";

// kInvalidArgument: not that form, or a kind that proto/kubernetes.proto does not describe. Fields
// with the empty value of their type are left out, as in JSON.
Result<Value> ReadProtobufBody(const std::string& body);

}  // namespace octet
