#include "app/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/chart.h"

namespace brokkr::app {
namespace {

uint32_t at(const Image& image, int x, int from_top) {
  return image.texels[size_t(image.height - 1 - from_top) * size_t(image.width) + size_t(x)] & 0xffffff;
}

Drawing page() {
  Drawing drawing(40);
  drawing.set_height(30);
  return drawing;
}

TEST(Drawing, CoversPixelsByTheirPart) {
  if (!has_drawing_font()) GTEST_SKIP() << "built without a font";
  Drawing drawing = page();
  drawing.area({{10, 5}, {20.5, 5}, {20.5, 10.25}, {10, 10.25}}, "#000000");
  const Image image = drawing.pixels();
  EXPECT_EQ(image.width, 40);
  EXPECT_EQ(image.height, 30);
  EXPECT_EQ(at(image, 9, 7), 0xffffffu);
  EXPECT_EQ(at(image, 10, 5), 0u);
  EXPECT_EQ(at(image, 19, 9), 0u);
  EXPECT_NEAR(at(image, 20, 7) & 255, 128, 1);   // half
  EXPECT_NEAR(at(image, 15, 10) & 255, 191, 1);  // a quarter
  EXPECT_NEAR(at(image, 20, 10) & 255, 223, 1);  // an eighth
  EXPECT_EQ(at(image, 21, 7), 0xffffffu);
  EXPECT_EQ(at(image, 15, 11), 0xffffffu);
}

TEST(Drawing, HasColorsAndOpacity) {
  if (!has_drawing_font()) GTEST_SKIP() << "built without a font";
  Drawing drawing = page();
  drawing.area({{0, 0}, {20, 0}, {20, 30}, {0, 30}}, "#ff0000");
  drawing.area({{0, 0}, {40, 0}, {40, 30}, {0, 30}}, "#0000ff", 0.5);
  const Image image = drawing.pixels();
  EXPECT_EQ(at(image, 5, 5), 0x800080u);  // 0xBBGGRR
  EXPECT_EQ(at(image, 30, 5), 0xff8080u);
}

TEST(Drawing, ASlopeCoversHalfOfWhatItCrosses) {
  if (!has_drawing_font()) GTEST_SKIP() << "built without a font";
  Drawing drawing = page();
  drawing.area({{0, 0}, {30, 30}, {0, 30}}, "#000000");
  const Image image = drawing.pixels();
  uint64_t sum = 0;
  for (const uint32_t texel : image.texels) sum += 255 - (texel & 255);
  EXPECT_NEAR(double(sum) / 255, 450, 1);
  EXPECT_NEAR(at(image, 12, 12) & 255, 128, 1);
}

TEST(Drawing, ABentLineHasItsWidthEverywhere) {
  if (!has_drawing_font()) GTEST_SKIP() << "built without a font";
  Drawing drawing = page();
  drawing.line({{5, 5}, {35, 5}, {35, 25}, {5, 25}}, "#000000", 4);
  const Image image = drawing.pixels();
  for (const auto& [x, y] : {std::pair(20, 3), {20, 6}, {34, 15}, {36, 15}, {35, 5}, {34, 24}, {10, 25}})
    EXPECT_EQ(at(image, x, y), 0u) << x << ", " << y;
  for (const auto& [x, y] : {std::pair(20, 2), {20, 7}, {32, 15}, {37, 15}})
    EXPECT_EQ(at(image, x, y), 0xffffffu) << x << ", " << y;
}

TEST(Drawing, TextIsInkWhereItStands) {
  if (!has_drawing_font()) GTEST_SKIP() << "built without a font";
  Drawing drawing = page();
  drawing.text({20, 20}, "σ m", {.size = 16, .color = "#000000", .anchor = Anchor::middle});
  const double width = text_width("σ m", {.size = 16});
  EXPECT_GT(width, 12);
  EXPECT_LT(width, 36);
  const Image image = drawing.pixels();
  int left = 40, right = 0, top = 30, low = 0;
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 40; ++x) {
      if ((at(image, x, y) & 255) > 200) continue;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), low = std::max(low, y);
    }
  }
  EXPECT_NEAR(left, 20 - width / 2, 2);
  EXPECT_NEAR(right, 20 + width / 2, 2);
  EXPECT_NEAR(low, 19, 1);
  EXPECT_NEAR(top, 11, 2);
}

TEST(Drawing, SvgEscapesTexts) {
  Drawing drawing = page();
  drawing.text({1, 2}, "a < \"b\" & c\n", {});
  EXPECT_NE(drawing.svg().find(">a &lt; &quot;b&quot; &amp; c</text>"), std::string::npos);
}

TEST(Chart, LeavesOutWhatIsNoNumberAndWhatIsBeyond) {
  Figure figure{.width = 400, .chart_height = 300};
  figure.charts = {
      {.title = "one", .x = {.label = "x", .scale = AxisScale::log2}, .y = {.label = "y", .from = 0, .to = 1}}};
  figure.charts[0].curves = {{"a", "#123456", {{1, 0.5}, {2, std::nan("")}, {4, 0.25}, {0, 0.1}, {8, 2}}}};
  const std::string svg = draw_figure(figure).svg();
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  const size_t line = svg.find("stroke=\"#123456\"");
  ASSERT_NE(line, std::string::npos);
  const size_t begin = svg.rfind("points=\"", line);
  EXPECT_EQ(std::count(svg.begin() + std::ptrdiff_t(begin), svg.begin() + std::ptrdiff_t(line), ','), 3) << svg;
}

TEST(Chart, ListsEachNameOnce) {
  const Chart one{.curves = {{"a", "#000000", {}}, {"", "#000000", {}}}},
      two{.curves = {{"a", "#000000", {}}, {"b", "#111111", {}}}};
  EXPECT_EQ(legend_of({one, two}).size(), 2u);
}

}  // namespace
}  // namespace brokkr::app
