// Programs: the shaders they were linked from, and how the current program computes clip-space positions.
//
// Before a program is linked, the layer adds gl_Position and the fragment shader's inputs as transform-feedback
// varyings. Drivers do not record built-in varyings (gl_TexCoord) correctly: if a fragment shader reads some, the
// program is linked with an additional vertex shader, whose main calls the application's and copies them to varyings of
// the layer. Programs with their own feedback are unchanged; program binaries are refused, so that the application
// compiles from source.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/context.h"
#include "capture/fixed_function.h"
#include "capture/fragment.h"

namespace brokkr::capture {

// glLinkProgram with the layer's feedback varyings; `link` calls the real function.
void link_program(GLuint program, const std::function<void()>& link);

// Records a new program; a deleted one of the same name is forgotten.
void program_created(GLuint program);

// Records whether the application named its own varyings for the next link.
void set_own_feedback(GLuint program, bool own);

// glCreateShaderProgramv, implemented as in its specification.
GLuint create_shader_program(GLenum type, GLsizei count, const GLchar* const* strings);

// A varying that feedback records after gl_Position, at `offset` in components.
struct RecordedVarying {
  std::string name;  // name in the fragment shader
  uint32_t offset = 0, components = 0;
};

// How the current state computes positions, and what runs for the draw's fragments.
struct VertexStage {
  enum class Kind : uint8_t { fixed_function, program, impossible } kind = Kind::impossible;
  std::string reason;             // the reason, if impossible
  bool expands = false;           // a geometry or tessellation shader generates the primitives
  GLenum primitive = GL_POINTS;   // if `expands`: GL_POINTS, GL_LINES or GL_TRIANGLES
  bool draw_id = false;           // the shader reads gl_DrawID
  bool clip_distances = false;    // the last stage writes gl_ClipDistance
  uint32_t flags = 0;             // DrawFlag bits from the fragment stage
  std::string fixed_text;         // fixed_function: text of the program that feedback runs instead
  bool vertex_materials = false;  // whether that program reads materials of vertices (materials.h)
  std::vector<RecordedVarying> recorded;
  uint32_t components() const {  // per vertex, including its position
    return recorded.empty() ? 4 : 4 + recorded.back().offset + recorded.back().components;
  }

  GLuint fragment_program = 0;                        // the program whose uniforms count
  std::shared_ptr<const FragmentInterface> fragment;  // null: fixed function, or a program that files cannot hold
  std::optional<FixedFragment> fixed;
  // Entries of `recorded` that the draw needs beyond the fragment shader's inputs: kPointSize, kBackColor, …
  std::vector<std::string> more;
};

// `opaque`: for a draw whose vertices only GL knows.
VertexStage current_vertex_stage(const Context& context, bool opaque);

// A vertex program from this text (GLSL 1.20) that records gl_Position and `copies` copied varyings; 0 if the driver
// rejects it.
GLuint make_vertex_program(const std::string& text, size_t copies);

}  // namespace brokkr::capture
