#include "worker/train/epoch_line.h"

#include <cmath>
#include <cstdio>

namespace octet {
namespace {

template <typename... Parts>
std::string Format(const char* format, Parts... parts) {
  char text[64];
  std::snprintf(text, sizeof(text), format, parts...);
  return text;
}

std::string Figures(const EpochSums& sums, const std::string& prefix, bool has_accuracy) {
  const auto examples = static_cast<double>(sums.examples);
  std::string text = "  ";
  text += prefix + "loss " + FormatLoss(sums.loss / examples);
  if (has_accuracy) {
    text += "  " + prefix + "accuracy " + Format("%.1f %%", 100 * sums.correct / examples);
  }
  return text;
}

}  // namespace

std::string GroupDigits(int64_t number) {
  const std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string FormatLoss(double loss) {
  if (!std::isfinite(loss)) return std::isnan(loss) ? "nan" : "inf";
  const bool small = loss != 0 && std::fabs(loss) < 0.001;
  return small ? Format("%.3e", loss) : Format("%.4f", loss);
}

std::string FormatEpochLine(const EpochLine& line) {
  const std::string epochs = std::to_string(line.epochs);
  std::string text =
      "epoch " +
      Format("%*lld", static_cast<int>(epochs.size()), static_cast<long long>(line.epoch)) + "/" +
      epochs;
  text += Figures(line.training, "", line.has_accuracy);
  if (line.validation.examples > 0) text += Figures(line.validation, "val_", line.has_accuracy);
  text += "  " + GroupDigits(std::llround(line.examples_per_second)) + " examples/s";
  text += "  all-reduce " + Format("%.3f ms/step", line.all_reduce_millis);
  return text;
}

}  // namespace octet
