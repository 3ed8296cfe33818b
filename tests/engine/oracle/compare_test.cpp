// Tests that a comparison can fail.
#include "oracle/compare.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "oracle/soup.h"

namespace brokkr::oracle {
namespace {

// The oracle's own picture in the pipeline's form.
Layer picture_of(const Surface& surface) {
  Layer layer;
  layer.width = surface.width;
  layer.height = surface.height;
  for (const Pixel& pixel : surface.pixels) {
    if (surface.format == ColorFormat::rgba16f) {
      const glm::vec4 color = decode(surface.format, pixel.color);
      for (int c = 0; c < 4; ++c) layer.color_float.push_back(color[c]);
    } else {
      layer.color.push_back(packed(pixel));
    }
    layer.depth.push_back(pixel.depth);
    layer.stencil.push_back(pixel.stencil);
    layer.visible_id.push_back(pixel.visible);
    layer.depth_id.push_back(pixel.depth_writer);
    layer.overdraw.push_back(pixel.overdraw);
  }
  return layer;
}

class OracleCompare : public testing::TestWithParam<ColorFormat> {
 protected:
  OracleCompare() {
    SoupOptions options;
    options.format = GetParam();
    result = render(make_soup(7, options), {[](const Primitive&) { return glm::vec4(0.5f); }, 1.0 / 128, {}});
    for (size_t i = 0; i < surface().pixels.size(); ++i) {
      if (surface().pixels[i].uncertain == 0 && surface().pixels[i].visible != kNoPrimitive) certain = i;
    }
    layer = picture_of(surface());
    origin = [this](uint32_t id) { return result.primitives[id]; };
  }
  const Surface& surface() const { return result.targets[0][0]; }
  Comparison check() const { return compare(result, surface(), layer, origin); }

  Result result;
  Layer layer;
  Origin origin;
  size_t certain = 0;
};

TEST_P(OracleCompare, AcceptsTheSamePicture) {
  const Comparison c = check();
  EXPECT_TRUE(c.equal()) << c.first;
  EXPECT_EQ(c.pixels, 30000u);
  EXPECT_LT(c.uncertain, 3000u);
  EXPECT_TRUE(c.first.empty());
}

TEST_P(OracleCompare, FindsEveryKindOfDifference) {
  if (layer.color.empty()) {
    layer.color_float[certain * 4 + 2] += 1.0f;
  } else {
    layer.color[certain] ^= 0x00040000u;
  }
  layer.depth[certain] += 1e-4f;
  layer.stencil[certain] ^= 1;
  layer.visible_id[certain] = layer.visible_id[certain] == 0 ? 1 : 0;
  layer.depth_id[certain] = layer.depth_id[certain] == kNoPrimitive ? 1 : kNoPrimitive;
  layer.overdraw[certain] += 1;
  const Comparison c = check();
  EXPECT_FALSE(c.equal());
  for (const uint64_t count : {c.color, c.depth, c.stencil, c.visible, c.depth_writer, c.overdraw})
    EXPECT_EQ(count, 1u);
  EXPECT_NE(c.first.find("colour of pixel"), std::string::npos);
}

TEST_P(OracleCompare, AllowsOneStepOfColour) {
  if (layer.color.empty()) {
    layer.color_float[certain * 4] += 0.9f / 255;
  } else {
    const uint32_t red = layer.color[certain] & 255;
    layer.color[certain] += red < 255 ? 1u : uint32_t(-1);
  }
  EXPECT_TRUE(check().equal());
}

TEST_P(OracleCompare, RefusesOtherSizes) {
  layer.depth.pop_back();
  EXPECT_THROW((void)check(), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Formats, OracleCompare,
                         testing::Values(ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f));

}  // namespace
}  // namespace brokkr::oracle
