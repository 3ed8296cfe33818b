#include "capture/state_guard.h"

namespace brokkr::capture {

StateGuard::StateGuard(const Context& context, bool active) : active_(active && context.info.compatibility) {
  if (!active_) return;
  const GlApi& api = gl();
  mode_ = get_integer(GL_MATRIX_MODE);
  stacks_ = {{.mode = GL_MODELVIEW, .depth = GL_MODELVIEW_STACK_DEPTH, .matrix = GL_MODELVIEW_MATRIX},
             {.mode = GL_PROJECTION, .depth = GL_PROJECTION_STACK_DEPTH, .matrix = GL_PROJECTION_MATRIX},
             {.mode = GL_TEXTURE, .depth = GL_TEXTURE_STACK_DEPTH, .matrix = GL_TEXTURE_MATRIX}};
  for (Stack& stack : stacks_) {
    stack.level = get_integer(stack.depth);
    api.GetFloatv(stack.matrix, stack.top.data());
  }
  api.PushAttrib(GL_ALL_ATTRIB_BITS);
  attributes_ = get_integer(GL_ATTRIB_STACK_DEPTH);
}

StateGuard::~StateGuard() {
  if (!active_) return;
  const GlApi& api = gl();
  // A list may leave more on a stack than it found.
  for (GLint depth = get_integer(GL_ATTRIB_STACK_DEPTH); depth > attributes_; depth--) api.PopAttrib();
  api.PopAttrib();
  for (const Stack& stack : stacks_) {
    api.MatrixMode(stack.mode);
    for (GLint level = get_integer(stack.depth); level > stack.level; level--) api.PopMatrix();
    for (GLint level = get_integer(stack.depth); level < stack.level; level++) api.PushMatrix();
    api.LoadMatrixf(stack.top.data());
  }
  api.MatrixMode(static_cast<GLenum>(mode_));
}

IndirectBuffer::IndirectBuffer(const std::vector<uint32_t>& words) : bound_(get_name(GL_DRAW_INDIRECT_BUFFER_BINDING)) {
  const GlApi& api = gl();
  api.GenBuffers(1, &buffer_);
  api.BindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer_);
  api.BufferData(GL_DRAW_INDIRECT_BUFFER, static_cast<GLsizeiptr>(words.size() * sizeof(uint32_t)), words.data(),
                 GL_STREAM_DRAW);
}

IndirectBuffer::~IndirectBuffer() {
  const GlApi& api = gl();
  api.BindBuffer(GL_DRAW_INDIRECT_BUFFER, bound_);
  api.DeleteBuffers(1, &buffer_);
}

}  // namespace brokkr::capture
