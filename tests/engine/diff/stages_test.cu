// The stages of differentiable rendering give the same bits on the CUDA machine as on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "diff/scenes.h"
#include "diff/stages.h"
#include "machine/cuda_memory.h"

namespace brokkr::diff_test {
namespace {

constexpr unsigned kBlocks = 3, kWarps = 2;

template <class Stage>
__global__ void run_stage(typename Stage::Data data, uint32_t parts) {
  const uint32_t part = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (part < parts) Stage::run(data, {part, parts});
}

template <class Stage>
void run(const typename Stage::Data& data, uint32_t parts = kBlocks * kWarps) {
  run_stage<Stage><<<kBlocks, 32 * kWarps>>>(data, parts);
  cuda_test::wait();
}

template <class T>
class Shared {
 public:
  explicit Shared(size_t n) : n_(n), p_(std::static_pointer_cast<T>(cuda_test::allocate(n * sizeof(T)))) {}
  explicit Shared(const std::vector<T>& v) : Shared(v.size()) { std::memcpy(p_.get(), v.data(), v.size() * sizeof(T)); }
  T* get() const { return p_.get(); }
  std::vector<T> copy() const { return {p_.get(), p_.get() + n_}; }

 private:
  size_t n_;
  std::shared_ptr<T> p_;
};

// Memory of sums to which all warps add.
struct SumMemory {
  Shared<uint64_t> words;
  Shared<uint32_t> largest;
  Shared<double> units;
  DiffSums sums{};
  SumMemory(uint64_t size, uint32_t channels, int most, float* out)
      : words(size), largest(kBlocks * kWarps * channels * kDiffLanes), units(channels) {
    sums = {words.get(), size, 1, channels, largest.get(), kBlocks * kWarps, units.get(), 0, size, out, nullptr};
    sums.bits = std::min(50, 62 - int(std::bit_width(unsigned(most))));
  }
};

template <class Find, class Add>
void sum(typename Find::Data data, const SumMemory& memory) {
  data.sums = memory.sums;
  run<Find>(data);
  run<Stage_find_units>(memory.sums, 1);
  run<Add>(data);
  run<Stage_write_sums>(memory.sums);
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(CudaDiff, HasTheBitsOfTheCpu) {
  const Scene s = sphere(1, 21, 37);
  const std::vector<float> pos = to_float(s.pos);
  const DiffMesh mesh = mesh_of(s, pos);
  const auto pixels = size_t(s.pixels());
  DiffMachine machine({.workers = 1});

  const Shared<float> d_pos(pos);
  const Shared<int32_t> d_tri(s.tri), d_ids(s.ids), d_opposite(s.opposite);
  DiffGeometry g{s.shape, d_pos.get(), d_tri.get(), nullptr, d_ids.get(), s.vertices, int32_t(s.tri.size() / 3), 0};

  std::vector<float> rast(pixels * 4), db(pixels * 4);
  machine.rasterize(s.shape, mesh, s.ids.data(), rast.data(), db.data());
  const Shared<float> d_rast(pixels * 4), d_db(pixels * 4);
  run<Stage_rasterize>({g, d_rast.get(), d_db.get()});
  EXPECT_TRUE(same(d_rast.copy(), rast));
  EXPECT_TRUE(same(d_db.copy(), db));

  g.rast = d_rast.get();
  g.ids = nullptr;
  const auto attr = random_floats(size_t(s.vertices) * 2, 1), g_out = random_floats(pixels * 2, 2),
             g_da = random_floats(pixels * 4, 3);
  const std::vector<int32_t> all{0, 1};
  const DiffAttributes a{attr.data(), s.vertices, 2, true};
  std::vector<float> uv(pixels * 2), da(pixels * 4), g_attr(attr.size()), g_rast(pixels * 4), g_db(pixels * 4);
  machine.interpolate(s.shape, mesh, {rast.data()}, a, uv.data(), db.data(), all, da.data());
  const Shared<float> d_attr(attr), d_uv(uv.size()), d_da(da.size()), d_g_out(g_out), d_g_da(g_da);
  const Shared<int32_t> d_all(all);
  const DiffInterpolate interpolate{g, d_attr.get(), 0, 2, d_all.get(), 2, d_db.get(), d_uv.get(), d_da.get()};
  run<Stage_interpolate>(interpolate);
  EXPECT_TRUE(same(d_uv.copy(), uv));
  EXPECT_TRUE(same(d_da.copy(), da));
  machine.interpolate_backward(s.shape, mesh, {rast.data()}, a, g_out.data(), db.data(), all, g_da.data(),
                               g_attr.data(), g_rast.data(), g_db.data());
  const Shared<float> d_g_attr(attr.size()), d_g_rast(pixels * 4), d_g_db(pixels * 4);
  sum<Stage_interpolate_largest, Stage_interpolate_add>(
      {interpolate, d_g_out.get(), d_g_da.get(), d_g_rast.get(), d_g_db.get(), {}},
      SumMemory(attr.size(), 2, 6 * s.pixels(), d_g_attr.get()));
  EXPECT_TRUE(same(d_g_attr.copy(), g_attr));
  EXPECT_TRUE(same(d_g_rast.copy(), g_rast));
  EXPECT_TRUE(same(d_g_db.copy(), g_db));

  std::vector<float> g_pos(pos.size());
  machine.rasterize_backward(s.shape, mesh, {rast.data()}, g_rast.data(), g_db.data(), g_pos.data());
  const Shared<float> d_g_pos(pos.size());
  sum<Stage_rasterize_largest, Stage_rasterize_add>({g, d_g_rast.get(), d_g_db.get(), {}},
                                                    SumMemory(pos.size(), 4, 3 * s.pixels(), d_g_pos.get()));
  EXPECT_TRUE(same(d_g_pos.copy(), g_pos));

  std::vector<float> blended(pixels * 2), g_color(pixels * 2);
  machine.antialias(s.shape, mesh, {rast.data()}, s.opposite.data(), uv.data(), 2, blended.data());
  const Shared<float> d_blended(pixels * 2), d_g_color(pixels * 2);
  const DiffAntialias antialias{g, d_opposite.get(), d_uv.get(), 2, d_blended.get()};
  run<Stage_antialias>(antialias);
  EXPECT_TRUE(same(d_blended.copy(), blended));
  machine.antialias_backward(s.shape, mesh, {rast.data()}, s.opposite.data(), uv.data(), 2, g_out.data(), 1,
                             g_color.data(), g_pos.data());
  const DiffAntialiasBackward back{antialias, d_g_out.get(), 1, d_g_color.get(), {}};
  run<Stage_antialias_color>(back);
  sum<Stage_antialias_largest, Stage_antialias_add>(back, SumMemory(pos.size(), 4, 4 * s.pixels(), d_g_pos.get()));
  EXPECT_TRUE(same(d_g_color.copy(), g_color));
  EXPECT_TRUE(same(d_g_pos.copy(), g_pos));

  const auto tex = random_floats(8 * 8 * 2, 7);
  DiffTexture t{tex.data(), 8, 8, 2, true};
  t.levels = 3;
  std::vector<float> mips(size_t(DiffMachine::mip_size(t))), color(pixels * 2);
  machine.construct_mip(t, 1, mips.data());
  const Shared<float> d_tex(tex), d_mips(mips.size()), d_color(pixels * 2);
  DiffSample sample{s.shape,
                    DiffFilter::linear_mipmap_linear,
                    DiffBoundary::wrap,
                    d_tex.get(),
                    d_mips.get(),
                    0,
                    0,
                    2,
                    3,
                    {8, 4, 2, 1},
                    {8, 4, 2, 1},
                    {0, 0, 32, 40},
                    d_uv.get(),
                    d_da.get(),
                    nullptr,
                    d_color.get()};
  run<Stage_shrink>({d_tex.get(), d_mips.get(), 1, 8, 8, 2});
  run<Stage_shrink>({d_mips.get(), d_mips.get() + 32, 1, 4, 4, 2});
  run<Stage_shrink>({d_mips.get() + 32, d_mips.get() + 40, 1, 2, 2, 2});
  EXPECT_TRUE(same(d_mips.copy(), mips));
  t.mips = mips.data();
  const DiffLookup lookup{DiffFilter::linear_mipmap_linear, uv.data(), da.data()};
  machine.texture(s.shape, t, lookup, color.data());
  run<Stage_sample>(sample);
  EXPECT_TRUE(same(d_color.copy(), color));
  std::vector<float> g_tex(tex.size()), g_mips(mips.size()), g_uv(pixels * 2), g_uv_da(pixels * 4);
  machine.texture_backward(s.shape, t, lookup, g_out.data(), g_tex.data(), g_mips.data(), g_uv.data(), g_uv_da.data(),
                           nullptr);
  const Shared<float> d_g_tex(tex.size()), d_g_mips(mips.size()), d_g_uv(pixels * 2), d_g_uv_da(pixels * 4);
  SumMemory of_texels(tex.size() + mips.size(), 2, 8 * s.pixels(), d_g_tex.get());
  of_texels.sums.split = tex.size();
  of_texels.sums.out_rest = d_g_mips.get();
  sum<Stage_sample_largest, Stage_sample_add>(
      {sample, d_g_out.get(), d_g_uv.get(), d_g_uv_da.get(), nullptr, {}, tex.size()}, of_texels);
  EXPECT_TRUE(same(d_g_tex.copy(), g_tex));
  EXPECT_TRUE(same(d_g_mips.copy(), g_mips));
  EXPECT_TRUE(same(d_g_uv.copy(), g_uv));
  EXPECT_TRUE(same(d_g_uv_da.copy(), g_uv_da));
}

}  // namespace
}  // namespace brokkr::diff_test
