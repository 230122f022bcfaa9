// A Schema as JSON Schema, in the subset that Kubernetes calls structural: what OpenAPI documents
// and CustomResourceDefinitions are made of. Pure.
#pragma once

#include "shared/objects/kinds.h"

namespace octet {

// One field: type, description, default, bounds, members. Rules across fields are not in it.
Value JsonSchemaOf(const Schema& schema);

// A whole object of a kind: apiVersion, kind, metadata, spec and status. `metadata` is the schema
// of that member.
Value ObjectSchemaOf(const KindInfo& info, Value metadata);

// The CustomResourceDefinition of a kind (apiextensions.k8s.io/v1): names, columns, subresources
// and schema of this one version.
Value CustomResourceDefinitionOf(const KindInfo& info);

}  // namespace octet
