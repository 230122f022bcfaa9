#include "worker/train/train_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "shared/base/sha256.h"

namespace octet {
namespace {

std::string_view AsBytes(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

// The numbers of a state that are not in a buffer, in one block without padding.
struct Counters {
  int64_t step;
  int64_t optimizer_step;
  int64_t examples[3];
  double loss[3];
  double correct[3];
};
static_assert(sizeof(Counters) == 11 * 8);

std::string SlotPrefix(const OptimizerSlot& slot) { return slot.name + "/"; }

}  // namespace

TrainState::TrainState(const Network& network, const TrainingSpec& training)
    : weights(InitialWeights(network, training.seed)),
      optimizer(training.optimizer, network.parameters()),
      network_(network) {}

Checkpoint TrainState::Save() const {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.epoch_sums = epoch;
  checkpoint.last_epoch = last_epoch;
  checkpoint.validation = validation;
  Give(weights, "", checkpoint.weights);
  for (const OptimizerSlot& slot : optimizer.slots()) {
    Give(slot.values, SlotPrefix(slot), checkpoint.optimizer);
  }
  return checkpoint;
}

void TrainState::Give(const std::vector<float>& from, const std::string& prefix,
                      std::vector<NamedTensor>& tensors) const {
  for (const TensorInfo& tensor : network_.tensors()) {
    const float* begin = from.data() + tensor.offset;
    tensors.push_back({.name = prefix + tensor.name,
                       .shape = tensor.shape,
                       .values = std::vector<float>(begin, begin + tensor.size)});
  }
}

Status TrainState::Restore(const Checkpoint& checkpoint) {
  const size_t tensors = network_.tensors().size();
  if (checkpoint.weights.size() != tensors ||
      checkpoint.optimizer.size() != tensors * optimizer.slots().size()) {
    return FailedPrecondition("it has other tensors than the job's model and optimizer");
  }
  OCTET_RETURN_IF_ERROR(Take(checkpoint.weights, "", weights));
  for (OptimizerSlot& slot : optimizer.slots()) {
    OCTET_RETURN_IF_ERROR(Take(checkpoint.optimizer, SlotPrefix(slot), slot.values));
  }
  step = checkpoint.step;
  optimizer.set_step(checkpoint.step);  // One update a step.
  epoch = checkpoint.epoch_sums;
  last_epoch = checkpoint.last_epoch;
  validation = checkpoint.validation;
  return Ok();
}

Status TrainState::Take(const std::vector<NamedTensor>& tensors, const std::string& prefix,
                        std::vector<float>& into) const {
  for (const TensorInfo& wanted : network_.tensors()) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& tensor) {
      return tensor.name == prefix + wanted.name;
    });
    if (found == tensors.end())
      return FailedPrecondition("it has no tensor " + prefix + wanted.name);
    if (found->shape != wanted.shape) {
      return FailedPrecondition("its tensor " + found->name +
                                " has another shape than the model's");
    }
    std::copy(found->values.begin(), found->values.end(), into.begin() + wanted.offset);
  }
  return Ok();
}

std::vector<std::span<float>> TrainState::Buffers() {
  std::vector<std::span<float>> buffers = {weights};
  for (OptimizerSlot& slot : optimizer.slots()) buffers.emplace_back(slot.values);
  return buffers;
}

std::vector<std::span<const float>> TrainState::Buffers() const {
  std::vector<std::span<const float>> buffers = {weights};
  for (const OptimizerSlot& slot : optimizer.slots()) buffers.emplace_back(slot.values);
  return buffers;
}

std::string TrainState::Pack() const {
  const Counters counters{.step = step,
                          .optimizer_step = optimizer.step(),
                          .examples = {epoch.examples, last_epoch.examples, validation.examples},
                          .loss = {epoch.loss, last_epoch.loss, validation.loss},
                          .correct = {epoch.correct, last_epoch.correct, validation.correct}};
  std::string bytes(reinterpret_cast<const char*>(&counters), sizeof(counters));
  for (const auto buffer : Buffers()) bytes += AsBytes(buffer);
  return bytes;
}

Status TrainState::Unpack(std::string_view bytes) {
  Counters counters{};
  size_t size = sizeof(counters);
  for (const auto buffer : Buffers()) size += buffer.size_bytes();
  if (bytes.size() != size) {
    return InvalidArgument("the state from rank 0 has " + std::to_string(bytes.size()) +
                           " bytes, not " + std::to_string(size));
  }
  std::memcpy(&counters, bytes.data(), sizeof(counters));
  bytes.remove_prefix(sizeof(counters));
  step = counters.step;
  optimizer.set_step(counters.optimizer_step);
  EpochSums* const sums[] = {&epoch, &last_epoch, &validation};
  for (int i = 0; i < 3; ++i) {
    *sums[i] = {
        .examples = counters.examples[i], .loss = counters.loss[i], .correct = counters.correct[i]};
  }
  for (const auto buffer : Buffers()) {
    std::memcpy(buffer.data(), bytes.data(), buffer.size_bytes());
    bytes.remove_prefix(buffer.size_bytes());
  }
  return Ok();
}

std::string TrainState::WeightsSha256() const { return Sha256Hex(AsBytes(weights)); }

}  // namespace octet
