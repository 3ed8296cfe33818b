// Programs: the shaders that they were linked from, and how the current one turns vertices into clip-space positions.
//
// The layer adds gl_Position as a transform-feedback varying before a program is linked. Programs with feedback of
// their own are left alone; program binaries are refused, so that the application compiles from source.
#pragma once

#include <functional>
#include <string>

#include "capture/context.h"

namespace brokkr::capture {

// glLinkProgram with the feedback varying; `link` calls the application's function.
void link_program(GLuint program, const std::function<void()>& link);

// Notes a new program; a deleted one of the same name is forgotten.
void program_created(GLuint program);

// Notes whether the application named varyings of its own for the next link.
void set_own_feedback(GLuint program, bool own);

// glCreateShaderProgramv, as its specification spells it out.
GLuint create_shader_program(GLenum type, GLsizei count, const GLchar* const* strings);

// How the current state turns vertices into positions.
struct VertexStage {
  enum class Kind : uint8_t { fixed_function, program, impossible } kind = Kind::impossible;
  std::string reason;            // impossible: why
  bool expands = false;          // geometry or tessellation shader: primitives come from there
  GLenum primitive = GL_POINTS;  // expands: GL_POINTS, GL_LINES or GL_TRIANGLES
  bool draw_id = false;          // the shader reads gl_DrawID
  uint32_t flags = 0;            // DrawFlag bits of the fragment stage
};

VertexStage current_vertex_stage(const Context& context);

// A program that writes ftransform() / gl_Vertex; GLSL 1.20, 0 where the driver refuses.
GLuint make_position_program(const char* expression);

}  // namespace brokkr::capture
