// The words that a TrainingJob's YAML has for the enumerations of training_job.h, and the limits of
// a session as the document and its defaults state them. Shared by the schema, the rules and the
// decoder. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/objects/training_job.h"

namespace octet {

// Every word, in the order of the enumeration.
const std::vector<std::string>& ActivationWords();  // linear, relu, …
const std::vector<std::string>& LayerWords();       // dense, dropout, …
const std::vector<std::string>& LossWords();        // sparse_categorical_crossentropy, …
const std::vector<std::string>& OnLimitWords();     // Requeue, Suspend, Fail

std::optional<Activation> FindActivation(std::string_view word);
std::optional<LayerKind> FindLayerKind(std::string_view word);
std::optional<LossKind> FindLoss(std::string_view word);
std::optional<OnLimit> FindOnLimit(std::string_view word);

struct SessionLimits {
  Duration duration{};
  Duration min{};
  Duration grace{};
};
// Of a spec.session whose given durations are right. Defaults: 3h; 5m, but no more than the
// duration; 30s, but no more than half the minimum, so that a short session has time to train in.
SessionLimits SessionLimitsOf(const Value& session);

}  // namespace octet
