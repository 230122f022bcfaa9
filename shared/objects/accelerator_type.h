// Accelerator types: the names that a job may ask for, and their shapes. They count cores; there is
// no v3-16. Source: Cloud TPU's published slice types of v2 and v3. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/base/units.h"

namespace octet {

inline constexpr int kCoresPerBoard = 8;
inline constexpr int kChipsPerBoard = 4;

struct AcceleratorType {
  std::string name;  // "v3-32"
  int version = 3;   // 2 or 3.
  int cores = 0;     // 32
  int chips_x = 0;   // 4
  int chips_y = 0;   // 4
  // A board is 2x2 chips.
  int boards_x() const { return chips_x / 2; }
  int boards_y() const { return chips_y / 2; }
  Boards boards() const { return Boards(boards_x() * boards_y()); }
};

const std::vector<AcceleratorType>& AllAcceleratorTypes();
// nullptr if there is no such type.
const AcceleratorType* FindAcceleratorType(std::string_view name);
// "there is no v3-16: use v3-8 or v3-32", for messages.
std::string UnknownAcceleratorMessage(std::string_view name);

}  // namespace octet
