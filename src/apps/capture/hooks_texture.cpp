// Hooks for commands that change textures: uploads, copies from framebuffers, generated mip levels.
#include "capture/session.h"
#include "capture/textures.h"

namespace brokkr::capture {
namespace {

// Notes that the content of the texture bound to `target` changes. `reallocates`: all of it, with a new size.
void note_upload(const char* name, GLenum target, bool reallocates) {
  if (is_idle()) return;
  record(name, [&](Recorder& current, Context& context) {
    const GLuint texture = bound_texture(target);
    if (reallocates && texture != 0) {
      current.forget(context, GL_TEXTURE, texture);
    } else {
      current.texture_written(context, texture);
    }
  });
}

void note_written(const char* name, GLuint texture) {
  if (is_idle()) return;
  record(name, [&](Recorder& current, Context& context) { current.texture_written(context, texture); });
}

// Notes that a compute shader may store to the images of the context.
void note_dispatch(const char* name) {
  if (is_idle()) return;
  record(name, [](Recorder& current, Context& context) { current.images_stored(context); });
}

void note_layer(GLuint framebuffer, GLenum attachment, GLuint texture, GLint layer) {
  Context* const context = is_armed() ? current_context() : nullptr;
  if (!context) return;
  const bool both = attachment == GL_DEPTH_STENCIL_ATTACHMENT;
  context->attached_layers[{framebuffer, both ? GLenum(GL_DEPTH_ATTACHMENT) : attachment}] = {texture, layer};
  if (both) context->attached_layers[{framebuffer, GL_STENCIL_ATTACHMENT}] = {texture, layer};
}

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

// Argument lists include their own parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

// A function whose first parameters are target and level.
#define BROKKR_UPLOAD(name, reallocates, parameters, arguments) \
  BROKKR_EXPORT void gl##name parameters {                      \
    note_upload("gl" #name, target, (reallocates));             \
    GL(name) arguments;                                         \
  }
// As above, for a function that names its texture.
#define BROKKR_WRITE(name, parameters, arguments) \
  BROKKR_EXPORT void gl##name parameters {        \
    note_written("gl" #name, texture);            \
    GL(name) arguments;                           \
  }

// NOLINTEND(bugprone-macro-parentheses)

BROKKR_EXPORT void glDispatchCompute(GLuint x, GLuint y, GLuint z) {
  note_dispatch("glDispatchCompute");
  GL(DispatchCompute)(x, y, z);
}

BROKKR_EXPORT void glDispatchComputeIndirect(GLintptr offset) {
  note_dispatch("glDispatchComputeIndirect");
  GL(DispatchComputeIndirect)(offset);
}

BROKKR_EXPORT void glCopyImageSubData(GLuint source, GLenum source_target, GLint source_level, GLint source_x,
                                      GLint source_y, GLint source_z, GLuint target, GLenum target_kind,
                                      GLint target_level, GLint target_x, GLint target_y, GLint target_z, GLsizei width,
                                      GLsizei height, GLsizei depth) {
  if (target_kind != GL_RENDERBUFFER) note_written("glCopyImageSubData", target);
  GL(CopyImageSubData)
  (source, source_target, source_level, source_x, source_y, source_z, target, target_kind, target_level, target_x,
   target_y, target_z, width, height, depth);
}

BROKKR_EXPORT void glCopyTexSubImage2D(GLenum target, GLint level, GLint target_x, GLint target_y, GLint x, GLint y,
                                       GLsizei width, GLsizei height) {
  if (!is_idle()) {
    record("glCopyTexSubImage2D", [&](Recorder& current, Context& context) {
      current.copy(context, {target, level}, {x, y, width, height}, target_x, target_y, true);
    });
  }
  GL(CopyTexSubImage2D)(target, level, target_x, target_y, x, y, width, height);
}

// The real call creates the texture.
BROKKR_EXPORT void glCopyTexImage2D(GLenum target, GLint level, GLenum internal, GLint x, GLint y, GLsizei width,
                                    GLsizei height, GLint border) {
  if (level == 0) note_upload("glCopyTexImage2D", target, true);
  GL(CopyTexImage2D)(target, level, internal, x, y, width, height, border);
  if (!is_idle()) {
    record("glCopyTexImage2D", [&](Recorder& current, Context& context) {
      current.copy(context, {target, level}, {x, y, width, height}, 0, 0, false);
    });
  }
}

BROKKR_EXPORT void glFramebufferTextureLayer(GLenum target, GLenum attachment, GLuint texture, GLint level,
                                             GLint layer) {
  GL(FramebufferTextureLayer)(target, attachment, texture, level, layer);
  const bool reads = target == GL_READ_FRAMEBUFFER;
  if (is_armed())
    note_layer(get_name(reads ? GL_READ_FRAMEBUFFER_BINDING : GL_DRAW_FRAMEBUFFER_BINDING), attachment, texture, layer);
}

BROKKR_EXPORT void glNamedFramebufferTextureLayer(GLuint framebuffer, GLenum attachment, GLuint texture, GLint level,
                                                  GLint layer) {
  GL(NamedFramebufferTextureLayer)(framebuffer, attachment, texture, level, layer);
  note_layer(framebuffer, attachment, texture, layer);
}

BROKKR_EXPORT void glGenerateMipmap(GLenum target) {
  GL(GenerateMipmap)(target);
  if (is_idle()) return;
  record("glGenerateMipmap", [&](Recorder& current, Context& context) { current.generate_mips(context, target); });
}

BROKKR_EXPORT void glGenerateTextureMipmap(GLuint texture) {
  note_written("glGenerateTextureMipmap", texture);
  GL(GenerateTextureMipmap)(texture);
}

// Declared only by headers of OpenGL ES.
extern "C" void glEGLImageTargetTexture2DOES(GLenum target, GLeglImageOES image);
BROKKR_UPLOAD(EGLImageTargetTexture2DOES, true, (GLenum target, GLeglImageOES image), (target, image))

BROKKR_UPLOAD(TexImage1D, level == 0,
              (GLenum target, GLint level, GLint internal, GLsizei width, GLint border, GLenum format, GLenum type,
               const void* pixels),
              (target, level, internal, width, border, format, type, pixels))

BROKKR_UPLOAD(TexImage2D, level == 0,
              (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border, GLenum format,
               GLenum type, const void* pixels),
              (target, level, internal, width, height, border, format, type, pixels))

BROKKR_UPLOAD(TexImage3D, level == 0,
              (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLsizei depth, GLint border,
               GLenum format, GLenum type, const void* pixels),
              (target, level, internal, width, height, depth, border, format, type, pixels))

BROKKR_UPLOAD(TexImage3DEXT, level == 0,
              (GLenum target, GLint level, GLenum internal, GLsizei width, GLsizei height, GLsizei depth, GLint border,
               GLenum format, GLenum type, const void* pixels),
              (target, level, internal, width, height, depth, border, format, type, pixels))

BROKKR_UPLOAD(TexSubImage1D, false,
              (GLenum target, GLint level, GLint x, GLsizei width, GLenum format, GLenum type, const void* pixels),
              (target, level, x, width, format, type, pixels))

BROKKR_UPLOAD(TexSubImage2D, false,
              (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
               const void* pixels),
              (target, level, x, y, width, height, format, type, pixels))

BROKKR_UPLOAD(TexSubImage3D, false,
              (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
               GLenum format, GLenum type, const void* pixels),
              (target, level, x, y, z, width, height, depth, format, type, pixels))

BROKKR_UPLOAD(CompressedTexImage2D, level == 0,
              (GLenum target, GLint level, GLenum internal, GLsizei width, GLsizei height, GLint border, GLsizei size,
               const void* data),
              (target, level, internal, width, height, border, size, data))

BROKKR_UPLOAD(CompressedTexImage3D, level == 0,
              (GLenum target, GLint level, GLenum internal, GLsizei width, GLsizei height, GLsizei depth, GLint border,
               GLsizei size, const void* data),
              (target, level, internal, width, height, depth, border, size, data))

BROKKR_UPLOAD(CompressedTexSubImage2D, false,
              (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLsizei size,
               const void* data),
              (target, level, x, y, width, height, format, size, data))

BROKKR_UPLOAD(CompressedTexSubImage3D, false,
              (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
               GLenum format, GLsizei size, const void* data),
              (target, level, x, y, z, width, height, depth, format, size, data))

BROKKR_WRITE(TextureSubImage1D,
             (GLuint texture, GLint level, GLint x, GLsizei width, GLenum format, GLenum type, const void* pixels),
             (texture, level, x, width, format, type, pixels))

BROKKR_WRITE(TextureSubImage2D,
             (GLuint texture, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
              const void* pixels),
             (texture, level, x, y, width, height, format, type, pixels))

BROKKR_WRITE(TextureSubImage3D,
             (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
              GLenum format, GLenum type, const void* pixels),
             (texture, level, x, y, z, width, height, depth, format, type, pixels))

BROKKR_WRITE(CompressedTextureSubImage2D,
             (GLuint texture, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLsizei size,
              const void* data),
             (texture, level, x, y, width, height, format, size, data))

BROKKR_WRITE(CompressedTextureSubImage3D,
             (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
              GLenum format, GLsizei size, const void* data),
             (texture, level, x, y, z, width, height, depth, format, size, data))

BROKKR_WRITE(ClearTexImage, (GLuint texture, GLint level, GLenum format, GLenum type, const void* data),
             (texture, level, format, type, data))

BROKKR_WRITE(ClearTexSubImage,
             (GLuint texture, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, GLsizei depth,
              GLenum format, GLenum type, const void* data),
             (texture, level, x, y, z, width, height, depth, format, type, data))

BROKKR_ALIAS(glTexSubImage3DEXT, glTexSubImage3D);
BROKKR_ALIAS(glCompressedTexImage2DARB, glCompressedTexImage2D);
BROKKR_ALIAS(glCompressedTexImage3DARB, glCompressedTexImage3D);
BROKKR_ALIAS(glCompressedTexSubImage2DARB, glCompressedTexSubImage2D);
BROKKR_ALIAS(glCompressedTexSubImage3DARB, glCompressedTexSubImage3D);
BROKKR_ALIAS(glCopyTexImage2DEXT, glCopyTexImage2D);
BROKKR_ALIAS(glCopyTexSubImage2DEXT, glCopyTexSubImage2D);
BROKKR_ALIAS(glTexSubImage1DEXT, glTexSubImage1D);
BROKKR_ALIAS(glTexSubImage2DEXT, glTexSubImage2D);
BROKKR_ALIAS(glGenerateMipmapEXT, glGenerateMipmap);
BROKKR_ALIAS_ES(glTexImage3DOES, glTexImage3D);
BROKKR_ALIAS_ES(glTexSubImage3DOES, glTexSubImage3D);
BROKKR_ALIAS_ES(glCompressedTexImage3DOES, glCompressedTexImage3D);
BROKKR_ALIAS_ES(glCompressedTexSubImage3DOES, glCompressedTexSubImage3D);
BROKKR_ALIAS_ES(glCopyImageSubDataEXT, glCopyImageSubData);
BROKKR_ALIAS_ES(glCopyImageSubDataOES, glCopyImageSubData);
BROKKR_ALIAS_ES(glGenerateMipmapOES, glGenerateMipmap);
