// A captured fragment program with its vertex program, or with our own vertex shader, which passes on the varyings that
// the frame holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// Fixed-function fragments of OpenGL 1.5, and built-in state that shaders read, set through a compatibility context.

// Sets texture environments, fog and the second colour for a program without texts.
void apply_fixed_function(const FragmentProgram& program);

// Sets gl_Fog.color and similar: a uniform of the default block whose name begins with gl_, and its words.
void set_built_in(const ProgramUniform& uniform, const uint32_t* words);

// Attribute 0 is the position; each of the following ones holds four components of the varyings.
inline constexpr uint32_t kMaxVaryingComponents = 60;

class GlCapturedProgram {
 public:
  // `source` must outlive the object. Requires a compatibility context.
  explicit GlCapturedProgram(const FragmentProgram& source);
  // `vertex` must outlive the object, too.
  GlCapturedProgram(const FragmentProgram& source, const VertexProgram& vertex);

  // The driver's error if the program cannot be used; empty if it can.
  const std::string& failure() const { return failure_; }
  const FragmentProgram& source() const { return *source_; }

  void use() const;
  // Sets the default block; `words` are the draw's.
  void set_uniforms(const uint32_t* words) const;
  void set_vertex_uniforms(const uint32_t* words) const;
  // The unit that reads the sampler's texture of this number; arrays count element by element.
  GLuint unit_of(size_t texture) const { return units_[texture]; }
  GLuint unit_of_vertex(size_t texture) const { return vertex_units_[texture]; }
  // The binding of a uniform block of the vertex program. Both programs may have the same block.
  GLuint binding_of_vertex(size_t block) const { return GLuint(source_->blocks.size() + block); }
  // The location of an attribute of the vertex program; -1: the driver does not use it.
  GLint location_of(size_t attribute) const { return attributes_[attribute]; }

 private:
  bool link(const std::vector<std::string>& vertex_texts);
  void find_places();
  void find_vertex_places();

  const FragmentProgram* source_;
  const VertexProgram* vertex_ = nullptr;  // null: our own
  GlProgram program_;
  std::string failure_;
  std::vector<GLint> locations_, vertex_locations_, attributes_;  // by uniform, and by attribute
  std::vector<GLuint> units_, vertex_units_;
};

// The vertex shader's text, in GLSL 3.30 with the built-in variables of older versions.
std::string pass_through_text(const FragmentProgram& program);

}  // namespace brokkr
