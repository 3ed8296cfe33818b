// Hand-made captured frames: programs as text, and the inputs of their draws.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr::test {

// A vertex in window pixels of its target, and its varyings.
struct ProgramVertex {
  double x = 0, y = 0, z = 0, w = 1;  // z: -1 .. 1
  std::vector<float> varyings;
};

class ProgramFrame : public oracle::FrameBuilder {
 public:
  using FrameBuilder::FrameBuilder;

  // Adds a program and returns its number. Outputs are `color0`, `color1` … as many as `outputs`.
  uint32_t program(const std::string& text, std::vector<ProgramVarying> varyings,
                   std::vector<ProgramUniform> uniforms = {}, std::vector<ProgramSampler> samplers = {},
                   uint32_t outputs = 1) {
    FragmentProgram p;
    p.texts = {"#version 330\n" + text};
    p.version = 330;
    p.varyings = std::move(varyings);
    p.uniforms = std::move(uniforms);
    p.samplers = std::move(samplers);
    for (uint32_t i = 0; i < outputs; ++i) {
      ProgramOutput output;
      output.name = "color" + std::to_string(i);
      output.location = i;
      p.outputs.push_back(output);
    }
    frame.programs.push_back(std::move(p));
    return uint32_t(frame.programs.size() - 1);
  }

  // A draw of triangles into view `view` with a program.
  DrawCommand& draw_with(uint32_t program, const State& state, const std::vector<ProgramVertex>& vertices,
                         const std::vector<uint32_t>& uniforms = {}, const std::vector<BoundTexture>& textures = {},
                         Topology topology = Topology::triangles, uint32_t view = 0) {
    std::vector<glm::vec4> positions;
    DrawInputs inputs;
    inputs.program = program;
    inputs.first_varying = frame.varyings.size();
    inputs.first_uniform = frame.uniforms.size();
    inputs.textures = textures;
    for (const ProgramVertex& v : vertices) {
      positions.push_back(oracle::clip_at(state.viewport, v.x, v.y, v.z, v.w));
      frame.varyings.insert(frame.varyings.end(), v.varyings.begin(), v.varyings.end());
    }
    frame.uniforms.insert(frame.uniforms.end(), uniforms.begin(), uniforms.end());
    DrawCommand& command = draw(state, positions, topology);
    command.first_view = view;
    command.inputs = int32_t(frame.inputs.size());
    frame.inputs.push_back(std::move(inputs));
    return command;
  }
};

inline ProgramVarying varying(const std::string& name, ShaderType type, uint32_t offset,
                              Interpolation interpolation = Interpolation::smooth) {
  ProgramVarying v;
  v.name = name;
  v.type = type;
  v.offset = offset;
  v.interpolation = interpolation;
  return v;
}

// Rectangle of two triangles at one depth, all vertices with the same varyings.
inline std::vector<ProgramVertex> rectangle(double x0, double y0, double x1, double y1, double z = 0,
                                            const std::vector<float>& varyings = {}) {
  const ProgramVertex a{x0, y0, z, 1, varyings}, b{x1, y0, z, 1, varyings}, c{x1, y1, z, 1, varyings},
      d{x0, y1, z, 1, varyings};
  return {a, b, c, a, c, d};
}

inline Layer draw_with_programs(const Frame& frame, uint32_t target = 0, OrderMode order = OrderMode::automatic) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.order = order;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderResult result = test::render_to_end(renderer, prepared, options);
  EXPECT_EQ(result.statistics.false_color_draws, 0u)
      << (result.statistics.false_colors.empty() ? "" : result.statistics.false_colors[0]);
  return std::move(result.targets[target].layers[0]);
}

// Channel c of a pixel, 0 .. 255.
inline int channel(const Layer& layer, int x, int y, int c) {
  return int(layer.color[size_t(y) * size_t(layer.width) + size_t(x)] >> (8 * c) & 255u);
}
inline glm::ivec4 pixel(const Layer& layer, int x, int y) {
  return {channel(layer, x, y, 0), channel(layer, x, y, 1), channel(layer, x, y, 2), channel(layer, x, y, 3)};
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(BROKKR_HAVE_SHADERS)
    GTEST_SKIP() << "built without run-time shaders";
#endif
  }
};

}  // namespace brokkr::test
