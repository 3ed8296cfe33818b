// The probe's drawings through OpenGL: every fragment has its own rank.
#include "reference/gl_probe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace brokkr {
namespace {

constexpr int kProbeSize = 128;
constexpr const char* kProbeWork = R"(uniform int background;
uniform int slow_count;
uniform ivec4 slow[64];
float work(ivec2 pixel) {
  int cost = background;
  for (int i = 0; i < slow_count; ++i) {
    if (slow[i].xy == pixel) cost = slow[i].z;
  }
  float sum = 0.0;
  for (int i = 0; i < cost; ++i) sum += 1.0;
  return sum;
}
)";

GlProbe& gl_probe() {
  static EglContext context("software");
  static GlProbe one(context, kProbeWork);
  return one;
}

// Two triangles over the window.
GlProbeDrawing probe_square() {
  GlProbeDrawing drawing;
  drawing.width = drawing.height = kProbeSize;
  drawing.vertices = {0, 0, kProbeSize, kProbeSize, 0, kProbeSize, 0, 0, kProbeSize, 0, kProbeSize, kProbeSize};
  return drawing;
}

TEST(GlProbe, RanksAreAPermutation) {
  for (const int background : {0, 50}) {
    GlProbeDrawing drawing = probe_square();
    drawing.background = background;
    std::vector<uint32_t> order = gl_probe().film(drawing).order;
    ASSERT_EQ(order.size(), size_t(kProbeSize) * kProbeSize);
    std::sort(order.begin(), order.end());
    for (uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
  }
}

TEST(GlProbe, OnlyWhatIsDrawnHasARank) {
  GlProbeDrawing drawing;
  drawing.width = drawing.height = kProbeSize;
  drawing.mode = 0;
  drawing.vertices = {10.5f, 20.5f, 77.5f, 3.5f, 100.5f, 100.5f};
  const std::vector<uint32_t> order = gl_probe().film(drawing).order;
  EXPECT_EQ(std::count(order.begin(), order.end(), ~0u), ptrdiff_t(kProbeSize) * kProbeSize - 3);
  for (const size_t at : {20 * kProbeSize + 10, 3 * kProbeSize + 77, 100 * kProbeSize + 100}) EXPECT_LT(order[at], 3u);
  // The same drawing, with one call per triangle.
  drawing.batches = {1, 1, 1};
  const std::vector<uint32_t> apart = gl_probe().film(drawing).order;
  EXPECT_EQ(std::count(apart.begin(), apart.end(), ~0u), ptrdiff_t(kProbeSize) * kProbeSize - 3);
}

// The same drawing with a slow fragment: every fragment is written once, and the time is positive.
TEST(GlProbe, SlowFragmentsAreDrawnOnceToo) {
  GlProbeDrawing drawing = probe_square();
  drawing.slow = {{40, 41, 200000, 1}, {41, 41, 200000, 2}};
  drawing.stars = {16, 1000, 2, 0};
  std::vector<uint32_t> order = gl_probe().film(drawing).order;
  std::sort(order.begin(), order.end());
  for (uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
  EXPECT_GT(gl_probe().cost_ms(drawing, 2), 0);
}

// The early depth test divides the window into stars and the rest.
TEST(GlProbe, MasksPartTheWindow) {
  GlProbeDrawing drawing = probe_square();
  drawing.stars = {16, 100, 1, 0};
  for (const int mask : {1, 2}) {
    drawing.mask = mask;
    const std::vector<uint32_t> order = gl_probe().film(drawing).order;
    for (int y = 0; y < kProbeSize; ++y) {
      for (int x = 0; x < kProbeSize; ++x)
        ASSERT_EQ(order[size_t(y * kProbeSize + x)] != ~0u, (x % 16 == 0 && y % 16 == 0) == (mask == 1))
            << x << " " << y;
    }
  }
  EXPECT_GT(gl_probe().cost_ms(drawing, 1), 0);
  drawing.mask = 0;
  const std::vector<uint32_t> whole = gl_probe().film(drawing).order;
  EXPECT_EQ(std::count(whole.begin(), whole.end(), ~0u), 0);
}

TEST(GlProbe, DrawsAStrip) {
  GlProbeDrawing drawing;
  drawing.width = drawing.height = kProbeSize;
  drawing.mode = 5;
  drawing.vertices = {0, kProbeSize, 0, 0, kProbeSize, kProbeSize, kProbeSize, 0};
  std::vector<uint32_t> order = gl_probe().film(drawing).order;
  std::sort(order.begin(), order.end());
  for (uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST(GlProbe, TakesNoMoreThanThereIsRoomFor) {
  GlProbeDrawing drawing = probe_square();
  drawing.slow.assign(65, {1, 1, 1, 1});
  EXPECT_THROW(gl_probe().cost_ms(drawing, 1), std::runtime_error);
}

}  // namespace
}  // namespace brokkr
