// Reads the inputs of a draw's fragment program from the context: uniforms, blocks, textures.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/numbers.h"
#include "capture/program.h"
#include "capture/textures.h"

namespace brokkr::capture {

// `first_varying` is not set. `columns`: for each component of the program's varyings in order, its index in a recorded
// vertex (without the position); kUnwritten for a component that the vertex shader never writes.
inline constexpr uint32_t kUnwritten = ~0u;
struct ShadingInputs {
  DrawInputs draw;
  std::vector<uint32_t> columns;
};

class Shading {
 public:
  // Adds programs and uniforms to `frame`.
  Shading(Frame& frame, Textures& textures) : frame_(frame), textures_(textures) {}

  // Reads the inputs of the draw that `stage` describes. Empty if the file cannot hold its program; the frame then gets
  // a note.
  std::optional<ShadingInputs> read(const Context& context, const VertexStage& stage);

 private:
  struct Known {
    std::shared_ptr<const FragmentInterface> kept;  // kept alive so that its address stays unique
    uint32_t number = 0;
  };

  bool note(const std::string& problem);
  bool find_columns(const VertexStage& stage, const FragmentProgram& program, ShadingInputs& out);
  uint64_t add_uniforms(const std::vector<uint32_t>& words);
  uint64_t read_uniforms(const Context& context, const FragmentProgram& program, GLuint name);
  uint64_t read_block(const Context& context, const ProgramBlock& block, GLuint name);

  Frame& frame_;
  Textures& textures_;
  Numbers<FragmentProgram> programs_;
  // Key: the interface, and the names of vertex outputs that are not inputs of the fragment shader.
  std::map<std::pair<const FragmentInterface*, std::vector<std::string>>, Known> known_;
  std::map<std::vector<uint32_t>, uint64_t> uniforms_;  // positions of words, by content
};

}  // namespace brokkr::capture
