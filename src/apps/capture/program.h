// Programs: the shaders that they were linked from, and how the current one turns vertices into clip-space positions.
//
// The layer adds gl_Position and what the fragment shader reads as transform-feedback varyings before a program is
// linked. Drivers do not record built-in varyings (gl_TexCoord) as they should: where a fragment shader reads some, the
// program is linked with a further vertex shader, whose main calls the application's and copies them to varyings of
// ours. Programs with feedback of their own are left alone; program binaries are refused, so that the application
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

// glLinkProgram with the feedback varying; `link` calls the application's function.
void link_program(GLuint program, const std::function<void()>& link);

// Notes a new program; a deleted one of the same name is forgotten.
void program_created(GLuint program);

// Notes whether the application named varyings of its own for the next link.
void set_own_feedback(GLuint program, bool own);

// glCreateShaderProgramv, as its specification spells it out.
GLuint create_shader_program(GLenum type, GLsizei count, const GLchar* const* strings);

// What feedback records of a vertex besides gl_Position: components from `offset` on of those that follow it.
struct RecordedVarying {
  std::string name;  // as the fragment shader has it
  uint32_t offset = 0, components = 0;
};

// How the current state turns vertices into positions, and what the fragments of the draw run.
struct VertexStage {
  enum class Kind : uint8_t { fixed_function, program, impossible } kind = Kind::impossible;
  std::string reason;             // impossible: why
  bool expands = false;           // geometry or tessellation shader: primitives come from there
  GLenum primitive = GL_POINTS;   // expands: GL_POINTS, GL_LINES or GL_TRIANGLES
  bool draw_id = false;           // the shader reads gl_DrawID
  bool clip_distances = false;    // the last stage writes gl_ClipDistance
  uint32_t flags = 0;             // DrawFlag bits of the fragment stage
  std::string fixed_text;         // fixed_function: the program that feedback runs in its place
  bool vertex_materials = false;  // which reads materials of vertices (materials.h)
  std::vector<RecordedVarying> recorded;
  uint32_t components() const {  // of a vertex, with its position
    return recorded.empty() ? 4 : 4 + recorded.back().offset + recorded.back().components;
  }

  GLuint fragment_program = 0;                        // whose uniforms count
  std::shared_ptr<const FragmentInterface> fragment;  // null: fixed function, or nothing that files hold
  std::optional<FixedFragment> fixed;
  // Of `recorded`, what counts for the draw beside what its fragment shader names: kPointSize, kBackColor, …
  std::vector<std::string> more;
};

// `opaque`: of a draw whose vertices only GL knows.
VertexStage current_vertex_stage(const Context& context, bool opaque);

// A vertex program of this text (GLSL 1.20) that records gl_Position and `copies` copied varyings; 0 where the driver
// refuses.
GLuint make_vertex_program(const std::string& text, size_t copies);

}  // namespace brokkr::capture
