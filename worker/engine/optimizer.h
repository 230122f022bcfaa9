// Optimizers: SGD (momentum, Nesterov) and Adam, with the arithmetic of Keras 3 in float32.
//
// The update is elementwise, so threads may share it by ranges of the flat buffer and the bits stay
// the same. Source of the rules: keras/src/optimizers/{sgd,adam}.py of Keras 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/model/network.h"

namespace octet {

// One state buffer, as long as the weights and in their order.
struct OptimizerSlot {
  std::string name;  // "momentum" and "velocity" (Adam), "momentum" (SGD with momentum).
  std::vector<float> values;
};

class Optimizer {
 public:
  // What is common to all elements of one update.
  struct Update {
    int64_t step = 0;          // The t of the update, from 1.
    float gradient_scale = 0;  // 1 / examples.
    float learning_rate = 0;   // Adam: with both bias corrections.
  };

  Optimizer(const OptimizerSpec& spec, int64_t parameters);

  // Updates done so far: Keras' `iterations`. With the slots, the whole state.
  int64_t step() const { return step_; }
  void set_step(int64_t step) { step_ = step; }
  std::vector<OptimizerSlot>& slots() { return slots_; }
  const std::vector<OptimizerSlot>& slots() const { return slots_; }

  // One step: Prepare on one thread, Apply on any threads for disjoint ranges that cover the
  // buffer, then Finish on one thread. `examples` > 0 is the whole batch's.
  Update Prepare(int64_t examples) const;
  // `gradient_sums` are the sums over the batch's examples; they are divided here, once.
  void Apply(const Update& update, const float* gradient_sums, int64_t begin, int64_t end,
             float* weights);
  void Finish(const Update& update) { step_ = update.step; }

 private:
  OptimizerSpec spec_;
  int64_t step_ = 0;
  std::vector<OptimizerSlot> slots_;
};

// Weights before the first step: kernels Glorot uniform, biases 0; keyed by (seed, layer position).
std::vector<float> InitialWeights(const Network& network, uint64_t seed);

}  // namespace octet
