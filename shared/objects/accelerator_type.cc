#include "shared/objects/accelerator_type.h"

#include <cctype>
#include <charconv>

namespace octet {
namespace {

struct Shape {
  int chips_x;
  int chips_y;
};

// Smallest first. A v2 type has the shape of the v3 type of the same number.
constexpr Shape kVersion3[] = {{2, 2},  {4, 4},   {4, 8},   {8, 8},
                               {8, 16}, {16, 16}, {16, 32}, {32, 32}};
constexpr Shape kVersion2[] = {{2, 2}, {4, 4}, {8, 8}, {8, 16}, {16, 16}};

constexpr int kCoresPerChip = kCoresPerBoard / kChipsPerBoard;

AcceleratorType MakeType(int version, Shape shape) {
  const int cores = shape.chips_x * shape.chips_y * kCoresPerChip;
  return {.name = "v" + std::to_string(version) + "-" + std::to_string(cores),
          .version = version,
          .cores = cores,
          .chips_x = shape.chips_x,
          .chips_y = shape.chips_y};
}

std::vector<AcceleratorType> MakeAll() {
  std::vector<AcceleratorType> types;
  for (const Shape shape : kVersion2) types.push_back(MakeType(2, shape));
  for (const Shape shape : kVersion3) types.push_back(MakeType(3, shape));
  return types;
}

// The number of "v3-16", or 0.
int CoresIn(std::string_view name) {
  int cores = 0;
  const std::string_view digits = name.substr(3);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cores);
  return error == std::errc() && end == digits.data() + digits.size() ? cores : 0;
}

// "v3-8 or v3-32" for "v3-16": the types of that version next below and above; "" if the name is of
// no such form.
std::string Neighbours(std::string_view name) {
  if (name.size() < 4 || name[0] != 'v' || name[2] != '-') return "";
  const int version = name[1] - '0';
  const int cores = CoresIn(name);
  if ((version != 2 && version != 3) || cores <= 0) return "";
  std::string below, above;
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    if (type.version != version) continue;
    if (type.cores < cores) below = type.name;
    if (type.cores > cores && above.empty()) above = type.name;
  }
  if (below.empty() || above.empty()) return below + above;
  return below + " or " + above;
}

}  // namespace

const std::vector<AcceleratorType>& AllAcceleratorTypes() {
  static const std::vector<AcceleratorType> types = MakeAll();
  return types;
}

const AcceleratorType* FindAcceleratorType(std::string_view name) {
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string UnknownAcceleratorMessage(std::string_view name) {
  const std::string there_is_none = "there is no " + std::string(name) + ": use ";
  const std::string neighbours = Neighbours(name);
  if (!neighbours.empty()) return there_is_none + neighbours;
  std::string all;
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    all += (all.empty() ? "" : ", ") + type.name;
  }
  return there_is_none + "one of " + all;
}

}  // namespace octet
