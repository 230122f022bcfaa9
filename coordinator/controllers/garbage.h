// The garbage collector: what has lost its last owner goes, foreground and orphaning deletions come
// to their end, and a namespace takes with it what lies in it. As in Kubernetes:
// https://kubernetes.io/docs/concepts/architecture/garbage-collection/
//
// Sessions are the record of what was used: they stay when their namespace goes, so that nobody's
// quota comes back by that.
#pragma once

#include <string>

#include "coordinator/controllers/control_context.h"

namespace octet {

// Gives every namespace that there are objects in, and the default one, its own object. To be
// called once, before clients are served.
Status MakeNamespaces(ControlContext& context);

// Does what has become due since the last call.
void CollectGarbage(ControlContext& context);

}  // namespace octet
