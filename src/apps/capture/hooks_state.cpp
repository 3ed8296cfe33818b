// State that a display list may set and that draws are described by. While a list is compiled such commands are noted,
// so that the list is divided there (hooks_immediate.cpp). Other state, such as matrices, colours and materials, is
// followed by running the list; the layer restores matrix stacks afterwards, so they must not change in a part that
// draws.
#include "capture/hooks.h"

using namespace brokkr::capture;

#define BROKKR_STATE(name, parameters, arguments)       \
  BROKKR_EXPORT void gl##name parameters {              \
    if (is_busy(kCompiling)) note_compiled(kListState); \
    GL(name) arguments;                                 \
  }

BROKKR_STATE(ShadeModel, (GLenum mode), (mode))
BROKKR_STATE(Enable, (GLenum capability), (capability))
BROKKR_STATE(Disable, (GLenum capability), (capability))
BROKKR_STATE(PushAttrib, (GLbitfield mask), (mask))
BROKKR_STATE(PopAttrib, (), ())
BROKKR_STATE(PushMatrix, (), ())
BROKKR_STATE(PopMatrix, (), ())
BROKKR_STATE(BindTexture, (GLenum target, GLuint texture), (target, texture))
BROKKR_STATE(ActiveTexture, (GLenum unit), (unit))
BROKKR_STATE(UseProgram, (GLuint program), (program))
BROKKR_STATE(TexEnvf, (GLenum target, GLenum name, GLfloat value), (target, name, value))
BROKKR_STATE(TexEnvi, (GLenum target, GLenum name, GLint value), (target, name, value))
BROKKR_STATE(TexEnvfv, (GLenum target, GLenum name, const GLfloat* values), (target, name, values))
BROKKR_STATE(TexEnviv, (GLenum target, GLenum name, const GLint* values), (target, name, values))
BROKKR_STATE(TexGenf, (GLenum axis, GLenum name, GLfloat value), (axis, name, value))
BROKKR_STATE(TexGeni, (GLenum axis, GLenum name, GLint value), (axis, name, value))
BROKKR_STATE(ColorMaterial, (GLenum face, GLenum mode), (face, mode))
BROKKR_STATE(LightModelf, (GLenum name, GLfloat value), (name, value))
BROKKR_STATE(LightModeli, (GLenum name, GLint value), (name, value))
BROKKR_STATE(Fogf, (GLenum name, GLfloat value), (name, value))
BROKKR_STATE(Fogi, (GLenum name, GLint value), (name, value))
BROKKR_STATE(Fogfv, (GLenum name, const GLfloat* values), (name, values))
BROKKR_STATE(BlendFunc, (GLenum source, GLenum destination), (source, destination))
BROKKR_STATE(AlphaFunc, (GLenum function, GLclampf reference), (function, reference))
BROKKR_STATE(DepthFunc, (GLenum function), (function))
BROKKR_STATE(DepthMask, (GLboolean on), (on))
BROKKR_STATE(ColorMask, (GLboolean red, GLboolean green, GLboolean blue, GLboolean alpha), (red, green, blue, alpha))
BROKKR_STATE(StencilFunc, (GLenum function, GLint reference, GLuint mask), (function, reference, mask))
BROKKR_STATE(StencilOp, (GLenum fail, GLenum depth_fail, GLenum pass), (fail, depth_fail, pass))
BROKKR_STATE(StencilMask, (GLuint mask), (mask))
BROKKR_STATE(CullFace, (GLenum mode), (mode))
BROKKR_STATE(FrontFace, (GLenum mode), (mode))
BROKKR_STATE(PolygonMode, (GLenum face, GLenum mode), (face, mode))
BROKKR_STATE(PolygonOffset, (GLfloat factor, GLfloat units), (factor, units))
BROKKR_STATE(LineWidth, (GLfloat width), (width))
BROKKR_STATE(PointSize, (GLfloat size), (size))
BROKKR_STATE(Scissor, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
BROKKR_STATE(Viewport, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
BROKKR_ALIAS(glActiveTextureARB, glActiveTexture);
BROKKR_ALIAS(glBindTextureEXT, glBindTexture);
