#include "shared/objects/training_job_words.h"

namespace octet {
namespace {

template <typename Enumeration>
std::optional<Enumeration> FindWord(const std::vector<std::string>& words, std::string_view word) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<Enumeration>(i);
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& ActivationWords() {
  static const std::vector<std::string> words = {"linear", "relu",    "elu",
                                                 "tanh",   "sigmoid", "softmax"};
  return words;
}

const std::vector<std::string>& LayerWords() {
  static const std::vector<std::string> words = {"dense", "dropout", "flatten", "activation",
                                                 "rescaling"};
  return words;
}

const std::vector<std::string>& LossWords() {
  static const std::vector<std::string> words = {"sparse_categorical_crossentropy",
                                                 "categorical_crossentropy", "log_cosh",
                                                 "mean_squared_error"};
  return words;
}

const std::vector<std::string>& OnLimitWords() {
  static const std::vector<std::string> words = {"Requeue", "Suspend", "Fail"};
  return words;
}

std::optional<Activation> FindActivation(std::string_view word) {
  return FindWord<Activation>(ActivationWords(), word);
}

std::optional<LayerKind> FindLayerKind(std::string_view word) {
  return FindWord<LayerKind>(LayerWords(), word);
}

std::optional<LossKind> FindLoss(std::string_view word) {
  return FindWord<LossKind>(LossWords(), word);
}

std::optional<OnLimit> FindOnLimit(std::string_view word) {
  return FindWord<OnLimit>(OnLimitWords(), word);
}

}  // namespace octet
