// Captured frames by hand: programs as texts, and what draws give them.
#pragma once

#include <string>
#include <vector>

#include "oracle/frame_builder.h"

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

}  // namespace brokkr::test
