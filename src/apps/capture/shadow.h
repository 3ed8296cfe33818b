// The layer's own program for one of the application's (see program.h): its stages before rasterization, linked with
// transform feedback, and the values of the application's uniforms in it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "capture/context.h"
#include "capture/glsl_scan.h"
#include "capture/program.h"

namespace brokkr::capture {

// The stages of a program; a set of stages has one bit for each.
enum Stage : size_t { kVertex, kControl, kEvaluation, kGeometry, kFragment, kStages };
inline constexpr std::array<GLenum, kStages> kStageTypes = {
    GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER, GL_FRAGMENT_SHADER};

// The texts of a program's shaders, by stage.
using Texts = std::array<std::vector<std::string>, kStages>;

// An element of a uniform in the application's program and in the layer's.
struct CopiedUniform {
  GLenum type = GL_NONE;
  GLint from = -1, to = -1;
};

// What the last successful link made. Recorded frames alone fill in what follows the texts, under capture_mutex().
struct ProgramInfo {
  Texts texts;
  bool separable = false;

  bool is_inspected = false;
  ShaderUse vertex, fragment;
  bool stores = false;  // whether a stage before rasterization stores to memory
  ShaderUse last;       // of the last stage before rasterization
  std::shared_ptr<const FragmentInterface> fragment_interface;

  bool has_shadow = false;
  GLuint shadow = 0;  // 0: the driver rejects it
  std::vector<RecordedVarying> recorded;
  bool records_all = false;  // the driver records all varyings that fragments may read
  std::vector<CopiedUniform> uniforms;

  std::shared_ptr<const VertexCopy> vertex_copy;  // null: not made

  // The number of the context in which the layer's programs have drawn; 0: none yet. Only it may delete them, and none
  // if there are several: when another one does, Mesa 22.3 later unbinds the vertex shader of whatever that context
  // draws, and crashes.
  uint64_t user = 0;
  bool has_users = false;  // several contexts
};

// The last stage before rasterization.
Stage last_stage(const Texts& texts);

// A value of glGetProgramiv.
GLint program_value(GLuint program, GLenum name);

bool is_linked(GLuint program);

// Compiles `text` and attaches it. The shader is deleted together with the program.
void attach_shader(GLuint program, GLenum type, const std::string& text);

// Makes the layer's own program for `original`, once, with transform feedback of positions and of what fragments read.
// `info` must be inspected. Leaves `info.shadow` 0 if the driver rejects every form of it.
void add_shadow(const Context& context, GLuint original, ProgramInfo& info);

// Copies one element from the program `original` to the current program.
void copy_uniform(GLuint original, const CopiedUniform& uniform);

// Gives the blocks of `shadow` the bindings that blocks of the same name have in `original`.
void copy_bindings(const Context& context, GLuint original, GLuint shadow);

}  // namespace brokkr::capture
