// Gradients have the same bits for any number of workers and on every machine.
#include <gtest/gtest.h>

#include <limits>
#include <span>

#include "base/sha256.h"
#include "diff/scenes.h"
#include "machine/cpu_isa.h"

namespace brokkr::diff_test {

std::vector<std::string> machines() {
  std::vector<std::string> all;
#define X(isa) \
  if (cpu_supports(#isa)) all.push_back(#isa);
  BROKKR_HAVE_ISA_LIST
#undef X
  return all;
}

namespace {

// Outputs and gradients of all operations, as one text of hashes.
std::string run_all(const DiffOptions& options) {
  static const Scene s = sphere(2, 150, 131, 12, 15);
  const std::vector<float> pos = to_float(s.pos);
  const DiffMesh mesh = mesh_of(s, pos);
  const auto pixels = size_t(s.pixels());
  DiffMachine machine(options);
  std::string hashes;
  const auto keep = [&](const auto& v) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(v));
    hashes += sha256({&bytes, 1}).substr(0, 12) + " ";
  };

  std::vector<int32_t> ids(pixels);
  machine.visible(s.shape, mesh, ids.data());
  keep(ids);
  std::vector<float> rast(pixels * 4), db(pixels * 4);
  machine.rasterize(s.shape, mesh, ids.data(), rast.data(), db.data());
  keep(rast);
  keep(db);
  const DiffRaster raster{rast.data()};
  const auto attr = random_floats(size_t(s.vertices) * 3, 1);
  const DiffAttributes a{attr.data(), s.vertices, 3, true};
  std::vector<float> uv(pixels * 3), uv_da(pixels * 6);
  machine.interpolate(s.shape, mesh, raster, a, uv.data(), db.data(), {0, 1, 2}, uv_da.data());
  keep(uv);
  keep(uv_da);
  const auto tex = random_floats(6 * 16 * 16 * 3, 2);
  DiffTexture t{tex.data(), 16, 16, 3, true, DiffBoundary::cube};
  t.levels = DiffMachine::mip_levels(t, -1);
  std::vector<float> mips(size_t(DiffMachine::mip_size(t)));
  machine.construct_mip(t, 1, mips.data());
  t.mips = mips.data();
  const auto bias = random_floats(pixels, 3, 0, 2);
  const DiffLookup l{DiffFilter::linear_mipmap_linear, uv.data(), uv_da.data(), bias.data()};
  std::vector<float> color(pixels * 3), out(pixels * 3);
  machine.texture(s.shape, t, l, color.data());
  keep(color);
  machine.antialias(s.shape, mesh, raster, s.opposite.data(), color.data(), 3, out.data());
  keep(out);

  const auto g = random_floats(out.size(), 4);
  std::vector<float> g_color(out.size()), g_pos(pos.size()), g_tex(tex.size()), g_mips(mips.size()), g_uv(uv.size()),
      g_uv_da(uv_da.size()), g_bias(pixels), g_attr(attr.size()), g_rast(rast.size()), g_db(db.size()),
      g_pos2(pos.size());
  machine.antialias_backward(s.shape, mesh, raster, s.opposite.data(), color.data(), 3, g.data(), 1, g_color.data(),
                             g_pos.data());
  keep(g_color);
  keep(g_pos);
  machine.texture_backward(s.shape, t, l, g_color.data(), g_tex.data(), g_mips.data(), g_uv.data(), g_uv_da.data(),
                           g_bias.data());
  for (const auto* v : {&g_tex, &g_mips, &g_uv, &g_uv_da, &g_bias}) keep(*v);
  machine.construct_mip_backward(t, 1, g_mips.data(), g_tex.data());
  keep(g_tex);
  machine.interpolate_backward(s.shape, mesh, raster, a, g_uv.data(), db.data(), {0, 1, 2}, g_uv_da.data(),
                               g_attr.data(), g_rast.data(), g_db.data());
  for (const auto* v : {&g_attr, &g_rast, &g_db}) keep(*v);
  machine.rasterize_backward(s.shape, mesh, raster, g_rast.data(), g_db.data(), g_pos2.data());
  keep(g_pos2);
  return hashes;
}

TEST(DiffBits, AreTheSameForAllWorkersAndMachines) {
  const std::string one = run_all({.workers = 1});
  for (const std::string& isa : machines())
    for (const int workers : {1, 2, 3, 7})
      EXPECT_EQ(run_all({.workers = workers, .isa = isa}), one) << isa << ", workers " << workers;
}

TEST(DiffBits, AreTheSameWhereWarpsAddToTheSameWords) {
  // A sum of more than 2^22 words for two warps is shared between them.
  const DiffShape shape{1, 128, 256};
  const size_t pixels = 128 * 256, size = 2048 * 1024 * 3;
  const std::vector<float> tex(size, 0.5f), uv = random_floats(pixels * 2, 7, 0, 0.05f),
                                            g = random_floats(pixels * 3, 8);
  const DiffTexture t{tex.data(), 1024, 2048, 3, true};
  const DiffLookup l{DiffFilter::linear, uv.data()};
  std::vector<std::vector<float>> all;
  for (const int workers : {1, 2, 3, 4}) {
    DiffMachine machine({.workers = workers});
    std::vector<float> grad(size);
    machine.texture_backward(shape, t, l, g.data(), grad.data(), nullptr, nullptr, nullptr, nullptr);
    all.push_back(std::move(grad));
  }
  EXPECT_GT(*std::max_element(all[0].begin(), all[0].end()), 0);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_TRUE(all[i] == all[0]) << i;
}

TEST(DiffBits, SumsAreMoreExactThanFloatsAndKnowWhatIsNotFinite) {
  // One triangle over the whole picture: each vertex sums all pixels.
  const std::vector<float> pos{-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1};
  const int32_t tri[] = {0, 1, 2};
  const DiffMesh mesh{.pos = pos.data(), .vertices = 3, .tri = tri, .triangles = 1};
  const DiffShape shape{1, 64, 64};
  DiffMachine machine({.workers = 2});
  std::vector<int32_t> ids(64 * 64);
  machine.visible(shape, mesh, ids.data());
  std::vector<float> rast(64 * 64 * 4), g(64 * 64 * 2, 1e-3f), grad(6), attr(6, 1.0f);
  machine.rasterize(shape, mesh, ids.data(), rast.data(), nullptr);
  g[0] = 1e6f;
  const DiffAttributes a{attr.data(), 3, 2, true};
  machine.interpolate_backward(shape, mesh, {rast.data()}, a, g.data(), nullptr, {}, nullptr, grad.data(), nullptr,
                               nullptr);
  for (size_t v = 0; v < 3; ++v) {
    double want = 0;
    for (size_t p = 0; p < 64 * 64; ++p) {
      const double u = rast[p * 4], w = rast[p * 4 + 1];
      want += double(g[p * 2]) * (v == 0 ? u : v == 1 ? w : double(1 - rast[p * 4] - rast[p * 4 + 1]));
    }
    EXPECT_NEAR(grad[v * 2], want, 1e-7 * std::abs(want));
  }
  g[8] = std::numeric_limits<float>::infinity();
  machine.interpolate_backward(shape, mesh, {rast.data()}, a, g.data(), nullptr, {}, nullptr, grad.data(), nullptr,
                               nullptr);
  for (size_t v = 0; v < 3; ++v) {
    EXPECT_TRUE(std::isnan(grad[v * 2]));
    EXPECT_TRUE(std::isfinite(grad[v * 2 + 1])) << "the other channel has a unit of its own";
  }
  std::fill(g.begin(), g.end(), 0.0f);
  machine.interpolate_backward(shape, mesh, {rast.data()}, a, g.data(), nullptr, {}, nullptr, grad.data(), nullptr,
                               nullptr);
  for (float x : grad) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace brokkr::diff_test
