// The space-filling curves against independent constructions: bit interleaving by loop, Hilbert by turtle.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr {
namespace {

using Point = std::array<int, 2>;

// The Hilbert curve of `order` levels as its L-system draws it: A -> +BF-AFA-FB+, B -> -AF+BFB+FA-.
class Turtle {
 public:
  explicit Turtle(int order) { expand('A', order); }
  const std::vector<Point>& path() const { return path_; }

 private:
  void expand(char symbol, int depth) {
    if (depth == 0) return;
    for (const char c : std::string(symbol == 'A' ? "+BF-AFA-FB+" : "-AF+BFB+FA-")) {
      if (c == '+') direction_ = (direction_ + 1) % 4;
      if (c == '-') direction_ = (direction_ + 3) % 4;
      if (c == 'F') step();
      if (c == 'A' || c == 'B') expand(c, depth - 1);
    }
  }
  void step() {
    constexpr Point kSteps[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    at_[0] += kSteps[direction_][0];
    at_[1] += kSteps[direction_][1];
    path_.push_back(at_);
  }
  int direction_ = 0;
  Point at_{0, 0};
  std::vector<Point> path_{{0, 0}};
};

TEST(PatternCurve, ZCurveIsTheMortonCode) {
  for (const int n : {1, 2, 3, 5, 6, 8, 20, 60, 64, 4096}) {
    const Pattern p = make_pattern(PatternKind::z_curve, n, 120, 67);
    EXPECT_EQ(p.width, 120);
    EXPECT_EQ(p.height, 67);
    for (int y = 0; y < 67; ++y) {
      for (int x = 0; x < 120; ++x) {
        int64_t morton = 0;
        for (int bit = 0; bit < 13; ++bit) {
          morton += int64_t(x >> bit & 1) * (int64_t(1) << (2 * bit));
          morton += int64_t(y >> bit & 1) * (int64_t(2) << (2 * bit));
        }
        ASSERT_EQ(p.at(x, y), int(morton % n)) << "N " << n << " at " << x << ", " << y;
      }
    }
  }
}

TEST(PatternCurve, ZCurveAtItsFarCorner) {
  const Pattern p = make_pattern(PatternKind::z_curve, 4095, 4096, 2);
  // x = 4095 has twelve ones, which land on the even bits: 0x555555; y = 1 sets bit 1.
  EXPECT_EQ(p.at(4095, 0), 0x555555 % 4095);
  EXPECT_EQ(p.at(4095, 1), 0x555557 % 4095);
}

TEST(PatternCurve, HilbertFollowsTheTurtle) {
  for (int order = 0; order <= 6; ++order) {
    const int side = 1 << order;
    const Turtle turtle(order);
    ASSERT_EQ(turtle.path().size(), size_t(side) * size_t(side));
    for (const int n : {1, 3, 6, 7, 16, 60, 4096}) {
      const Pattern p = make_pattern(PatternKind::hilbert, n, side, side);
      for (size_t d = 0; d < turtle.path().size(); ++d) {
        const Point at = turtle.path()[d];
        ASSERT_EQ(p.at(at[0], at[1]), int(d % size_t(n))) << "side " << side << " N " << n;
      }
    }
  }
}

// With more rasterizers than bins the owners are the distances themselves: neighbours on the curve touch.
TEST(PatternCurve, HilbertStepsToANeighbour) {
  const Pattern p = make_pattern(PatternKind::hilbert, 4096, 64, 64);
  std::vector<Point> place(4096, Point{-1, -1});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) place[size_t(p.at(x, y))] = {x, y};
  }
  for (size_t d = 0; d < 4096; ++d) ASSERT_GE(place[d][0], 0) << "distance " << d << " has no bin";
  for (size_t d = 1; d < 4096; ++d) {
    EXPECT_EQ(std::abs(place[d][0] - place[d - 1][0]) + std::abs(place[d][1] - place[d - 1][1]), 1);
  }
}

// A plane that is no power of two is cut from the next larger square.
TEST(PatternCurve, HilbertIsCutFromTheNextSquare) {
  const Pattern cut = make_pattern(PatternKind::hilbert, 12, 33, 20);
  const Pattern whole = make_pattern(PatternKind::hilbert, 12, 64, 64);
  EXPECT_EQ(cut.width, 33);
  EXPECT_EQ(cut.height, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 33; ++x) ASSERT_EQ(cut.at(x, y), whole.at(x, y));
  }
}

}  // namespace
}  // namespace brokkr
