// Outputs against the definition in double precision, gradients against its central differences.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "diff/scenes.h"

namespace brokkr::diff_test {
namespace {

void expect_near(const std::vector<float>& got, const Numbers& want, double relative, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double most = 0, worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    most = std::max(most, std::abs(want[i]));
    const double e =
        std::isfinite(got[i]) ? std::abs(double(got[i]) - want[i]) : std::numeric_limits<double>::infinity();
    if (e > worst) {
      worst = e;
      where = i;
    }
  }
  EXPECT_GT(most, 0) << what;
  EXPECT_LE(worst, relative * most) << what << " at " << where << ": " << got[where] << ", wanted " << want[where];
}

double dot(const Numbers& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * double(b[i]);
  return sum;
}

// Central differences of loss(x) at `count` elements, some of them the largest. Other elements take the value of `got`.
void expect_gradient(const std::vector<float>& got, Numbers x, const std::function<double(const Numbers&)>& loss,
                     double relative, const char* what, double step = 1e-6, size_t most = 60) {
  ASSERT_EQ(got.size(), x.size()) << what;
  double scale = 0;
  for (float g : got) scale = std::max(scale, std::abs(double(g)));
  EXPECT_GT(scale, 0) << what;
  const size_t stride = std::max<size_t>(1, x.size() / most);
  for (size_t i = 0; i < x.size(); i += stride) {
    const double kept = x[i];
    x[i] = kept + step;
    const double above = loss(x);
    x[i] = kept - step;
    const double below = loss(x);
    x[i] = kept;
    EXPECT_NEAR(got[i], (above - below) / (2 * step), relative * scale) << what << " [" << i << "]";
  }
}

struct Fixture {
  Scene s = sphere(2, 40, 52);
  std::vector<float> pos = to_float(s.pos);
  DiffMesh mesh = mesh_of(s, pos);
  DiffMachine machine{{.workers = 2}};
  std::vector<float> rast, db;
  Fixture() : rast(size_t(s.pixels()) * 4), db(rast.size()) {
    machine.rasterize(s.shape, mesh, s.ids.data(), rast.data(), db.data());
  }
  DiffRaster raster() const { return {rast.data(), nullptr}; }
  // At edges, exact weights may lie outside the triangle while rast is clamped; those pixels are left out.
  std::vector<char> inside() const {
    std::vector<char> all(size_t(s.pixels()));
    const Numbers r = diff_test::raster(s);
    for (size_t p = 0; p < all.size(); ++p)
      all[p] = s.ids[p] >= 0 && r[p * 7] >= 0 && r[p * 7 + 1] >= 0 && r[p * 7] + r[p * 7 + 1] <= 1;
    return all;
  }
};

TEST(Diff, RasterIsTheDefinitions) {
  const Fixture f;
  const Numbers r = raster(f.s);
  const std::vector<char> inside = f.inside();
  int covered = 0;
  for (size_t p = 0; p < inside.size(); ++p) {
    EXPECT_EQ(f.rast[p * 4 + 3], float(f.s.ids[p] + 1));
    EXPECT_GE(f.rast[p * 4], 0);
    EXPECT_GE(f.rast[p * 4 + 1], 0);
    EXPECT_LE(double(f.rast[p * 4]) + double(f.rast[p * 4 + 1]), 1 + 1e-7);
    if (!inside[p]) continue;
    ++covered;
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(f.rast[p * 4 + k], r[p * 7 + k], 1e-6) << "pixel " << p;
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(f.db[p * 4 + k], r[p * 7 + 3 + k], 1e-6 + 1e-6 * std::abs(r[p * 7 + 3 + k]));
  }
  EXPECT_GT(covered, 900);
}

TEST(Diff, GradientOfRasterIsTheDefinitions) {
  Fixture f;
  const auto g = random_floats(f.rast.size(), 1), g_db = random_floats(f.db.size(), 2);
  const auto loss = [&](bool has_db) {
    return [&f, &g, &g_db, has_db](const Numbers& pos) {
      Scene s = f.s;
      s.pos = pos;
      double sum = 0;
      for (int p = 0; p < s.pixels(); ++p) {
        if (s.ids[size_t(p)] < 0) continue;
        const auto r = raster_of(s, p, s.ids[size_t(p)]);
        for (size_t k = 0; k < 3; ++k) sum += r[k] * double(g[size_t(p) * 4 + k]);
        for (size_t k = 0; has_db && k < 4; ++k) sum += r[3 + k] * double(g_db[size_t(p) * 4 + k]);
      }
      return sum;
    };
  };
  std::vector<float> grad(f.pos.size());
  f.machine.rasterize_backward(f.s.shape, f.mesh, f.raster(), g.data(), nullptr, grad.data());
  expect_gradient(grad, f.s.pos, loss(false), 1e-6, "pos");
  f.machine.rasterize_backward(f.s.shape, f.mesh, f.raster(), g.data(), g_db.data(), grad.data());
  expect_gradient(grad, f.s.pos, loss(true), 1e-6, "pos, with derivatives");
}

TEST(Diff, InterpolationAndItsGradientAreTheDefinitions) {
  Fixture f;
  const int channels = 5;
  const auto attr = random_floats(size_t(f.s.vertices * channels), 4);
  const std::vector<int32_t> diff{3, 0};
  const DiffAttributes a{attr.data(), f.s.vertices, channels, true};
  std::vector<float> out(size_t(f.s.pixels() * channels)), out_da(size_t(f.s.pixels()) * 4);
  f.machine.interpolate(f.s.shape, f.mesh, f.raster(), a, out.data(), f.db.data(), diff, out_da.data());
  // The stage reads u, v from rast, so the definition does too.
  const auto raster_from = [&](const Numbers& rast, const Numbers& db) {
    Numbers r(size_t(f.s.pixels()) * 7);
    for (size_t p = 0; p < size_t(f.s.pixels()); ++p) {
      for (size_t k = 0; k < 3; ++k) r[p * 7 + k] = rast[p * 4 + k];
      for (size_t k = 0; k < 4; ++k) r[p * 7 + 3 + k] = db[p * 4 + k];
    }
    return r;
  };
  const auto g = random_floats(out.size(), 5), g_da = random_floats(out_da.size(), 6);
  Numbers want, want_da;
  const auto loss = [&](const Numbers& at, const Numbers& rast, const Numbers& db) {
    interpolate(f.s, raster_from(rast, db), at, channels, want, want_da);
    double sum = dot(want, g);
    for (size_t p = 0; p < size_t(f.s.pixels()); ++p)
      for (size_t i = 0; i < 2; ++i)
        for (size_t k = 0; k < 2; ++k)
          sum += want_da[(p * channels + size_t(diff[i])) * 2 + k] * double(g_da[p * 4 + i * 2 + k]);
    return sum;
  };
  loss(wide(attr), wide(f.rast), wide(f.db));
  expect_near(out, want, 1e-6, "out");
  for (size_t p = 0; p < size_t(f.s.pixels()); ++p)
    for (size_t i = 0; i < 2; ++i)
      for (size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(out_da[p * 4 + i * 2 + k], want_da[(p * channels + size_t(diff[i])) * 2 + k], 1e-5);
  std::vector<float> g_attr(attr.size()), g_rast(f.rast.size()), g_db(f.db.size());
  f.machine.interpolate_backward(f.s.shape, f.mesh, f.raster(), a, g.data(), f.db.data(), diff, g_da.data(),
                                 g_attr.data(), g_rast.data(), g_db.data());
  expect_gradient(
      g_attr, wide(attr), [&](const Numbers& x) { return loss(x, wide(f.rast), wide(f.db)); }, 1e-6, "attr");
  for (size_t i = 0; i < g_rast.size(); ++i)
    if (i % 4 >= 2) EXPECT_EQ(g_rast[i], 0) << "z/w and the number have no part in attributes";
  Numbers rast = wide(f.rast), db = wide(f.db);
  expect_gradient(
      g_db, db, [&](const Numbers& x) { return loss(wide(attr), rast, x); }, 2e-6, "rast_db");
  int held = 0;
  for (size_t p = 0; p < size_t(f.s.pixels()) && held < 20; p += 37) {
    if (f.s.ids[p] < 0) continue;
    ++held;
    for (size_t k = 0; k < 2; ++k) {
      const double kept = rast[p * 4 + k];
      rast[p * 4 + k] = kept + 1e-6;
      const double above = loss(wide(attr), rast, db);
      rast[p * 4 + k] = kept - 1e-6;
      const double below = loss(wide(attr), rast, db);
      rast[p * 4 + k] = kept;
      EXPECT_NEAR(g_rast[p * 4 + k], (above - below) / 2e-6, 1e-5);
    }
  }
  EXPECT_EQ(held, 20);
}

TEST(Diff, AntialiasAndItsGradientAreTheDefinitions) {
  Fixture f;
  const int channels = 3;
  const auto color = random_floats(size_t(f.s.pixels() * channels), 8), g = random_floats(color.size(), 9);
  std::vector<float> out(color.size());
  f.machine.antialias(f.s.shape, f.mesh, f.raster(), f.s.opposite.data(), color.data(), channels, out.data());
  const Numbers want = antialias(f.s, raster(f.s), wide(color), channels);
  expect_near(out, want, 1e-6, "out");
  int changed = 0;
  for (size_t i = 0; i < out.size(); ++i) changed += out[i] != color[i];
  EXPECT_GT(changed, 200);
  std::vector<float> g_color(color.size()), g_pos(f.pos.size());
  f.machine.antialias_backward(f.s.shape, f.mesh, f.raster(), f.s.opposite.data(), color.data(), channels, g.data(), 1,
                               g_color.data(), g_pos.data());
  expect_gradient(
      g_color, wide(color), [&](const Numbers& x) { return dot(antialias(f.s, raster(f.s), x, channels), g); }, 2e-6,
      "color");
  // z/w decides which surface is nearer; the raster and its ids stay unchanged.
  const Numbers r = raster(f.s);
  expect_gradient(
      g_pos, f.s.pos,
      [&](const Numbers& x) {
        Scene s = f.s;
        s.pos = x;
        return dot(antialias(s, r, wide(color), channels), g);
      },
      1e-6, "pos", 1e-7, 300);
  std::vector<float> boosted(g_pos.size());
  f.machine.antialias_backward(f.s.shape, f.mesh, f.raster(), f.s.opposite.data(), color.data(), channels, g.data(), 4,
                               nullptr, boosted.data());
  for (size_t i = 0; i < boosted.size(); ++i) EXPECT_EQ(boosted[i], g_pos[i] * 4);
}

TEST(Diff, AntialiasTakesVerticesBehindTheCamera) {
  // A triangle from in front of the camera to behind it: the edges of the visible part blend.
  Scene s;
  s.shape = {1, 24, 24};
  s.vertices = 3;
  s.pos = {-1, -0.9, 0, 1, 1.1, -0.8, 0, 1, 0.3, -2, -2, -0.5};
  for (double& x : s.pos) x = double(float(x));
  s.tri = {0, 1, 2};
  s.opposite = {-1, -1, -1};
  s.ids.resize(24 * 24);
  const std::vector<float> pos = to_float(s.pos);
  const DiffMesh mesh = mesh_of(s, pos);
  DiffMachine machine({.workers = 1});
  machine.visible(s.shape, mesh, s.ids.data());
  std::vector<float> rast(24 * 24 * 4), color(24 * 24), out(24 * 24), g(24 * 24, 1.0f), g_pos(12);
  machine.rasterize(s.shape, mesh, s.ids.data(), rast.data(), nullptr);
  for (size_t p = 0; p < color.size(); ++p) color[p] = s.ids[p] >= 0 ? 1.0f : 0.0f;
  machine.antialias(s.shape, mesh, {rast.data()}, s.opposite.data(), color.data(), 1, out.data());
  int blended = 0;
  for (float c : out) {
    EXPECT_TRUE(c >= 0 && c <= 1) << c;
    blended += c > 0 && c < 1;
  }
  EXPECT_GT(blended, 10);
  machine.antialias_backward(s.shape, mesh, {rast.data()}, s.opposite.data(), color.data(), 1, g.data(), 1, nullptr,
                             g_pos.data());
  float most = 0;
  for (float x : g_pos) {
    EXPECT_TRUE(std::isfinite(x));
    most = std::max(most, std::abs(x));
  }
  EXPECT_GT(most, 0.1f);
}

struct TextureCase {
  DiffFilter filter;
  DiffBoundary boundary;
  int height, width;
  bool has_da, has_bias;
};

class DiffTextures : public testing::TestWithParam<TextureCase> {};

TEST_P(DiffTextures, AreTheDefinitions) {
  const TextureCase& c = GetParam();
  const bool cube = c.boundary == DiffBoundary::cube;
  const bool mips = c.filter == DiffFilter::linear_mipmap_nearest || c.filter == DiffFilter::linear_mipmap_linear;
  const int n = cube ? 3 : 2, faces = cube ? 6 : 1, channels = 2;
  const DiffShape shape{2, 11, 21};
  const size_t pixels = 2 * 11 * 21;
  const auto tex = random_floats(size_t(faces * c.height * c.width * channels), 11);
  auto uv = random_floats(pixels * size_t(n), 12, cube ? -1.0f : -1.2f, cube ? 1.0f : 1.8f);
  const auto da = random_floats(pixels * size_t(2 * n), 13, -0.3f, 0.3f), bias = random_floats(pixels, 14, -0.5f, 1.0f);
  DiffTexture t{tex.data(), c.height, c.width, channels, true, c.boundary};
  DiffMachine machine({.workers = 2});
  if (mips) t.levels = DiffMachine::mip_levels(t, -1);
  std::vector<float> small(size_t(DiffMachine::mip_size(t)));
  if (mips) machine.construct_mip(t, 1, small.data());
  t.mips = small.data();
  const DiffLookup l{c.filter, uv.data(), c.has_da ? da.data() : nullptr, c.has_bias ? bias.data() : nullptr};
  std::vector<float> out(pixels * channels);
  machine.texture(shape, t, l, out.data());

  const auto pyramid = [&](const Numbers& base, const Numbers& rest) {
    Pyramid p{faces, channels, {base}, {{c.height, c.width}}};
    for (size_t at = 0; at < rest.size();) {
      const auto [h, w] = p.sizes.back();
      p.sizes.push_back({std::max(h / 2, 1), std::max(w / 2, 1)});
      const size_t size = size_t(faces * p.sizes.back()[0] * p.sizes.back()[1] * channels);
      p.levels.emplace_back(rest.begin() + int64_t(at), rest.begin() + int64_t(at + size));
      at += size;
    }
    return p;
  };
  const auto all = [&](const Pyramid& p, const Numbers& at, const Numbers& d, const Numbers& b) {
    Numbers values(pixels * channels);
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t pixel = i / channels;
      values[i] =
          sample(p, {c.filter, c.boundary}, at.data() + pixel * size_t(n),
                 c.has_da ? d.data() + pixel * size_t(2 * n) : nullptr, c.has_bias ? b[pixel] : 0, int(i % channels));
    }
    return values;
  };
  const Numbers base = wide(tex), rest = wide(small), at = wide(uv), wide_da = wide(da), wide_bias = wide(bias);
  const Pyramid p = pyramid(base, rest);
  expect_near(out, all(p, at, wide_da, wide_bias), 4e-6, "out");

  const auto g = random_floats(out.size(), 15);
  std::vector<float> g_tex(tex.size()), g_small(small.size()), g_uv(uv.size()), g_da(da.size()), g_bias(bias.size());
  machine.texture_backward(shape, t, l, g.data(), g_tex.data(), g_small.data(), g_uv.data(),
                           c.has_da ? g_da.data() : nullptr, c.has_bias ? g_bias.data() : nullptr);
  expect_gradient(
      g_tex, base, [&](const Numbers& x) { return dot(all(pyramid(x, rest), at, wide_da, wide_bias), g); }, 4e-6, "tex",
      1e-4, 24);
  if (mips)
    expect_gradient(
        g_small, rest, [&](const Numbers& x) { return dot(all(pyramid(base, x), at, wide_da, wide_bias), g); }, 4e-6,
        "mips", 1e-4, 24);
  // Per pixel: only the pixel's own lookup changes.
  const auto per_pixel = [&](const std::vector<float>& got, const Numbers& x, size_t each, int which,
                             const char* what) {
    double scale = 0;
    for (float v : got) scale = std::max(scale, std::abs(double(v)));
    if (c.height > 1) EXPECT_GT(scale, 0) << what;
    // the coordinates of a texture with one texel have only rounding errors as gradients
    scale = std::max(scale, 1e-2);
    int jumps = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t pixel = i / each;
      const auto value = [&](double step) {
        Numbers one(x.begin() + int64_t(pixel * each), x.begin() + int64_t((pixel + 1) * each));
        one[i % each] += step;
        double sum = 0;
        for (int k = 0; k < channels; ++k)
          sum += double(g[pixel * channels + size_t(k)]) *
                 sample(p, {c.filter, c.boundary}, which == 0 ? one.data() : at.data() + pixel * size_t(n),
                        !c.has_da    ? nullptr
                        : which == 1 ? one.data()
                                     : wide_da.data() + pixel * size_t(2 * n),
                        which == 2   ? one[0]
                        : c.has_bias ? wide_bias[pixel]
                                     : 0,
                        k);
        return sum;
      };
      const double h = 1e-6, middle = value(0), right = (value(h) - middle) / h, left = (middle - value(-h)) / h;
      if (std::abs(right - left) > 1e-3 * scale) {  // a kink: between texels, levels or faces
        ++jumps;
        continue;
      }
      EXPECT_NEAR(got[i], (right + left) / 2, 3e-5 * scale) << what << " [" << i << "]";
    }
    EXPECT_LT(jumps, int(x.size() / 50)) << what;
  };
  if (c.filter == DiffFilter::nearest) {
    for (float v : g_uv) EXPECT_EQ(v, 0);
  } else {
    per_pixel(g_uv, at, size_t(n), 0, "uv");
  }
  if (c.filter == DiffFilter::linear_mipmap_linear) {
    if (c.has_da) per_pixel(g_da, wide_da, size_t(2 * n), 1, "uv_da");
    if (c.has_bias) per_pixel(g_bias, wide_bias, 1, 2, "bias");
  }
}

std::vector<TextureCase> texture_cases() {
  std::vector<TextureCase> cases;
  for (const DiffBoundary b : {DiffBoundary::wrap, DiffBoundary::clamp, DiffBoundary::zero, DiffBoundary::cube}) {
    const int h = b == DiffBoundary::cube ? 8 : 4, w = 8;
    cases.push_back({DiffFilter::nearest, b, h + 1, b == DiffBoundary::cube ? h + 1 : 7, false, false});
    cases.push_back({DiffFilter::linear, b, h + 1, b == DiffBoundary::cube ? h + 1 : 7, false, false});
    cases.push_back({DiffFilter::linear, b, 1, 1, false, false});
    cases.push_back({DiffFilter::linear_mipmap_nearest, b, h, w, true, false});
    cases.push_back({DiffFilter::linear_mipmap_linear, b, h, w, true, false});
    cases.push_back({DiffFilter::linear_mipmap_linear, b, h, w, true, true});
    cases.push_back({DiffFilter::linear_mipmap_linear, b, h, w, false, true});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, DiffTextures, testing::ValuesIn(texture_cases()));

TEST(Diff, MipsAreAveragesAndTheirGradientIsTheTranspose) {
  for (const auto& [h, w] : {std::pair{4, 8}, std::pair{1, 8}, std::pair{8, 2}}) {
    const auto tex = random_floats(size_t(3 * h * w * 2), 21);
    DiffTexture t{tex.data(), h, w, 2, false, DiffBoundary::wrap};
    t.levels = DiffMachine::mip_levels(t, -1);
    DiffMachine machine({.workers = 1});
    const auto size = size_t(DiffMachine::mip_size(t));
    std::vector<float> mips(size * 3);
    machine.construct_mip(t, 3, mips.data());
    for (int i = 0; i < 3; ++i) {  // the last level is the mean of all texels
      for (int k = 0; k < 2; ++k) {
        double mean = 0;
        for (int p = 0; p < h * w; ++p) mean += double(tex[size_t((i * h * w + p) * 2 + k)]) / (h * w);
        EXPECT_NEAR(mips[size_t(i) * size + size - 2 + size_t(k)], mean, 1e-6);
      }
    }
    // <M tex, g> = <tex, M' g>
    const auto g = random_floats(mips.size(), 22);
    std::vector<float> g_mips = g, g_tex(tex.size(), 0.0f);
    machine.construct_mip_backward(t, 3, g_mips.data(), g_tex.data());
    EXPECT_NEAR(dot(wide(mips), g), dot(wide(tex), g_tex), 1e-5);
  }
}

}  // namespace
}  // namespace brokkr::diff_test
