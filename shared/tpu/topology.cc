#include "shared/tpu/topology.h"

#include "shared/base/check.h"

namespace octet {
namespace {

// The smallest k with 2^k >= count.
int CeilLog2(int64_t count) {
  int k = 0;
  while ((int64_t{1} << k) < count) ++k;
  return k;
}

// A block of 2^k boards: x has the first bit, so that it is the wider side.
Rectangle BlockOf(int k) { return {.width = 1 << ((k + 1) / 2), .height = 1 << (k / 2)}; }

}  // namespace

Rectangle TorusOf(Boards boards) {
  CHECK(boards.count() > 0) << "a pool without boards has no torus";
  return BlockOf(CeilLog2(boards.count()));
}

Coordinates CoordinatesOf(int64_t ordinal) {
  CHECK(ordinal >= 0);
  Coordinates place;
  for (int bit = 0; ordinal >> (2 * bit) != 0; ++bit) {
    place.x |= static_cast<int>(ordinal >> (2 * bit) & 1) << bit;
    place.y |= static_cast<int>(ordinal >> (2 * bit + 1) & 1) << bit;
  }
  return place;
}

Rectangle SliceShape(Boards boards) {
  const int k = CeilLog2(boards.count());
  CHECK(int64_t{1} << k == boards.count()) << boards.count() << " boards are no slice";
  return BlockOf(k);
}

std::vector<int64_t> SlicePlaces(const AcceleratorType& type, Boards pool_boards) {
  std::vector<int64_t> places;
  const int64_t size = type.boards().count();
  for (int64_t first = 0; first + size <= pool_boards.count(); first += size) {
    places.push_back(first);
  }
  return places;
}

}  // namespace octet
