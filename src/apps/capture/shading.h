// Reads the inputs of a draw's fragment program from the context: uniforms, blocks, textures.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/numbers.h"
#include "capture/program.h"
#include "capture/textures.h"
#include "capture/vertex.h"

namespace brokkr::capture {

// The source of a component of a varying: its index in a recorded vertex (without the position), or `value` if the
// vertex shader never writes it.
inline constexpr uint32_t kUnwritten = ~0u;
struct VaryingColumn {
  uint32_t index = kUnwritten;
  float value = 0;
};

// `first_varying` is not set. `columns`: for each component of the program's varyings in order.
struct ShadingInputs {
  DrawInputs draw;
  std::vector<VaryingColumn> columns;
};

class Shading {
 public:
  // Adds programs, uniforms and attributes to `frame`.
  Shading(Frame& frame, Textures& textures) : frame_(frame), textures_(textures), streams_(frame) {}

  // Reads the inputs of the draw that `stage` describes. Empty if the file cannot hold its program; the frame then gets
  // a note.
  std::optional<ShadingInputs> read(const Context& context, const VertexStage& stage);

  // The inputs of a program that the layer made: without varyings and textures. `words`: its uniforms.
  ShadingInputs made(const FragmentProgram& program, const std::vector<uint32_t>& words) {
    ShadingInputs out;
    out.draw.program = programs_.number_of(program, frame_.programs);
    out.draw.first_uniform = add_uniforms(words);
    return out;
  }

  // Reads the inputs of the vertex program, except its attributes. `stage.vertex` must exist. If the file cannot hold
  // them, the result is empty and `stage.expanded` says why.
  std::optional<VertexInputs> read_vertex(const Context& context, VertexStage& stage);

  // Finds the streams in what the copier recorded. Empty although there are attributes: no stream gives the values.
  std::vector<VertexStream> read_attributes(const VertexStage& stage, const std::vector<float>& values,
                                            uint32_t vertices, uint32_t instances) {
    return streams_.add(*stage.vertex, values, vertices, instances);
  }

 private:
  struct Known {
    std::shared_ptr<const FragmentInterface> kept;  // kept alive so that its address stays unique
    uint32_t number = 0;
  };

  bool note(const std::string& problem);
  bool find_columns(const VertexStage& stage, const FragmentProgram& program, ShadingInputs& out);
  uint64_t add_uniforms(const std::vector<uint32_t>& words);
  // `program`: a FragmentProgram or VertexProgram.
  // `pattern`: what kStippleUniform gets.
  uint64_t read_uniforms(const Context& context, const auto& program, GLuint name,
                         const std::optional<StipplePattern>& pattern = {});
  void read_samplers(const Context& context, const std::vector<ProgramSampler>& samplers, GLuint name,
                     std::vector<BoundTexture>& out);
  uint64_t read_block(const Context& context, const ProgramBlock& block, GLuint name);

  Frame& frame_;
  Textures& textures_;
  AttributeStreams streams_;
  Numbers<FragmentProgram> programs_;
  Numbers<VertexProgram> vertex_programs_;
  // Key: the interface, the direction in which gl_PointCoord moves, whether triangles are stippled, and the names of
  // vertex outputs that are not inputs of the fragment shader.
  std::map<std::tuple<const FragmentInterface*, int, bool, std::vector<std::string>>, Known> known_;
  std::map<std::vector<uint32_t>, uint64_t> uniforms_;  // positions of words, by content
};

}  // namespace brokkr::capture
