// A network in the plainest way: one example at a time, in double, by the definitions. The engine
// must agree with it, and its gradient with the differences of this one's loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/model/network.h"
#include "worker/engine/compiled_step.h"
#include "worker/engine/dropout.h"

namespace octet {

using Row = std::vector<double>;

inline Row NaiveActivation(Activation activation, Row row) {
  if (activation == Activation::kSoftmax) {
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& x : row) sum += x = std::exp(x - largest);
    for (double& x : row) x /= sum;
    return row;
  }
  for (double& x : row) {
    if (activation == Activation::kRelu) x = std::max(x, 0.0);
    if (activation == Activation::kElu) x = x > 0 ? x : std::expm1(x);
    if (activation == Activation::kTanh) x = std::tanh(x);
    if (activation == Activation::kSigmoid) x = 1 / (1 + std::exp(-x));
  }
  return row;
}

struct NaiveNetwork {
  const Network& network;
  std::vector<double> weights;

  // `factors`, by layer, are what dropout multiplies with; empty: no dropout.
  Row Forward(Row row, const std::vector<Row>& factors) const {
    for (const Layer& layer : network.layers()) {
      if (layer.kind == LayerKind::kDense) row = Dense(layer, row);
      if (layer.kind == LayerKind::kActivation) row = NaiveActivation(layer.activation, row);
      if (layer.kind == LayerKind::kRescaling) {
        for (double& x : row) x = x * layer.scale + layer.offset;
      }
      if (layer.kind == LayerKind::kDropout && !factors.empty()) {
        const Row& factor = factors[static_cast<size_t>(layer.position)];
        for (size_t i = 0; i < row.size(); ++i) row[i] *= factor[i];
      }
    }
    return row;
  }

  // As Keras 3 defines them: means over the outputs for squares and log-cosh, a sum for
  // cross-entropy, whose probabilities are made to sum to 1 and held off 0 and 1 unless a softmax
  // gave them.
  double Loss(const Row& outputs, const float* target) const {
    const auto width = static_cast<double>(outputs.size());
    double sum = 0;
    switch (network.loss()) {
      case LossKind::kMeanSquaredError:
        for (size_t i = 0; i < outputs.size(); ++i) sum += std::pow(outputs[i] - target[i], 2);
        return sum / width;
      case LossKind::kLogCosh:
        for (size_t i = 0; i < outputs.size(); ++i)
          sum += std::log(std::cosh(outputs[i] - target[i]));
        return sum / width;
      case LossKind::kSparseCategoricalCrossentropy:
        return -LogProbability(outputs, static_cast<size_t>(target[0]));
      case LossKind::kCategoricalCrossentropy:
        for (size_t i = 0; i < outputs.size(); ++i) sum -= target[i] * LogProbability(outputs, i);
        return sum;
    }
    return sum;
  }

  // The loss of a whole shard.
  double ShardLoss(const Shard& shard, const std::vector<std::vector<Row>>& factors) const {
    double sum = 0;
    for (int64_t r = 0; r < shard.rows; ++r) {
      const float* input = shard.inputs + r * network.input_width();
      const Row outputs =
          Forward(Row(input, input + network.input_width()),
                  factors.empty() ? std::vector<Row>() : factors[static_cast<size_t>(r)]);
      sum += Loss(outputs, shard.targets + r * network.target_width());
    }
    return sum;
  }

 private:
  Row Dense(const Layer& layer, const Row& row) const {
    Row out(static_cast<size_t>(layer.outputs), 0.0);
    for (int64_t o = 0; o < layer.outputs; ++o) {
      double& sum = out[static_cast<size_t>(o)];
      if (layer.use_bias) sum = weights[static_cast<size_t>(layer.bias_offset + o)];
      for (int64_t i = 0; i < layer.inputs; ++i) {
        sum += row[static_cast<size_t>(i)] *
               weights[static_cast<size_t>(layer.kernel_offset + i * layer.outputs + o)];
      }
    }
    return NaiveActivation(layer.activation, out);
  }

  double LogProbability(const Row& outputs, size_t at) const {
    if (network.ends_in_softmax()) return std::log(outputs[at]);
    double sum = 0;
    for (const double output : outputs) sum += output;
    return std::log(std::clamp(outputs[at] / sum, 1e-7, 1 - 1e-7));
  }
};

// Dropout's factors of every row and layer.
inline std::vector<std::vector<Row>> FactorsOf(const Network& network, const Shard& shard,
                                               const DropoutKey& key) {
  std::vector<std::vector<Row>> all(static_cast<size_t>(shard.rows));
  for (int64_t r = 0; r < shard.rows; ++r) {
    std::vector<Row>& rows = all[static_cast<size_t>(r)];
    rows.resize(network.layers().size());
    for (const Layer& layer : network.layers()) {
      if (layer.kind != LayerKind::kDropout) continue;
      std::vector<float> factors(static_cast<size_t>(layer.outputs));
      DropoutFactors(DropoutLayerKey(key, layer.position), (shard.first_row + r) * layer.outputs,
                     layer.outputs, layer.rate, factors.data());
      rows[static_cast<size_t>(layer.position)] = Row(factors.begin(), factors.end());
    }
  }
  return all;
}

}  // namespace octet
