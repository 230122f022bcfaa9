#include "shared/tpu/topology.h"

#include <gtest/gtest.h>

#include <set>

namespace octet {
namespace {

TEST(Topology, TheTorusIsTheSmallestOfPowersOfTwo) {
  EXPECT_EQ((Rectangle{.width = 1, .height = 1}), TorusOf(Boards(1)));
  EXPECT_EQ((Rectangle{.width = 1, .height = 2}), TorusOf(Boards(2)));
  EXPECT_EQ((Rectangle{.width = 2, .height = 2}), TorusOf(Boards(3)));
  EXPECT_EQ((Rectangle{.width = 2, .height = 2}), TorusOf(Boards(4)));
  EXPECT_EQ((Rectangle{.width = 2, .height = 4}), TorusOf(Boards(5)));
  EXPECT_EQ((Rectangle{.width = 16, .height = 16}), TorusOf(Boards(256)));
}

TEST(Topology, EveryBoardHasItsOwnPlaceInsideTheTorus) {
  for (int64_t boards = 1; boards <= 70; ++boards) {
    const Rectangle torus = TorusOf(Boards(boards));
    std::set<std::pair<int, int>> seen;
    for (int64_t ordinal = 0; ordinal < boards; ++ordinal) {
      const Coordinates at = CoordinatesOf(ordinal);
      EXPECT_TRUE(torus.Contains(at)) << ordinal << " of " << boards;
      EXPECT_TRUE(seen.insert({at.x, at.y}).second) << ordinal;
      EXPECT_EQ(ordinal, OrdinalAt(at));
    }
  }
}

TEST(Topology, TheLargestOrdinalsComeBackFromTheirCoordinates) {
  for (const int64_t ordinal : {(int64_t{1} << 30) - 1, int64_t{1} << 29, int64_t{715827882}}) {
    EXPECT_EQ(ordinal, OrdinalAt(CoordinatesOf(ordinal)));
  }
}

TEST(Topology, AWholePoolOfATypeHasTheShapeOfTheType) {
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    const Rectangle torus = TorusOf(type.boards());
    EXPECT_EQ(type.boards_x(), torus.width) << type.name;
    EXPECT_EQ(type.boards_y(), torus.height) << type.name;
  }
}

TEST(Topology, APlaceIsExactlyTheBoardsInItsRectangle) {
  for (const AcceleratorType& type : AllAcceleratorTypes()) {
    const Boards pool = type.boards() * 5;
    for (const SlicePlace& place : PlacesOf(type, pool)) {
      const Rectangle rectangle = RectangleOf(place);
      EXPECT_EQ(0, rectangle.left % rectangle.width);
      EXPECT_EQ(0, rectangle.top % rectangle.height);
      for (int64_t ordinal = 0; ordinal < pool.count(); ++ordinal) {
        const bool in_place = ordinal >= place.first && ordinal < place.first + place.count;
        ASSERT_EQ(in_place, rectangle.Contains(CoordinatesOf(ordinal))) << type.name;
      }
    }
  }
}

TEST(Topology, APoolHoldsAsManySlicesAsItsBoardsAllow) {
  const AcceleratorType& small = *FindAcceleratorType("v3-8");
  const AcceleratorType& slice = *FindAcceleratorType("v3-32");
  EXPECT_EQ(3u, PlacesOf(small, Boards(3)).size());
  EXPECT_TRUE(PlacesOf(slice, Boards(3)).empty());
  EXPECT_EQ((std::vector<SlicePlace>{{0, 4}, {4, 4}}), PlacesOf(slice, Boards(11)));
  EXPECT_TRUE(PlacesOf(slice, Boards(0)).empty());
}

}  // namespace
}  // namespace octet
