// Visible triangles, layers behind them, ranges, topology and refused inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "diff/scenes.h"

namespace brokkr::diff_test {
namespace {

TEST(DiffVisible, LayersHoldAllTrianglesFromNearToFar) {
  const Scene s = sphere(2, 33, 47);
  const std::vector<float> pos = to_float(s.pos);
  const DiffMesh mesh = mesh_of(s, pos);
  DiffMachine machine({.workers = 1});
  const auto peeler = machine.peel(s.shape, mesh);
  std::vector<std::vector<int32_t>> layers;
  for (std::vector<int32_t> ids(size_t(s.pixels())); peeler->next(ids.data());) layers.push_back(ids);
  std::vector<int32_t> after(size_t(s.pixels()), 7);
  EXPECT_FALSE(peeler->next(after.data()));
  EXPECT_EQ(after, std::vector<int32_t>(after.size(), -1));
  ASSERT_GE(layers.size(), 2u);
  EXPECT_EQ(layers[0], s.ids);
  int pixels_of_two = 0;
  for (size_t p = 0; p < s.ids.size(); ++p) {
    std::set<int32_t> seen;
    double depth = -2;
    bool ended = false;
    for (const auto& layer : layers) {
      if (layer[p] < 0) {
        ended = true;
        continue;
      }
      EXPECT_FALSE(ended) << "a hole between layers";
      EXPECT_TRUE(seen.insert(layer[p]).second) << "a triangle twice";
      const double z = raster_of(s, int(p), layer[p])[2];
      EXPECT_GE(z, depth - 1e-3);
      depth = z;
    }
    pixels_of_two += seen.size() == 2;
  }
  EXPECT_GT(pixels_of_two, 300);  // a closed surface covers a pixel an even number of times
}

TEST(DiffVisible, RangesGiveEachImageItsTriangles) {
  const Scene s = sphere(1, 40, 40);
  const std::vector<float> pos = to_float(s.pos);
  const auto triangles = int32_t(s.tri.size() / 3);
  const int32_t ranges[] = {0, triangles, 10, 20, triangles, 0};
  DiffMesh mesh = mesh_of(s, pos);
  mesh.shared = true;
  mesh.ranges = ranges;
  const DiffShape shape{3, 40, 40};
  DiffMachine machine({.workers = 1});
  std::vector<int32_t> ids(3 * 1600);
  machine.visible(shape, mesh, ids.data());
  EXPECT_TRUE(std::equal(s.ids.begin(), s.ids.end(), ids.begin()));
  std::set<int32_t> second(ids.begin() + 1600, ids.begin() + 3200);
  second.erase(-1);
  EXPECT_FALSE(second.empty());
  EXPECT_GE(*second.begin(), 10);
  EXPECT_LT(*second.rbegin(), 30);
  EXPECT_TRUE(std::all_of(ids.begin() + 3200, ids.end(), [](int32_t i) { return i == -1; }));
}

TEST(DiffVisible, TopologyKnowsOpenEdges) {
  const int32_t tri[] = {0, 1, 2, 2, 1, 3, 1, 2, 4};  // three triangles meet at 1, 2
  int32_t opposite[9];
  EXPECT_EQ(DiffMachine::topology(tri, 2, 4, opposite), 4);
  EXPECT_EQ(opposite[1], 3);
  EXPECT_EQ(opposite[3], 0);
  EXPECT_EQ(opposite[0], -1);
  DiffMachine::topology(tri, 3, 5, opposite);
  EXPECT_EQ(opposite[1], -1);
  EXPECT_THROW(DiffMachine::topology(tri, 3, 4, opposite), std::invalid_argument);
}

// The message of the exception.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(DiffVisible, WrongArgumentsAreRefusedByName) {
  const Scene s = sphere(1, 8, 8);
  const std::vector<float> pos = to_float(s.pos);
  DiffMachine machine({.workers = 1});
  std::vector<int32_t> ids(64, 1 << 30);
  std::vector<float> rast(256), out(64 * 3), attr(size_t(s.vertices) * 3, 1.0f);
  const auto starts = [](const std::string& text, const char* with) { return text.rfind(with, 0) == 0; };
  DiffMesh mesh = mesh_of(s, pos);
  EXPECT_TRUE(starts(refusal([&] { machine.visible({1, 0, 8}, mesh, ids.data()); }), "resolution: "));
  EXPECT_TRUE(starts(refusal([&] { machine.visible({0, 8, 8}, mesh, ids.data()); }), "images: "));
  EXPECT_TRUE(starts(refusal([&] { DiffMachine({.workers = -1}); }), "workers: "));
  EXPECT_TRUE(starts(refusal([&] { DiffMachine({.isa = "v9"}); }), "isa: "));
  std::vector<int32_t> tri = s.tri;
  tri[7] = s.vertices;
  mesh.tri = tri.data();
  EXPECT_EQ(
      refusal([&] { machine.visible(s.shape, mesh, ids.data()); }),
      "tri: index " + std::to_string(s.vertices) + " at [2, 1] is outside of 0 .. " + std::to_string(s.vertices - 1));
  tri[7] = -1;
  EXPECT_TRUE(starts(refusal([&] { machine.visible(s.shape, mesh, ids.data()); }), "tri: index -1 at [2, 1]"));
  mesh.tri = s.tri.data();
  const int32_t ranges[] = {1, int32_t(s.tri.size() / 3)};
  mesh.ranges = ranges;
  EXPECT_TRUE(starts(refusal([&] { machine.visible(s.shape, mesh, ids.data()); }), "ranges: image 0"));
  mesh.ranges = nullptr;
  const DiffAttributes a{attr.data(), s.vertices, 3, true};
  EXPECT_TRUE(starts(
      refusal([&] { machine.interpolate(s.shape, mesh, {rast.data()}, a, out.data(), rast.data(), {3}, out.data()); }),
      "diff_attrs: "));
  EXPECT_TRUE(starts(refusal([&] {
                       machine.interpolate(s.shape, mesh, {rast.data()}, {attr.data(), 2, 3, true}, out.data());
                     }),
                     "attr: "));
  const DiffTexture odd{attr.data(), 6, 3, 1, true};
  EXPECT_TRUE(starts(refusal([&] { DiffMachine::mip_levels(odd, -1); }), "tex: level 0"));
  EXPECT_TRUE(starts(refusal([&] {
                       machine.texture(s.shape, {attr.data(), 4, 4, 1, true},
                                       {DiffFilter::linear_mipmap_linear, out.data()}, out.data());
                     }),
                     "uv_da: "));
  // Identifiers outside the list count as no triangle.
  machine.rasterize(s.shape, mesh, ids.data(), rast.data(), nullptr);
  EXPECT_TRUE(std::all_of(rast.begin(), rast.end(), [](float x) { return x == 0; }));
  for (float number : {-3.0f, 1e9f, 1e30f, std::nanf("")}) {
    for (size_t p = 0; p < 64; ++p) rast[p * 4 + 3] = number;
    machine.interpolate(s.shape, mesh, {rast.data()}, a, out.data());
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float x) { return x == 0; })) << number;
  }
}

}  // namespace
}  // namespace brokkr::diff_test
