// All operations of differentiable rendering in a row.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/sha256.h"
#include "diff/scenes.h"

namespace brokkr::diff_test {

// Outputs and gradients of all operations, as one text of hashes.
inline std::string run_all(const DiffOptions& options, const Scene& s) {
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
  machine.edges_backward(s.shape, mesh, raster, color.data(), 3, g.data(), 1, g_pos.data());
  keep(g_pos);
  EXPECT_TRUE(std::any_of(g_pos.begin(), g_pos.end(), [](float x) { return x != 0; }));
  return hashes;
}

}  // namespace brokkr::diff_test
