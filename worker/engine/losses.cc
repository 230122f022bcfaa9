#include "worker/engine/losses.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "worker/engine/vector_code.h"
#include "worker/engine/vector_math.h"

namespace octet {
namespace {

// keras.config.epsilon(): how near to 0 or 1 a probability may come.
constexpr float kProbabilityMin = 1e-7F;
constexpr float kProbabilityMax = 1.0F - kProbabilityMin;

int64_t LargestIndex(const float* values, int64_t width) {
  return std::max_element(values, values + width) - values;
}

// ln cosh x without overflow for large x and without cancellation for small ones:
// cosh x = 1 + 2 sinh^2(x / 2).
double LogCosh(double x) {
  const double magnitude = std::abs(x);
  if (magnitude < 1) {
    const double half = std::sinh(0.5 * magnitude);
    return std::log1p(2 * half * half);
  }
  return magnitude + std::log1p(std::exp(-2 * magnitude)) - std::numbers::ln2;
}

double LogCoshSum(const LossRows& rows, float* gradients) {
  const auto width = static_cast<double>(rows.width);
  double sum = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    double example = 0;
    for (int64_t i = row * rows.width; i < (row + 1) * rows.width; ++i) {
      example += LogCosh(double{rows.outputs[i]} - double{rows.targets[i]});
    }
    sum += example / width;
  }
  if (gradients != nullptr) {
    const auto columns = static_cast<float>(rows.width);
    for (int64_t i = 0; i < rows.rows * rows.width; ++i) {
      gradients[i] = vector_math::Tanh(rows.outputs[i] - rows.targets[i]) / columns;
    }
  }
  return sum;
}

double SquaredErrorSum(const LossRows& rows, float* gradients) {
  const auto width = static_cast<double>(rows.width);
  double sum = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    double example = 0;
    for (int64_t i = row * rows.width; i < (row + 1) * rows.width; ++i) {
      const double difference = double{rows.outputs[i]} - double{rows.targets[i]};
      example += difference * difference;
    }
    sum += example / width;
  }
  if (gradients != nullptr) {
    const float factor = 2.0F / static_cast<float>(rows.width);
    for (int64_t i = 0; i < rows.rows * rows.width; ++i) {
      gradients[i] = factor * (rows.outputs[i] - rows.targets[i]);
    }
  }
  return sum;
}

// exps[j] = e^(logits[j] - largest).
OCTET_VECTOR_CLONES void Exponentials(const float* logits, int64_t width, float largest,
                                      float* exps) {
  for (int64_t j = 0; j < width; ++j) exps[j] = vector_math::Exp(logits[j] - largest);
}

// With z the logits, t the targets and T their sum: loss = T ln(sum e^z) - sum t z, gradient =
// T softmax(z) - t. Logits are taken relative to the largest.
double FromLogits(const LossRows& rows, bool sparse, float* gradients) {
  double sum = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    const float* z = rows.outputs + row * rows.width;
    const float largest = *std::max_element(z, z + rows.width);
    float exp_sum = 0;
    if (gradients != nullptr) {
      float* g = gradients + row * rows.width;
      Exponentials(z, rows.width, largest, g);
      for (int64_t j = 0; j < rows.width; ++j) exp_sum += g[j];
    } else {
      for (int64_t j = 0; j < rows.width; ++j) exp_sum += vector_math::Exp(z[j] - largest);
    }
    const double log_sum = std::log(double{exp_sum});
    float target_sum = 1;
    if (sparse) {
      const auto label = static_cast<int64_t>(rows.targets[row]);
      sum += log_sum - (double{z[label]} - double{largest});
    } else {
      const float* t = rows.targets + row * rows.width;
      double example = 0;
      target_sum = 0;
      for (int64_t j = 0; j < rows.width; ++j) {
        target_sum += t[j];
        example += double{t[j]} * (log_sum - (double{z[j]} - double{largest}));
      }
      sum += example;
    }
    if (gradients == nullptr) continue;
    float* g = gradients + row * rows.width;
    for (int64_t j = 0; j < rows.width; ++j) g[j] = target_sum * (g[j] / exp_sum);
    if (sparse) {
      g[static_cast<int64_t>(rows.targets[row])] -= 1.0F;
    } else {
      for (int64_t j = 0; j < rows.width; ++j) g[j] -= rows.targets[row * rows.width + j];
    }
  }
  return sum;
}

// With p = y / sum(y) held within its bounds: loss = -sum t ln p. A p that is held has no gradient;
// the others give dL/dy_j = (sum of their t) / sum(y) - t_j / y_j.
double FromProbabilities(const LossRows& rows, bool sparse, float* gradients) {
  double sum = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    const float* y = rows.outputs + row * rows.width;
    const auto target = [&](int64_t j) {
      if (!sparse) return rows.targets[row * rows.width + j];
      return static_cast<int64_t>(rows.targets[row]) == j ? 1.0F : 0.0F;
    };
    float total = 0;
    for (int64_t j = 0; j < rows.width; ++j) total += y[j];
    float free_target = 0;
    for (int64_t j = 0; j < rows.width; ++j) {
      const float p = total == 0 ? 0.0F : y[j] / total;
      float held = p < kProbabilityMin ? kProbabilityMin : p;
      held = held > kProbabilityMax ? kProbabilityMax : held;
      if (target(j) != 0) sum -= double{target(j)} * std::log(double{held});
      const bool is_free = p >= kProbabilityMin && p <= kProbabilityMax;
      if (is_free) free_target += target(j);
      if (gradients != nullptr) {
        gradients[row * rows.width + j] = is_free ? -target(j) / y[j] : 0.0F;
      }
    }
    if (gradients == nullptr || total == 0) continue;
    for (int64_t j = 0; j < rows.width; ++j) {
      gradients[row * rows.width + j] += free_target / total;
    }
  }
  return sum;
}

}  // namespace

double LossSum(LossKind loss, bool from_logits, const LossRows& rows, float* gradients) {
  switch (loss) {
    case LossKind::kLogCosh:
      return LogCoshSum(rows, gradients);
    case LossKind::kMeanSquaredError:
      return SquaredErrorSum(rows, gradients);
    case LossKind::kCategoricalCrossentropy:
    case LossKind::kSparseCategoricalCrossentropy:
      break;
  }
  const bool sparse = loss == LossKind::kSparseCategoricalCrossentropy;
  return from_logits ? FromLogits(rows, sparse, gradients)
                     : FromProbabilities(rows, sparse, gradients);
}

int64_t CountCorrect(LossKind loss, const LossRows& rows) {
  const bool sparse = loss == LossKind::kSparseCategoricalCrossentropy;
  int64_t correct = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    const int64_t predicted = LargestIndex(rows.outputs + row * rows.width, rows.width);
    const int64_t wanted = sparse ? static_cast<int64_t>(rows.targets[row])
                                  : LargestIndex(rows.targets + row * rows.width, rows.width);
    correct += predicted == wanted ? 1 : 0;
  }
  return correct;
}

}  // namespace octet
