// A captured frame whose draws read the results of earlier draws: colour, depth and mip levels of a target, and copied
// planes.
#pragma once

#include <random>

#include "pipeline/program_frame.h"

namespace brokkr::test {

class ProgramPasses {
 public:
  explicit ProgramPasses(uint32_t seed) : random_(seed), f_(90, 70) {
    f_.frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}, {TexelFormat::rgba16f, TexelBase::rgba}};
    Target other{1, 64, 48, 1, ColorFormat::rgba8};
    other.colors = {{TexelFormat::rgba8, TexelBase::rgba}};
    f_.frame.targets.push_back(other);
    f_.frame.views.push_back({1, 0});
    f_.add(ClearCommand{1, glm::vec4(0.2f, 0, 1, 1), 1.0f, {}, {}});
    add_programs();
    add_textures();
    for (int pass = 0; pass < 3; ++pass) {
      for (int i = 0; i < 4; ++i) soup(slope_, 1, 12, {});
      if (pass != 1) f_.add(GenerateMipsCommand{0});  // in the other passes, the mip levels are older than level 0
      for (int i = 0; i < 2; ++i) soup(show_, 0, 9, {{0, 0}, {1, 1}});
      f_.add(CopyCommand{0, 0, TargetPlane::color0, TargetPlane::color1, {5, 7, 50, 40}, 20, 11});
      f_.add(CopyCommand{0, 1, TargetPlane::depth, TargetPlane::depth, {0, 0, 40, 40}, 3, 2});
    }
    soup(show_, 0, 5, {{0, 0}, {1, 1}});
  }
  const Frame& frame() const { return f_.frame; }

 private:
  float number(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }

  void add_programs() {
    slope_ = f_.program(
        "in float height; out vec4 color0;\n"
        "void main() { color0 = vec4(gl_FragCoord.xy / 64.0, height, 1.0); }\n",
        {varying("height", ShaderType::f32, 0)});
    ProgramSampler picture{"picture"}, shadows{"shadows"};
    shadows.shadow = true;
    show_ = f_.program(
        "in float height; uniform sampler2D picture; uniform sampler2DShadow shadows; out vec4 color0; out vec4 "
        "color1;\n"
        "void main() {\n"
        "  vec2 uv = gl_FragCoord.xy / vec2(90.0, 70.0);\n"
        "  color0 = vec4(texture(picture, uv * 1.7 + height).rgb, texture(shadows, vec3(uv, 0.5)));\n"
        "  color1 = vec4(dFdx(color0.x), uv, height);\n"
        "}\n",
        {varying("height", ShaderType::f32, 0)}, {}, {picture, shadows}, 2);
  }
  void add_textures() {
    CapturedTexture color;
    color.width = 64;
    color.height = 48;
    color.images = {{0, 0, 1, TargetPlane::color0}};
    CapturedTexture depth = color;
    depth.format = TexelFormat::depth32f;
    depth.base = TexelBase::depth;
    depth.images = {{0, 0, 1, TargetPlane::depth}};
    color.levels = 7;
    f_.frame.captured_textures = {color, depth};
    CapturedSampler linear, compares;
    linear.mip = MipFilter::nearest;
    compares.mip = MipFilter::none;
    compares.compare = CompareFunc::lequal;
    f_.frame.captured_samplers = {linear, compares};
  }
  void soup(uint32_t program, uint32_t view, int triangles, const std::vector<BoundTexture>& textures) {
    const Target& target = f_.frame.targets[view];
    State state = f_.default_state();
    state.viewport = {0, 0, float(target.width), float(target.height)};
    if (view == 0) state.buffers = {{0, {}, {true, true, true, true}}, {1, {}, {true, true, true, true}}};
    const bool blends = view == 0 && number(0, 1) < 0.4f;
    const BlendTerm mix{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
    if (blends) state.blend = state.buffers[0].blend = BlendState{mix, mix, glm::vec4(0)};
    std::vector<ProgramVertex> corners;
    for (int i = 0; i < 3 * triangles; ++i) {
      const float edge = 0.2f * float(target.width);
      corners.push_back({double(number(-edge, float(target.width) + edge)),
                         double(number(-edge, float(target.height) + edge)),
                         double(number(-0.9f, 0.9f)),
                         1,
                         {number(0, 1)}});
    }
    f_.draw_with(program, state, corners, {}, textures, Topology::triangles, view);
  }

  std::mt19937 random_;
  ProgramFrame f_;
  uint32_t slope_ = 0, show_ = 0;
};

}  // namespace brokkr::test
