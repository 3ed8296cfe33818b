// The vertex stage on the host: runs vertex programs on the CPU's lanes before a frame is prepared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "shader/captured.h"
#include "shader/program_tables.h"
#include "shader/textures.h"

namespace brokkr {

class Loading;

struct VertexFailure {
  uint32_t program = 0;  // index into Frame::vertex_programs
  std::string reason;
  uint64_t draws = 0;  // number of draws that the failure affects
};

// Does the work of shade_vertices (brokkr/vertex_stage.h), for a frame that has passed `validate`.
std::vector<VertexFailure> run_vertex_programs(Frame& frame, Loading& loading);

// The parts of a draw's inputs that the host and the geometry stage (plan/vertex_draws.h) derive in the same way.

// One line that says why draws with these inputs cannot run their program; empty if they can.
std::string vertex_failure(const Frame& frame, const VertexInputs& inputs,
                           const shader::CapturedVertexProgram& program);
// One word per uniform word of the program.
std::vector<uint32_t> vertex_uniforms(const Frame& frame, const VertexInputs& inputs,
                                      const shader::CapturedVertexProgram& program);
std::vector<shader::SamplerSlot> vertex_samplers(const VertexInputs& inputs,
                                                 const shader::CapturedVertexProgram& program,
                                                 const shader::SampledTextures& textures);
// The outputs that the draw's fragment program reads. The draw must have DrawCommand::inputs.
std::vector<VertexResult> vertex_results(const Frame& frame, const DrawCommand& draw,
                                         const shader::CapturedVertexProgram& program);

}  // namespace brokkr
