#include "common/expected.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "oracle/assembly.h"
#include "oracle/fragment.h"
#include "oracle/plane.h"
#include "oracle/surface.h"
#include "oracle/triangle.h"

namespace course {
namespace {

namespace oracle = brokkr::oracle;

constexpr float kDepthSlack = 0x1p-21f;  // a few steps of a 24-bit depth buffer
constexpr float kTexelSlack = 1.0f / 64;

glm::vec4 of(const Vec4& v) { return {v.x, v.y, v.z, v.w}; }

brokkr::State state_of(const Viewport& viewport) {
  brokkr::State state;
  state.viewport = {float(viewport.x), float(viewport.y), float(viewport.width), float(viewport.height)};
  state.depth.test = state.depth.write = false;
  return state;
}

brokkr::State state_of(const Recording& recording, const Draw& draw) {
  brokkr::State state = state_of(recording.viewport());
  state.depth.test = draw.depth_test;
  state.depth.write = draw.depth_write;
  state.depth.func = brokkr::CompareFunc(int(draw.depth));  // both count in OpenGL's order
  state.cull = brokkr::CullMode(int(draw.cull));
  return state;
}
static_assert(int(brokkr::CompareFunc::never) == 0 && int(brokkr::CompareFunc::gequal) == int(DepthFunction::gequal) &&
              int(brokkr::CompareFunc::always) == int(DepthFunction::always) &&
              int(brokkr::CullMode::none) == int(Cull::none) && int(brokkr::CullMode::front) == int(Cull::front) &&
              int(brokkr::CullMode::back) == int(Cull::back));

// An attribute over a triangle. It uses the oracle's depth plane, with the attribute instead of the depth.
class Attributes {
 public:
  Attributes(const Recording& recording, const Draw& draw, const Corners& corners, Shading shading)
      : texture_(shading == Shading::textured && draw.texture >= 0 ? &recording.textures[size_t(draw.texture)]
                                                                   : nullptr) {
    std::array<oracle::SnappedVertex, 3> snapped;
    std::array<const Vertex*, 3> vertex{};
    const brokkr::State state = state_of(recording.viewport());
    for (size_t i = 0; i < 3; ++i) {
      vertex[i] = &draw.vertices[size_t(corners[i])];
      snapped[i] = oracle::snap(oracle::to_window(of(vertex[i]->position), state, 0));
    }
    const auto plane = [&](auto&& value) {
      std::array<oracle::SnappedVertex, 3> of_value = snapped;
      for (size_t i = 0; i < 3; ++i) of_value[i].z = value(i) / vertex[i]->position.w;
      return oracle::depth_plane(of_value, int(snapped[0].x >> 8), int(snapped[0].y >> 8), {});
    };
    const auto color = [&](size_t i) { return vertex[shading == Shading::flat || draw.flat ? 2 : i]->color; };
    planes_ = {plane([](size_t) { return 1.0f; }),
               plane([&](size_t i) { return color(i).r; }),
               plane([&](size_t i) { return color(i).g; }),
               plane([&](size_t i) { return color(i).b; }),
               plane([&](size_t i) { return vertex[i]->s; }),
               plane([&](size_t i) { return vertex[i]->t; })};
  }

  // Returns false if the texel depends on rounding.
  bool shade(int x, int y, glm::vec4& color) const {
    const float w = 1 / planes_[0].unclamped(x, y);
    color = {planes_[1].unclamped(x, y) * w, planes_[2].unclamped(x, y) * w, planes_[3].unclamped(x, y) * w, 1.0f};
    if (!texture_) return true;
    const float s = planes_[4].unclamped(x, y) * w * float(texture_->width());
    const float t = planes_[5].unclamped(x, y) * w * float(texture_->height());
    const int column = int(std::floor(s)) & (texture_->width() - 1),
              row = int(std::floor(t)) & (texture_->height() - 1);
    const uint32_t texel = texture_->texels[size_t(row) * size_t(texture_->width()) + size_t(column)];
    for (int i = 0; i < 3; ++i) color[i] *= float(texel >> 8 * i & 255) / 255;
    const auto is_inside = [](float v) { return std::fabs(v - std::nearbyint(v)) > kTexelSlack; };
    return is_inside(s) && is_inside(t);
  }

 private:
  const Texture* texture_;
  std::array<oracle::DepthPlane, 6> planes_;  // 1 / w, then red, green, blue, s, t, each over w
};

}  // namespace

Vec4 oracle_product(const Mat4& matrix, const Vec4& vector) {
  brokkr::Frame frame;
  frame.views.emplace_back();
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) frame.views[0].view_projection[column][row] = matrix.m[row][column];
  }
  frame.models.emplace_back(1.0f);
  frame.positions.push_back(of(vector));
  brokkr::DrawCommand draw;
  draw.vertex_kind = brokkr::VertexKind::transform;
  const glm::vec4 result = oracle::clip_position(frame, draw, 0, 0, 0);
  return {result.x, result.y, result.z, result.w};
}

Vec4 oracle_window(const Vec4& clip, const Viewport& viewport) {
  const oracle::WindowVertex window = oracle::to_window(of(clip), state_of(viewport), 0);
  return {window.x, window.y, window.z, 1 / clip.w};
}

std::vector<Corners> oracle_assemble(Mode mode, const std::vector<int>& elements) {
  brokkr::Frame frame;
  brokkr::DrawCommand draw;
  draw.topology = mode == Mode::triangle_strip ? brokkr::Topology::triangle_strip
                  : mode == Mode::triangle_fan ? brokkr::Topology::triangle_fan
                                               : brokkr::Topology::triangles;
  if (mode != Mode::triangles && draw.topology == brokkr::Topology::triangles) {
    throw std::runtime_error("the oracle assembles triangles, strips and fans only");
  }
  draw.indexed = true;
  draw.element_count = uint32_t(elements.size());
  for (const int element : elements) frame.indices.push_back(uint32_t(element));
  std::vector<Corners> result;
  for (const oracle::Corners& c : oracle::assemble(frame, draw)) result.push_back({int(c[0]), int(c[1]), int(c[2])});
  return result;
}

std::vector<std::pair<int, int>> oracle_cover(const Vec4 (&clip)[3], const Viewport& viewport) {
  const brokkr::State state = state_of(viewport);
  std::vector<oracle::Sample> samples;
  oracle::cover({of(clip[0]), of(clip[1]), of(clip[2])}, state, 0,
                oracle::drawable_pixels(state, viewport.x + viewport.width, viewport.y + viewport.height), 1.0 / 128,
                samples);
  std::vector<std::pair<int, int>> pixels;
  for (const oracle::Sample& sample : samples) pixels.emplace_back(sample.x, sample.y);
  return pixels;
}

bool oracle_passes(DepthFunction function, float value, float stored) {
  return oracle::passes(brokkr::CompareFunc(int(function)), value, stored);
}

Expected oracle_picture(const Recording& recording, Shading shading) {
  oracle::Surface surface{recording.width, recording.height, brokkr::ColorFormat::rgba8, {}};
  surface.pixels.resize(size_t(recording.width) * size_t(recording.height));
  const Color& c = recording.clear_color;
  brokkr::ClearCommand clear;
  clear.color = glm::vec4(c.r, c.g, c.b, 1.0f);
  clear.depth = recording.clear_depth;
  oracle::clear(surface, clear);
  uint32_t number = 0;
  for (const Draw& draw : recording.draws) {
    if (draw.mode == Mode::points) continue;
    const brokkr::State state = state_of(recording, draw);
    const oracle::PixelRect pixels = oracle::drawable_pixels(state, recording.width, recording.height);
    for (const Corners& corners : oracle_assemble(draw.mode, draw.elements)) {
      std::array<glm::vec4, 3> clip;
      for (size_t i = 0; i < 3; ++i) clip[i] = of(draw.vertices[size_t(corners[i])].position);
      std::vector<oracle::Sample> samples;
      const oracle::Fate fate = oracle::cover(clip, state, 0, pixels, 1.0 / 128, samples);
      if (fate == oracle::Fate::culled) continue;
      if (fate == oracle::Fate::clipped) throw std::runtime_error("a triangle of this recording needs clipping");
      const Attributes attributes(recording, draw, corners, shading);
      const bool level =
          clip[0].z * clip[1].w == clip[1].z * clip[0].w && clip[0].z * clip[2].w == clip[2].z * clip[0].w;
      ++number;
      for (oracle::Sample& sample : samples) {
        glm::vec4 color;
        sample.certain = attributes.shade(sample.x, sample.y, color);
        sample.depth_tolerance = level ? 0 : kDepthSlack;
        sample.geometry = number;
        oracle::shade(surface, state, sample, color, number);
      }
    }
  }
  Expected expected{Picture(recording.width, recording.height), {}};
  for (size_t i = 0; i < surface.pixels.size(); ++i) {
    expected.picture.pixels[i] = oracle::packed(surface.pixels[i]) | 0xff000000u;
    expected.uncertain.push_back((surface.pixels[i].uncertain & oracle::kUncertainColor) != 0);
  }
  return expected;
}

}  // namespace course
