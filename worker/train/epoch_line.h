// The line that people read after each epoch. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "worker/checkpoint/checkpoint.h"

namespace octet {

struct EpochLine {
  int64_t epoch = 0;  // The one that has ended, from 1.
  int64_t epochs = 0;
  EpochSums training{};
  EpochSums validation{};    // No examples: the job has none.
  bool has_accuracy = true;  // The target is a class.
  double examples_per_second = 0;
  double all_reduce_millis = 0;  // A step's mean.
};

// "epoch  3/30  loss 0.1234  accuracy 95.1 %  val_loss 0.1500  val_accuracy 94.4 %  12,345
// examples/s all-reduce 0.12 ms/step".
std::string FormatEpochLine(const EpochLine& line);

// "12,345".
std::string GroupDigits(int64_t number);

// "nan", "inf" or the number with four digits behind the point, more where it is small.
std::string FormatLoss(double loss);

}  // namespace octet
