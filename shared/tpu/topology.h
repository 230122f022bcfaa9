// Topology: where the boards of a pool stand, and which of them may form a slice. Pure.
//
// A pool is a torus whose sides are powers of two, filled in Z-order (the Morton curve): board
// `ordinal` stands where the even bits of its ordinal say y and the odd ones x.
//
//       x 0  1     2  3
//   y 0   0  2  |  8 10      The first 2^k boards are always a rectangle of the shapes 1x1, 1x2,
//     1   1  3  |  9 11      2x2, 2x4, 4x4, …, the shapes of the accelerator types, and an
//     2   4  6  | 12 14      aligned rectangle of 2^k boards is an aligned run of 2^k ordinals.
//     3   5  7  | 13 15
//
// So a pool keeps the coordinates of its boards when it grows or shrinks, and slices are the blocks
// of a buddy system: two of them never overlap without one containing the other. (Rows of a
// near-square rectangle were rejected: a ninth board would move the other eight.)
#pragma once

#include <cstdint>
#include <vector>

#include "shared/base/units.h"
#include "shared/objects/accelerator_type.h"

namespace octet {

struct Coordinates {
  int x = 0;
  int y = 0;
  bool operator==(const Coordinates&) const = default;
};

// Boards with left <= x < left + width and top <= y < top + height.
struct Rectangle {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool Contains(Coordinates at) const {
    return at.x >= left && at.x < left + width && at.y >= top && at.y < top + height;
  }
  bool operator==(const Rectangle&) const = default;
};

// A place for one slice: the boards with ordinals first, …, first + count - 1, in rank order.
struct SlicePlace {
  int64_t first = 0;
  int64_t count = 0;
  bool operator==(const SlicePlace&) const = default;
};

// The sides of the smallest torus for that many boards: {2, 2} for 3 or 4, {2, 4} for 5 to 8. At
// least one board. As a Rectangle at the origin.
Rectangle TorusOf(Boards boards);

// Of the board with this ordinal, 0 <= ordinal < 2^30, in a pool of any size.
Coordinates CoordinatesOf(int64_t ordinal);
// The reverse, for 0 <= x, y < 2^15.
int64_t OrdinalAt(Coordinates at);

// The rectangle that a place covers. Its count is a power of two and divides `first`.
Rectangle RectangleOf(const SlicePlace& place);

// Every place for one slice of this type in a pool of so many boards, by ordinal. Empty if the pool
// is too small.
std::vector<SlicePlace> PlacesOf(const AcceleratorType& type, Boards pool);

}  // namespace octet
