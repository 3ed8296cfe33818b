// Frames whose programs and states depend on the samples of a pixel. A draw of two triangles that intersect goes to a
// target of several samples; a second draw shows all its samples side by side in target 0, through a sampler2DMS.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "oracle/frame_builder.h"

namespace brokkr::test {

inline constexpr int kSampledWidth = 12, kSampledHeight = 10;

struct SampleCase {
  const char* name;
  // The body of main. Inputs a (centre), c (centroid), s (sample) and n (noperspective) are the position in pixels.
  const char* body;
  std::function<void(State&)> change = [](State&) {};
};

inline std::vector<SampleCase> sample_cases() {
  const auto coverage = [](State& state) { state.alpha_to_coverage = true; };
  return {
      {"numbers", "color0 = vec4(float(gl_SampleID) / 8.0, gl_SamplePosition, 1.0);"},
      {"masks", "color0 = vec4(float(gl_SampleMaskIn[0]) / 255.0, float(gl_NumSamples) / 8.0, 0.0, 1.0);"},
      {"mask_of_sample", "color0 = vec4(float(gl_SampleMaskIn[0]) / 255.0, float(gl_SampleID) / 8.0, 0.0, 1.0);"},
      {"sample", "color0 = vec4(0.5 + s - a, 0.0, 1.0);"},
      {"centroid", "color0 = vec4(0.5 + c - a, 0.0, 1.0);"},
      {"centroid_of_sample", "color0 = vec4(0.5 + c - a, float(gl_SampleID) / 8.0, 1.0);"},
      {"position", "color0 = vec4(gl_FragCoord.xy / 16.0, float(gl_SampleID) / 8.0, 1.0);"},
      {"depth", "color0 = vec4(gl_FragCoord.z, gl_FragCoord.w * 0.5, 0.0, 1.0);"},
      {"shading", "color0 = vec4(a / 16.0, n.x / 16.0, 1.0);", [](State& state) { state.sample_shading = true; }},
      {"shading_centroid", "color0 = vec4(c / 16.0, n.x / 16.0, 1.0);",
       [](State& state) { state.sample_shading = true; }},
      {"mask_out", "gl_SampleMask[0] = int(a.x) + int(a.y); color0 = vec4(a / 16.0, 0.0, 1.0);"},
      {"mask_out_of_sample", "gl_SampleMask[0] = gl_SampleID == 1 ? 5 : 6; color0 = vec4(a / 16.0, 0.0, 1.0);"},
      {"mask_out_discard",
       "if (int(a.x) == 5) discard; gl_SampleMask[0] = int(a.y); color0 = vec4(a / 16.0, 0.0, 1.0);"},
      {"mask_out_depth", "gl_FragDepth = a.x / 16.0; gl_SampleMask[0] = int(a.y); color0 = vec4(a / 16.0, 0.0, 1.0);"},
      {"coverage", "color0 = vec4(a / 16.0, 0.0, (a.x + 0.1) / 12.0);", coverage},
      {"coverage_one", "color0 = vec4(a / 16.0, 0.0, (a.y + 0.1) / 10.0);",
       [](State& state) { state.alpha_to_coverage = state.alpha_to_one = true; }},
      {"coverage_blend", "color0 = vec4(a / 16.0, 0.0, (a.y + 0.1) / 10.0);",
       [](State& state) {
         state.alpha_to_coverage = true;
         state.blend = BlendState{{BlendFactor::src_alpha, BlendFactor::one, BlendEquation::add},
                                  {BlendFactor::one, BlendFactor::one, BlendEquation::add}};
       }},
      {"coverage_mask", "gl_SampleMask[0] = 5; color0 = vec4(a / 16.0, 0.0, (a.y + 0.1) / 10.0);", coverage},
      {"one", "color0 = vec4(a / 16.0, 0.0, 0.25);", [](State& state) { state.alpha_to_one = true; }},
      {"state_mask", "color0 = vec4(0.5 + c - a, float(gl_SampleMaskIn[0]) / 255.0, 1.0);",
       [](State& state) { state.sample_mask = 0xf6; }},
      {"state_mask_free", "color0 = vec4(a / 16.0, 0.0, 1.0);", [](State& state) { state.sample_mask = 0xfd; }},
      {"whole", "color0 = vec4(0.5 + c - a, float(gl_SampleMaskIn[0]) / 255.0, 1.0);",
       [](State& state) { state.one_sample = true; }},
      {"whole_of_sample",
       "gl_SampleMask[0] = 2; color0 = vec4(0.5 + s - a, float(gl_SampleID) / 8.0 + gl_SamplePosition.x, 1.0);",
       [](State& state) { state.one_sample = true; }},
      {"at_centroid", "color0 = vec4(0.5 + interpolateAtCentroid(n) - n, 0.0, 1.0);"},
      {"at_sample", "color0 = vec4(0.5 + interpolateAtSample(n, 1) - n, 0.0, 1.0);"},
  };
}

// perspective: w differs between the corners.
inline Frame sample_frame(const SampleCase& sample_case, int samples, bool perspective = false, bool depth = true) {
  oracle::FrameBuilder builder(kSampledWidth * samples, kSampledHeight);
  Frame& frame = builder.frame;
  frame.targets[0].colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  Target sampled{1, kSampledWidth, kSampledHeight};
  sampled.colors = {{TexelFormat::rgba8, TexelBase::rgba}};
  sampled.depth = TexelFormat::depth32f;
  sampled.samples = samples;
  frame.targets.push_back(sampled);
  frame.views.push_back({.target = 1});
  frame.commands.emplace_back(ClearCommand{1, glm::vec4(0.0f), 1.0f, uint8_t(0), {}, {}});
  const auto add_program = [&](const std::string& text) -> FragmentProgram& {
    FragmentProgram& program = frame.programs.emplace_back();
    program.texts = {"#version 450\nout vec4 color0;\n" + text};
    program.version = 450;
    program.outputs = {{.name = "color0"}};
    return program;
  };
  FragmentProgram& drawn =
      add_program("in vec2 a; centroid in vec2 c; sample in vec2 s; noperspective in vec2 n;\nvoid main() { " +
                  std::string(sample_case.body) + " }\n");
  drawn.varyings = {
      {.name = "a", .type = ShaderType::vec2, .offset = 0},
      {.name = "c", .type = ShaderType::vec2, .offset = 2, .centroid = true},
      {.name = "s", .type = ShaderType::vec2, .offset = 4, .sample = true},
      {.name = "n", .type = ShaderType::vec2, .offset = 6, .interpolation = Interpolation::noperspective}};
  State state = builder.default_state();
  state.viewport = {0, 0, kSampledWidth, kSampledHeight};
  state.depth.test = state.depth.write = depth;
  state.depth.func = CompareFunc::less;
  sample_case.change(state);
  const double corners[][4] = {{0.7, 0.4, -0.5, 1.0},  {11.3, 2.1, 0.6, 2.0}, {3.2, 9.7, 0.1, 1.5},
                               {11.6, 9.5, -0.4, 1.3}, {1.1, 7.3, 0.3, 0.8},  {9.9, 0.6, 0.2, 1.0}};
  std::vector<glm::vec4> positions;
  DrawInputs inputs;
  for (const auto& [x, y, z, w] : corners) {
    positions.push_back(oracle::clip_at(state.viewport, x, y, z, perspective ? 0.8 + 0.2 * w : 1.0));
    for (int i = 0; i < 4; ++i) frame.varyings.insert(frame.varyings.end(), {float(x), float(y)});
  }
  DrawCommand& draw = builder.draw(state, positions);
  draw.first_view = 1;
  draw.inputs = 0;
  frame.inputs.push_back(inputs);

  const std::string width = std::to_string(kSampledWidth), height = std::to_string(kSampledHeight);
  FragmentProgram& shown = add_program(
      "uniform sampler2DMS map;\nvoid main() {\n  ivec2 p = ivec2(gl_FragCoord.xy);\n  color0 = textureSize(map) == "
      "ivec2(" +
      width + ", " + height + ") ? texelFetch(map, ivec2(p.x % " + width + ", p.y), p.x / " + width +
      ") : vec4(0.5);\n}\n");
  shown.samplers = {{.name = "map", .kind = TextureKind::multisampled}};
  CapturedTexture texture{.kind = TextureKind::multisampled};
  texture.width = kSampledWidth;
  texture.height = kSampledHeight;
  texture.depth = samples;
  for (uint32_t i = 0; i < uint32_t(samples); ++i) texture.images.push_back({0, i, 1, TargetPlane::color0});
  frame.captured_textures.push_back(texture);
  frame.captured_samplers.push_back({.magnify_linear = false, .minify_linear = false, .mip = MipFilter::none});
  State plain = builder.default_state();
  plain.depth.test = false;
  const double x = kSampledWidth * samples, y = kSampledHeight;
  DrawCommand& all = builder.draw_window(plain, {{0, 0}, {x, 0}, {x, y}, {0, 0}, {x, y}, {0, y}});
  all.inputs = 1;
  DrawInputs reading;
  reading.program = 1;
  reading.first_varying = frame.varyings.size();
  reading.textures = {{0, 0}};
  frame.inputs.push_back(reading);
  return frame;
}

}  // namespace brokkr::test
