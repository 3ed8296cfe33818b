// Draws one frame with the pipeline and with OpenGL, and measures the difference of the pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "brokkr/renderer.h"
#include "reference/gl_replay.h"
#include "tiny_frame.h"

namespace brokkr::test {

// The frame as the CPU machine draws it with interpreted programs.
inline RenderResult draw_interpreted(const Frame& frame) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.shading = Shading::program;
  options.shaders = ShaderCode::interpreted;
  return renderer.render(prepared, options);
}

// A frame with programs as OpenGL and the CPU machine draw it: its first target.
struct TwoPictures {
  GlLayer expected;
  Layer got;
};
// Reports a failure if either cannot run a program.
inline TwoPictures draw_twice(const Frame& frame) {
  GlReplay replay(*compatible_context().context);
  replay.prepare(frame);
  for (const auto& failure : replay.failures()) ADD_FAILURE() << failure.reason;
  replay.draw();
  const RenderResult result = draw_interpreted(frame);
  EXPECT_EQ(result.statistics.false_color_draws, 0u);
  return {replay.read(0), result.targets[0].layers[0]};
}

// The number of differing pixels. Rasterizers may differ by one snapping step, so a few pixels on edges may differ.
struct Difference {
  size_t pixels = 0;
  size_t color = 0, depth = 0, stencil = 0;
  int worst_color = 0;  // largest difference of an 8-bit channel
  double percent(size_t count) const { return pixels == 0 ? 0.0 : 100.0 * double(count) / double(pixels); }
};

// The distance by which snapping to 1/256 pixel may move the depth of triangles that the near plane cuts: their depth
// changes by hundredths per pixel.
inline constexpr float kSteepDepth = 1e-4f;

inline int channel_difference(uint32_t a, uint32_t b) {
  int worst = 0;
  for (int shift = 0; shift < 32; shift += 8)
    worst = std::max(worst, std::abs(int(a >> shift & 255u) - int(b >> shift & 255u)));
  return worst;
}

// Channels may differ by `color_tolerance`, depths by `depth_tolerance`. RGBA16F is compared as 8-bit steps.
inline Difference compare(const Layer& ours, const GlLayer& theirs, int color_tolerance = 1,
                          float depth_tolerance = 1e-5f) {
  Difference result;
  EXPECT_EQ(ours.width, theirs.width);
  EXPECT_EQ(ours.height, theirs.height);
  EXPECT_EQ(ours.depth.size(), theirs.depth.size());
  EXPECT_EQ(ours.color.size(), theirs.color.size());
  EXPECT_EQ(ours.color_float.size(), theirs.color_float.size());
  if (ours.depth.size() != theirs.depth.size() || ours.color.size() != theirs.color.size()) return result;
  result.pixels = ours.depth.size();
  for (size_t i = 0; i < result.pixels; ++i) {
    int worst = 0;
    if (!ours.color.empty()) worst = channel_difference(ours.color[i], theirs.color[i]);
    for (size_t c = 4 * i; c < 4 * i + 4 && !ours.color_float.empty(); ++c)
      worst = std::max(worst, int(std::lround(255 * std::abs(ours.color_float[c] - theirs.color_float[c]))));
    result.worst_color = std::max(result.worst_color, worst);
    result.color += worst > color_tolerance;
    result.depth += !(std::abs(ours.depth[i] - theirs.depth[i]) <= depth_tolerance);
    if (!ours.stencil.empty()) result.stencil += ours.stencil[i] != theirs.stencil[i];
  }
  return result;
}

// std::uniform_real_distribution differs between standard libraries; this generator does not.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return uint32_t(uint64_t(engine_()) * n >> 32); }
  float between(float low, float high) { return low + (high - low) * float(engine_() >> 8) * 0x1p-24f; }
  glm::vec4 color() { return {between(0, 1), between(0, 1), between(0, 1), between(0, 1)}; }

 private:
  std::mt19937 engine_;
};

class PipelineVsGlTest : public GlTest {
 protected:
  // Draws both pictures of `target`'s `layer`.
  Difference render_both(const Frame& frame, Shading shading, int color_tolerance = 1, float depth_tolerance = 1e-5f,
                         uint32_t target = 0, uint32_t layer = 0) {
    RenderOptions options;
    options.shading = shading;
    RenderResult ours = pipeline_.render(frame, options);
    const GlLayer theirs =
        draw(frame, {shading == Shading::flat ? GlShading::flat : GlShading::material, {}, true}, target, layer);
    return compare(ours.targets.at(target).layers.at(layer), theirs, color_tolerance, depth_tolerance);
  }

  // Compares colours of a frame of 1920 x 1080 pixels. The limit is as tight as the depth limit of captured frames:
  // pixels that differ by more lie on edges, where snapping to 1/256 pixel decides which surface is visible.
  void expect_materials_agree(const Frame& frame) {
    ASSERT_EQ(frame.targets[0].width * frame.targets[0].height, 1920 * 1080);
    const Difference close = render_both(frame, Shading::material, 1, kSteepDepth);
    EXPECT_LE(close.percent(close.color), 0.01) << close.color << " pixels";
    const Difference rough = render_both(frame, Shading::material, 2, kSteepDepth);
    EXPECT_LE(rough.percent(rough.color), 0.001) << rough.color << " pixels, at most by " << rough.worst_color;
    EXPECT_LE(rough.percent(rough.depth), 0.001) << rough.depth << " pixels";
  }

  Renderer pipeline_;
};

}  // namespace brokkr::test
