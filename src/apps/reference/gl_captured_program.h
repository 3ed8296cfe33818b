// A captured fragment program behind a vertex shader of ours that hands on what the frame holds of its vertices.
#pragma once

#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// Attributes: 0 is the position, the following ones hold four components of the varyings each.
inline constexpr uint32_t kMostVaryingComponents = 60;

class GlCapturedProgram {
 public:
  // `source` must outlive this. In a compatibility context.
  explicit GlCapturedProgram(const FragmentProgram& source);

  // Why it cannot be drawn with, as the driver says it; empty: it can.
  const std::string& failure() const { return failure_; }
  const FragmentProgram& source() const { return *source_; }

  void use() const;
  // Of the default block: `words` are those of the draw.
  void set_uniforms(const uint32_t* words) const;
  // The unit that reads the sampler's texture of this number, arrays element by element.
  GLuint unit_of(size_t texture) const { return units_[texture]; }

 private:
  bool link(const std::string& vertex_text);
  void find_places();

  const FragmentProgram* source_;
  GlProgram program_;
  std::string failure_;
  std::vector<GLint> locations_;  // of the uniforms
  std::vector<GLuint> units_;
};

// The vertex shader's text, GLSL 3.30 with the built-in variables of older versions.
std::string pass_through_text(const FragmentProgram& program);

}  // namespace brokkr
