#include "shared/tpu/topology.h"

#include "shared/base/check.h"

namespace octet {
namespace {

constexpr int64_t kOrdinalEnd = int64_t{1} << 30;
constexpr int kSideEnd = 1 << 15;

bool IsPowerOfTwo(int64_t count) { return count > 0 && (count & (count - 1)) == 0; }

// The first 2^k boards: y has the even bits, so that it gets the first one.
Rectangle BlockAtOrigin(int64_t count) {
  int k = 0;
  while ((int64_t{1} << k) < count) ++k;
  return {.width = 1 << (k / 2), .height = 1 << ((k + 1) / 2)};
}

}  // namespace

Rectangle TorusOf(Boards boards) {
  CHECK(boards.count() > 0 && boards.count() <= kOrdinalEnd) << "a torus of " << boards.count();
  return BlockAtOrigin(boards.count());
}

Coordinates CoordinatesOf(int64_t ordinal) {
  CHECK(ordinal >= 0 && ordinal < kOrdinalEnd) << "a board with ordinal " << ordinal;
  Coordinates at;
  for (int bit = 0; (ordinal >> (2 * bit)) != 0; ++bit) {
    at.y |= static_cast<int>((ordinal >> (2 * bit)) & 1) << bit;
    at.x |= static_cast<int>((ordinal >> (2 * bit + 1)) & 1) << bit;
  }
  return at;
}

int64_t OrdinalAt(Coordinates at) {
  CHECK(at.x >= 0 && at.y >= 0 && at.x < kSideEnd && at.y < kSideEnd)
      << "a board at " << at.x << ", " << at.y;
  int64_t ordinal = 0;
  for (int bit = 0; ((at.x | at.y) >> bit) != 0; ++bit) {
    ordinal |= int64_t{(at.y >> bit) & 1} << (2 * bit);
    ordinal |= int64_t{(at.x >> bit) & 1} << (2 * bit + 1);
  }
  return ordinal;
}

Rectangle RectangleOf(const SlicePlace& place) {
  CHECK(IsPowerOfTwo(place.count) && place.first % place.count == 0)
      << "boards " << place.first << " and " << place.count << " on are no slice";
  const Coordinates at = CoordinatesOf(place.first);
  Rectangle rectangle = BlockAtOrigin(place.count);
  rectangle.left = at.x;
  rectangle.top = at.y;
  return rectangle;
}

std::vector<SlicePlace> PlacesOf(const AcceleratorType& type, Boards pool) {
  const int64_t count = type.boards().count();
  CHECK(IsPowerOfTwo(count)) << type.name << " has " << count << " boards";
  std::vector<SlicePlace> places;
  for (int64_t first = 0; first + count <= pool.count(); first += count) {
    places.push_back({.first = first, .count = count});
  }
  return places;
}

}  // namespace octet
