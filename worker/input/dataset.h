// Dataset: a table of examples in memory, as the engine reads it. Values; after it is built it is
// only read, by any number of threads.
//
// Inputs and targets are row-major float32. A class target is kept once, as the index of its class,
// and becomes a one-hot row when it is gathered, so that ten classes do not cost ten columns of
// memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octet {

struct Dataset {
  int64_t examples = 0;
  int64_t width = 0;         // Inputs of an example.
  int64_t target_width = 1;  // Targets of an example as gathered; the classes where one-hot.
  bool one_hot = false;
  std::vector<std::string> input_names;  // In column order.
  std::vector<float> inputs;             // examples x width.
  std::vector<float> targets;            // examples x 1: a number, or a class index.
};

// Copies the inputs of example `row` to `to` (width floats).
void GatherInputs(const Dataset& data, int64_t row, float* to);
// Writes the target of example `row` to `to` (target_width floats).
void GatherTargets(const Dataset& data, int64_t row, float* to);

}  // namespace octet
