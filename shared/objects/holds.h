// By what an object is held or moved: the finalizers and annotations that the API writes and the
// coordinator's loops follow. As Kubernetes names them where it has them.
#pragma once

namespace octet {

// The dependents go first; then the object.
inline constexpr char kForegroundFinalizer[] = "foregroundDeletion";
// The dependents lose this owner and stay; then the object goes.
inline constexpr char kOrphanFinalizer[] = "orphan";
// On a TrainingJob: the uid of the session that is to end, with time for a checkpoint, so that the
// job goes on elsewhere.
inline constexpr char kEvictAnnotation[] = "octet.dev/evict-session";

}  // namespace octet
