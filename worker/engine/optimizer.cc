#include "worker/engine/optimizer.h"

#include <cmath>

#include "shared/base/check.h"
#include "shared/base/random.h"
#include "worker/engine/vector_code.h"

namespace octet {
namespace {

constexpr uint64_t kInitialDomain = 0x696e6974;  // "init"; see kDropoutDomain.

struct SgdRates {
  float gradient_scale;
  float learning_rate;
  float momentum;
};

OCTET_VECTOR_CLONES void PlainSgd(const SgdRates& rates, int64_t begin, int64_t end,
                                  const float* sums, float* w) {
  const float scale = rates.gradient_scale, lr = rates.learning_rate;
  for (int64_t i = begin; i < end; ++i) w[i] -= sums[i] * scale * lr;
}

OCTET_VECTOR_CLONES void MomentumSgd(const SgdRates& rates, int64_t begin, int64_t end,
                                     const float* sums, float* m, float* w) {
  const float scale = rates.gradient_scale, lr = rates.learning_rate, momentum = rates.momentum;
  for (int64_t i = begin; i < end; ++i) {
    m[i] = m[i] * momentum - sums[i] * scale * lr;
    w[i] += m[i];
  }
}

OCTET_VECTOR_CLONES void NesterovSgd(const SgdRates& rates, int64_t begin, int64_t end,
                                     const float* sums, float* m, float* w) {
  const float scale = rates.gradient_scale, lr = rates.learning_rate, momentum = rates.momentum;
  for (int64_t i = begin; i < end; ++i) {
    const float part = sums[i] * scale * lr;
    m[i] = m[i] * momentum - part;
    w[i] += m[i] * momentum - part;
  }
}

struct AdamRates {
  float gradient_scale;
  float alpha;
  float first;   // 1 - beta1
  float second;  // 1 - beta2
  float epsilon;
};

OCTET_VECTOR_CLONES void Adam(const AdamRates& rates, int64_t begin, int64_t end, const float* sums,
                              float* m, float* v, float* w) {
  const float scale = rates.gradient_scale, alpha = rates.alpha, epsilon = rates.epsilon;
  const float first = rates.first, second = rates.second;
  for (int64_t i = begin; i < end; ++i) {
    const float g = sums[i] * scale;
    m[i] += (g - m[i]) * first;
    v[i] += (g * g - v[i]) * second;
    w[i] -= m[i] * alpha / (std::sqrt(v[i]) + epsilon);
  }
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, int64_t parameters) : spec_(spec) {
  const auto zeros = [parameters](const char* name) {
    return OptimizerSlot{.name = name,
                         .values = std::vector<float>(static_cast<size_t>(parameters))};
  };
  if (spec.kind == OptimizerKind::kAdam) {
    slots_.push_back(zeros("momentum"));
    slots_.push_back(zeros("velocity"));
  } else if (spec.momentum != 0) {
    slots_.push_back(zeros("momentum"));
  }
}

Optimizer::Update Optimizer::Prepare(int64_t examples) const {
  CHECK(examples > 0);
  Update update;
  update.step = step_ + 1;
  update.gradient_scale = 1.0F / static_cast<float>(examples);
  update.learning_rate = static_cast<float>(spec_.learning_rate);
  if (spec_.kind == OptimizerKind::kAdam) {
    // Keras takes the powers and the differences from 1 in float32; so do we, or the first steps
    // would differ by 2e-5.
    const auto t = static_cast<float>(update.step);
    const float power1 = std::pow(static_cast<float>(spec_.beta1), t);
    const float power2 = std::pow(static_cast<float>(spec_.beta2), t);
    update.learning_rate = update.learning_rate * std::sqrt(1.0F - power2) / (1.0F - power1);
  }
  return update;
}

void Optimizer::Apply(const Update& update, const float* gradient_sums, int64_t begin, int64_t end,
                      float* weights) {
  if (spec_.kind == OptimizerKind::kAdam) {
    const AdamRates rates{.gradient_scale = update.gradient_scale,
                          .alpha = update.learning_rate,
                          .first = static_cast<float>(1.0 - spec_.beta1),
                          .second = static_cast<float>(1.0 - spec_.beta2),
                          .epsilon = static_cast<float>(spec_.epsilon)};
    Adam(rates, begin, end, gradient_sums, slots_[0].values.data(), slots_[1].values.data(),
         weights);
    return;
  }
  const SgdRates rates{.gradient_scale = update.gradient_scale,
                       .learning_rate = update.learning_rate,
                       .momentum = static_cast<float>(spec_.momentum)};
  if (slots_.empty()) {
    PlainSgd(rates, begin, end, gradient_sums, weights);
  } else if (spec_.nesterov) {
    NesterovSgd(rates, begin, end, gradient_sums, slots_[0].values.data(), weights);
  } else {
    MomentumSgd(rates, begin, end, gradient_sums, slots_[0].values.data(), weights);
  }
}

std::vector<float> InitialWeights(const Network& network, uint64_t seed) {
  std::vector<float> weights(static_cast<size_t>(network.parameters()), 0.0F);
  for (const Layer& layer : network.layers()) {
    if (layer.kind != LayerKind::kDense) continue;
    Random random(MixKey(seed, static_cast<uint64_t>(layer.position), 0, kInitialDomain));
    const auto limit =
        static_cast<float>(std::sqrt(6.0 / static_cast<double>(layer.inputs + layer.outputs)));
    for (int64_t i = 0; i < layer.inputs * layer.outputs; ++i) {
      weights[static_cast<size_t>(layer.kernel_offset + i)] =
          (2.0F * random.NextFloat() - 1.0F) * limit;
    }
  }
  return weights;
}

}  // namespace octet
