// Representation: in which form a client wants its answer, by its Accept header. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "coordinator/api/request.h"
#include "coordinator/api/table.h"

namespace octet {

struct Representation {
  enum class Form { kObject, kTable, kGroupDiscovery };
  Form form = Form::kObject;
  RowObject row_object = RowObject::kMetadata;  // Of a table.
};

// The first form in the Accept header that the API has: application/json, with as=Table of
// meta.k8s.io or as=APIGroupDiscoveryList of apidiscovery.k8s.io, version v1 or v2. No header, or a
// type that is there only among others (protobuf), means JSON. Nothing: no form that the API has.
std::optional<Representation> Negotiate(const ApiRequest& request);

inline constexpr char kGroupDiscoveryMediaType[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

}  // namespace octet
