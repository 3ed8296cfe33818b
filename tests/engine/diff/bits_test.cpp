// Gradients have the same bits for any number of workers and on every machine.
#include <gtest/gtest.h>

#include <limits>

#include "diff/all_operations.h"
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

TEST(DiffBits, AreTheSameForAllWorkersAndMachines) {
  const Scene s = sphere(2, 150, 131, 12, 15);
  const std::string one = run_all({.workers = 1}, s);
  for (const std::string& isa : machines())
    for (const int workers : {1, 2, 3, 7})
      EXPECT_EQ(run_all({.workers = workers, .isa = isa}, s), one) << isa << ", workers " << workers;
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
