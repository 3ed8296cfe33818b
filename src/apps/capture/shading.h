// What a draw gives its fragment program, as the context has it now: uniforms, blocks, textures.
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

// `first_varying` is left open. `columns` are the components of a recorded vertex (without its position) that the
// program's varyings are, in their order; kUnwritten stands for one that the vertex shader never writes.
inline constexpr uint32_t kUnwritten = ~0u;
struct ShadingInputs {
  DrawInputs draw;
  std::vector<uint32_t> columns;
};

class Shading {
 public:
  // Programs and uniforms are added to `frame`.
  Shading(Frame& frame, Textures& textures) : frame_(frame), textures_(textures) {}

  // Of the draw that `stage` describes; nothing where the file cannot hold its program, which is noted in the frame.
  std::optional<ShadingInputs> read(const Context& context, const VertexStage& stage);

 private:
  struct Known {
    std::shared_ptr<const FragmentInterface> kept;  // so that its address stays its own
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
  // With the names of what its draws' vertices give beside what it reads.
  std::map<std::pair<const FragmentInterface*, std::vector<std::string>>, Known> known_;
  std::map<std::vector<uint32_t>, uint64_t> uniforms_;  // by content: where they are
};

}  // namespace brokkr::capture
