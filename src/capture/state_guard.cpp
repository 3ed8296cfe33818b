#include "capture/state_guard.h"

namespace brokkr::capture {

StateGuard::StateGuard(const Context& context, bool active) : active_(active && context.info.compatibility) {
  if (!active_) return;
  mode_ = get_integer(GL_MATRIX_MODE);
  stacks_ = {{.mode = GL_MODELVIEW, .depth = GL_MODELVIEW_STACK_DEPTH, .matrix = GL_MODELVIEW_MATRIX},
             {.mode = GL_PROJECTION, .depth = GL_PROJECTION_STACK_DEPTH, .matrix = GL_PROJECTION_MATRIX},
             {.mode = GL_TEXTURE, .depth = GL_TEXTURE_STACK_DEPTH, .matrix = GL_TEXTURE_MATRIX}};
  for (Stack& stack : stacks_) {
    stack.level = get_integer(stack.depth);
    GL(GetFloatv)(stack.matrix, stack.top.data());
  }
  GL(PushAttrib)(GL_ALL_ATTRIB_BITS);
  attributes_ = get_integer(GL_ATTRIB_STACK_DEPTH);
}

StateGuard::~StateGuard() {
  if (!active_) return;
  // A list may leave a stack deeper than it found it.
  for (GLint depth = get_integer(GL_ATTRIB_STACK_DEPTH); depth > attributes_; depth--) GL(PopAttrib)();
  GL(PopAttrib)();
  for (const Stack& stack : stacks_) {
    GL(MatrixMode)(stack.mode);
    for (GLint level = get_integer(stack.depth); level > stack.level; level--) GL(PopMatrix)();
    for (GLint level = get_integer(stack.depth); level < stack.level; level++) GL(PushMatrix)();
    GL(LoadMatrixf)(stack.top.data());
  }
  GL(MatrixMode)(static_cast<GLenum>(mode_));
}

IndirectBuffer::IndirectBuffer(const std::vector<uint32_t>& words) : bound_(get_name(GL_DRAW_INDIRECT_BUFFER_BINDING)) {
  GL(GenBuffers)(1, &buffer_);
  GL(BindBuffer)(GL_DRAW_INDIRECT_BUFFER, buffer_);
  GL(BufferData)
  (GL_DRAW_INDIRECT_BUFFER, static_cast<GLsizeiptr>(words.size() * sizeof(uint32_t)), words.data(), GL_STREAM_DRAW);
}

IndirectBuffer::~IndirectBuffer() {
  GL(BindBuffer)(GL_DRAW_INDIRECT_BUFFER, bound_);
  GL(DeleteBuffers)(1, &buffer_);
}

}  // namespace brokkr::capture
