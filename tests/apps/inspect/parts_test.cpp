// Selection of draws, load maps, and packed pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <span>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "frame/bkf.h"
#include "frame/plain_png.h"
#include "inspect/image_compare.h"
#include "inspect/load_map.h"
#include "inspect/packed_png.h"
#include "inspect/trim.h"

namespace brokkr {
namespace {

Frame feature_test() { return load_frame(BROKKR_SOURCE_DIR "/tests/frames/gl-feature-test.bkf", {}); }

std::vector<uint32_t> visible_commands(const Frame& frame) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.keep_ids = true;
  const RenderResult result = renderer.render(prepared, options);
  std::vector<uint32_t> seen;
  for (const uint32_t id : result.targets[main_target(frame)].layers[0].visible_id) {
    if (id != ~0u) seen.push_back(prepared.origin(id).command);
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  return seen;
}

TEST(DrawList, HidesAndIsolates) {
  const Frame frame = feature_test();
  const std::vector<uint32_t> seen = visible_commands(frame);
  ASSERT_GT(seen.size(), 2u);
  Frame without = frame;
  hide_draws(without, std::vector{seen[1], uint32_t(1) << 30});
  const std::vector<uint32_t> rest = visible_commands(without);
  EXPECT_EQ(std::count(rest.begin(), rest.end(), seen[1]), 0);
  EXPECT_GE(rest.size() + 1, seen.size());
  Frame alone = frame;
  hide_draws(alone, all_but(frame, seen[1]));
  EXPECT_EQ(visible_commands(alone), std::vector{seen[1]});
}

TEST(DrawList, StepsFromDrawToDraw) {
  const Frame frame = feature_test();
  const std::vector<uint32_t> draws = draw_commands(frame);
  ASSERT_GT(draws.size(), 2u);
  EXPECT_EQ(next_draw(frame, draws[0]), std::optional(draws[1]));
  EXPECT_EQ(previous_draw(frame, draws[1]), std::optional(draws[0]));
  EXPECT_EQ(previous_draw(frame, draws[0]), std::nullopt);
  EXPECT_EQ(next_draw(frame, draws.back()), std::nullopt);
  EXPECT_EQ(previous_draw(frame, ~0u), std::optional(draws.back()));
}

TEST(LoadMap, PredictsWhatRasterizersCount) {
  const Frame frame = load_frame("generated:city?triangles=20000", {.width = 640, .height = 400});
  Renderer renderer;
  RenderOptions options;
  options.rasterizers = 7;
  options.bin = 32;
  options.hierarchical_depth = false;
  options.trace = true;
  for (const PatternKind kind : {PatternKind::diagonal, PatternKind::hilbert, PatternKind::van_der_corput}) {
    options.pattern = kind;
    const Statistics s = renderer.render(frame, options).statistics;
    const LoadMap map = load_map(s, options.pattern);
    // With one target of one layer, the bins are all of the rasterizers' work.
    EXPECT_EQ(map.predicted.load, map.counted.load);
    EXPECT_EQ(map.counted.total, s.fragments);
    EXPECT_EQ(std::accumulate(map.bins.begin(), map.bins.end(), uint64_t(0)), s.fragments);
    EXPECT_EQ(map.fullest, *std::max_element(map.bins.begin(), map.bins.end()));
    EXPECT_NEAR(map.counted.cv, s.load_cv, 1e-9);
    ASSERT_EQ(map.busy.load.size(), 7u);
    EXPECT_GT(map.busy.imbalance, 1);
    EXPECT_LE(map.busy.imbalance, 7);
    EXPECT_EQ(predict_load(s, kind, 7).load, map.predicted.load);
    EXPECT_EQ(predict_load(s, PatternKind::z_curve, 3).total, s.fragments);
    EXPECT_EQ(predict_load(s, PatternKind::z_curve, 1).imbalance, 1);
  }
  EXPECT_TRUE(load_map(Statistics{}, PatternKind::diagonal).bins.empty());
}

TEST(CompareImages, CountsAndAmplifies) {
  const std::vector<uint32_t> a = {0xff000000, 0xff102030, 0x00ffffff, 0xff808080},
                              b = {0x00000000, 0xff102031, 0x00fdffff, 0xff80a080};
  const ImageComparison c = compare_images(a, b);
  EXPECT_EQ(c.pixels, 4u);
  EXPECT_EQ(c.differing, 3u);  // alpha alone does not count
  EXPECT_EQ(c.far, 2u);
  EXPECT_EQ(c.max_difference, 32);
  EXPECT_NEAR(c.psnr_db, 10 * std::log10(255.0 * 255 / ((1.0 + 4 + 1024) / 12)), 1e-9);
  EXPECT_EQ(amplified_difference(a, b, 10), (std::vector<uint32_t>{0xff000000, 0xff00000a, 0xff140000, 0xff00ff00}));
  EXPECT_TRUE(std::isinf(compare_images(a, a).psnr_db));
  EXPECT_THROW(compare_images(a, {}), std::invalid_argument);
}

TEST(HeatColor, GrowsBrighter) {
  const auto luminance = [](uint32_t c) {
    return 0.2126 * (c & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c >> 16 & 255);
  };
  for (int i = 1; i <= 100; ++i)
    EXPECT_GT(luminance(heat_color(i / 100.0)), luminance(heat_color((i - 1) / 100.0))) << i;
  EXPECT_EQ(heat_color(-1), heat_color(0));
  EXPECT_EQ(heat_color(7), heat_color(1));
  EXPECT_EQ(heat_color(0.5) >> 24, 255u);
}

TEST(PackedPng, KeepsPixelsInFewerBytes) {
  const Frame frame = feature_test();
  const Reference& reference = *original_of(frame, main_target(frame));
  const Image original = original_picture(frame, reference);
  const std::vector<uint8_t> packed = packed_png(original);
  const Image read = read_image(std::as_bytes(std::span(packed)), "packed");
  EXPECT_EQ(read.width, original.width);
  EXPECT_EQ(read.height, original.height);
  EXPECT_EQ(read.texels, original.texels);

  Image odd{.width = 37, .height = 5, .texels = {}, .has_alpha = false};
  for (uint32_t i = 0; i < 37 * 5; ++i) odd.texels.push_back(0xff000000u | (i * i * 2654435761u >> 9));
  const std::vector<uint8_t> small = packed_png(odd);
  EXPECT_EQ(read_image(std::as_bytes(std::span(small)), "odd").texels, odd.texels);
  EXPECT_EQ(packed_png(small), small);  // does not grow
  const std::vector<uint8_t> jpeg = {0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 5};
  EXPECT_EQ(packed_png(jpeg), jpeg);
  EXPECT_EQ(png_for_filters(jpeg), jpeg);
}

// Grey surfaces with noise, as in a game's picture: the filter of texels and zstd beat PNG.
TEST(PngForFilters, IsPlainWhereTheFilterWins) {
  Image soft{.width = 211, .height = 90, .texels = {}, .has_alpha = false};
  std::mt19937 generator(5);
  const auto random = [&](uint32_t end) { return uint32_t(generator()) % end; };
  for (int i = 0; i < soft.width * soft.height; ++i) {
    const uint32_t green = uint32_t(i % soft.width + i / soft.width) / 2 + random(32);
    soft.texels.push_back(0xff000000u | (green + 9 + random(2)) << 16 | green << 8 | (green + 30 + random(2)));
  }
  const std::vector<uint8_t> packed = packed_png(soft), plain = png_for_filters(packed);
  EXPECT_EQ(read_image(std::as_bytes(std::span(plain)), "plain").texels, soft.texels);
  const std::optional<bkf::Filter> filter = bkf::filter_of_plain_png(plain);
  ASSERT_TRUE(filter) << packed.size();
  EXPECT_EQ(filter->width, 211u + 2);
  EXPECT_EQ(filter->height, 90u);
  EXPECT_FALSE(bkf::filter_of_plain_png(packed));
  EXPECT_EQ(packed_png(plain), packed);

  Frame frame = feature_test();
  for (Reference& reference : frame.references) reference.color_file = plain;
  const std::vector<std::byte> file = bkf_bytes(frame, {.level = 19, .filters = true});
  EXPECT_EQ(read_bkf(file, "memory").references[0].color_file, plain);
  for (Reference& reference : frame.references) reference.color_file = packed;
  EXPECT_LT(file.size(), bkf_bytes(frame, {.level = 19, .filters = true}).size());

  // Bytes that are lost or changed make it another file, never a read beyond the end.
  for (size_t size = 0; size < plain.size(); size += 7)
    EXPECT_FALSE(bkf::filter_of_plain_png(std::span(plain).first(std::min(size, plain.size() - 30)))) << size;
  std::vector<uint8_t> other = plain;
  other[bkf::kPlainRowsBegin + 2]++;
  EXPECT_FALSE(bkf::filter_of_plain_png(other));
}

}  // namespace
}  // namespace brokkr
