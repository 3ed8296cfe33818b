#include "capture/pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "capture/program.h"
#include "capture/read_back.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

constexpr GLsizei kMaxPixels = 8192;  // per side

const char* const kVertexText = R"(#version 120
void main() { gl_TexCoord[0] = gl_MultiTexCoord0; gl_Position = gl_Vertex; })";
const char* const kBitmapText = R"(#version 120
uniform sampler2D brokkr_bits; uniform vec4 brokkr_color;
void main() { if (texture2D(brokkr_bits, gl_TexCoord[0].xy).a < 0.5) discard; gl_FragColor = brokkr_color; })";
const char* const kPixelsText = R"(#version 120
uniform sampler2D brokkr_bits;
void main() { gl_FragColor = texture2D(brokkr_bits, gl_TexCoord[0].xy); })";

enum class PixelProgram { colors, bitmap };

// A program of the layer; the recorder treats it as a program of the application.
GLuint pixel_program(Context& context, PixelProgram kind) {
  GLuint& program = context.pixel_programs[static_cast<size_t>(kind)];
  if (program != 0) return program;
  program = GL(CreateProgram)();
  const char* const fragment_text = kind == PixelProgram::colors ? kPixelsText : kBitmapText;
  for (const auto& [type, text] : {std::pair{GL_VERTEX_SHADER, kVertexText}, {GL_FRAGMENT_SHADER, fragment_text}}) {
    const GLuint shader = GL(CreateShader)(static_cast<GLenum>(type));
    GL(ShaderSource)(shader, 1, &text, nullptr);
    GL(CompileShader)(shader);
    GL(AttachShader)(program, shader);
    GL(DeleteShader)(shader);
  }
  GL(LinkProgram)(program);
  program_linked(program);
  return program;
}

// A texture of the layer, bound to unit 0, which samples the nearest texel.
GLuint bind_texture(const Context& context, const Pixels& pixels, Restore& restore) {
  GL(ActiveTexture)(GL_TEXTURE0);
  if (context.info.sampler_objects) {
    restore.add([sampler = get_name(GL_SAMPLER_BINDING)] { GL(BindSampler)(0, sampler); });
    GL(BindSampler)(0, 0);
  }
  GLuint texture = 0;
  GL(GenTextures)(1, &texture);
  restore.add([texture] { GL(DeleteTextures)(1, &texture); });
  GL(BindTexture)(GL_TEXTURE_2D, texture);
  for (const GLenum name : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    GL(TexParameteri)(GL_TEXTURE_2D, name, GL_NEAREST);
  for (const GLenum name : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    GL(TexParameteri)(GL_TEXTURE_2D, name, GL_CLAMP_TO_EDGE);
  const GLenum format = pixels.is_bitmap ? GL_ALPHA : GL_RGBA;
  GL(TexImage2D)
  (GL_TEXTURE_2D, 0, pixels.is_bitmap ? GL_ALPHA8 : GL_RGBA8, pixels.width, pixels.height, 0, format, GL_UNSIGNED_BYTE,
   pixels.bytes.data());
  return texture;
}

void unpack_plainly(const Context& context, Restore& restore) {
  for (const GLenum name : {GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS,
                            GL_UNPACK_SWAP_BYTES, GL_UNPACK_LSB_FIRST}) {
    restore.add([name, value = get_integer(name)] { GL(PixelStorei)(name, value); });
    GL(PixelStorei)(name, name == GL_UNPACK_ALIGNMENT ? 1 : 0);
  }
  if (context.info.pixel_buffers) restore.bind(GL_PIXEL_UNPACK_BUFFER, 0);
  transfer_plainly(restore);
}

// The edge of a bitmap or of drawn pixels along one axis. Mesa rounds bitmaps down, a little above whole numbers, and
// pixels to the nearest whole number.
GLfloat first_pixel(const Pixels& pixels, GLfloat position, GLfloat origin) {
  return pixels.is_bitmap ? std::floor(position + 0.0001f - origin) : std::round(position);
}

// Neutralizes state of faces and of the vertex stage, which pixels and clears ignore. Returns the size of a viewport
// that covers the whole framebuffer, because pixels may lie outside the application's viewport.
GLfloat draw_to_window(const Context& context, Restore& restore) {
  for (const GLenum feature :
       {GL_CULL_FACE, GL_POLYGON_OFFSET_FILL, GL_POLYGON_STIPPLE, GL_POLYGON_SMOOTH, GL_VERTEX_PROGRAM_TWO_SIDE})
    GL(Disable)(feature);
  for (GLenum i = 0; i < 6; i++) GL(Disable)(GL_CLIP_PLANE0 + i);
  GL(PolygonMode)(GL_FRONT_AND_BACK, GL_FILL);
  constexpr GLfloat kSize = 4096;
  GL(Viewport)(0, 0, GLsizei(kSize), GLsizei(kSize));
  GL(DepthRange)(0, 1);
  if (context.info.clip_control) {
    restore.add([origin = get_name(GL_CLIP_ORIGIN), mode = get_name(GL_CLIP_DEPTH_MODE)] {
      GL(ClipControl)(origin, mode);
    });
    GL(ClipControl)(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
  }
  return kSize;
}

// Records one picture as a rectangle in window coordinates, after neutralizing state that does not affect pixels.
void record_one(Recorder& recorder, Context& context, const Pixels& pixels, const std::array<GLfloat, 4>& position,
                const std::array<GLfloat, 4>& color) {
  Restore restore;
  unpack_plainly(context, restore);
  restore.use_program(0);
  restore.keep_matrices_and_attributes();
  const GLuint program = pixel_program(context, pixels.is_bitmap ? PixelProgram::bitmap : PixelProgram::colors);
  recorder.texture_written(context, bind_texture(context, pixels, restore));
  GL(UseProgram)(program);
  GL(Uniform1i)(GL(GetUniformLocation)(program, "brokkr_bits"), 0);
  if (pixels.is_bitmap) GL(Uniform4fv)(GL(GetUniformLocation)(program, "brokkr_color"), 1, color.data());
  const GLfloat size = draw_to_window(context, restore);
  const GLfloat left = first_pixel(pixels, position[0], pixels.origin_x);
  const GLfloat bottom = first_pixel(pixels, position[1], pixels.origin_y);
  const GLfloat right = left + GLfloat(pixels.width) * pixels.zoom_x;
  const GLfloat top = bottom + GLfloat(pixels.height) * pixels.zoom_y;
  const GLfloat z = 2 * position[2] - 1;
  const auto send = [&](GLenum mode) {
    const auto corner = [&](GLfloat s, GLfloat t) {
      GL(TexCoord2f)(s, t);
      GL(Vertex4f)(2 * (s > 0 ? right : left) / size - 1, 2 * (t > 0 ? top : bottom) / size - 1, z, 1);
    };
    GL(Begin)(mode);
    corner(0, 0);
    corner(1, 0);
    corner(1, 1);
    corner(0, 0);
    corner(1, 1);
    corner(0, 1);
    GL(End)();
  };
  recorder.draw(context, {.mode = GL_TRIANGLES,
                          .submit = [&] { send(GL_TRIANGLES); },
                          .opaque = true,
                          .submit_as = send,
                          .changes_state = true});
}

}  // namespace

Pixels read_bitmap(const Context& context, Pixels pixels, const GLubyte* bits) {
  const GLsizei width = std::exchange(pixels.width, 0), height = std::exchange(pixels.height, 0);
  if (width < 1 || height < 1 || width > kMaxPixels || height > kMaxPixels) return pixels;
  const auto setting = [](GLenum name) { return static_cast<size_t>(std::max(get_integer(name), 0)); };
  const size_t length = setting(GL_UNPACK_ROW_LENGTH), alignment = std::max<size_t>(setting(GL_UNPACK_ALIGNMENT), 1);
  const size_t skip = setting(GL_UNPACK_SKIP_PIXELS), skipped_rows = setting(GL_UNPACK_SKIP_ROWS);
  const bool least_first = get_integer(GL_UNPACK_LSB_FIRST) != 0;
  const size_t row = ((length > 0 ? length : size_t(width)) + 8 * alignment - 1) / (8 * alignment) * alignment;
  std::vector<std::byte> stored;
  if (context.info.pixel_buffers && get_name(GL_PIXEL_UNPACK_BUFFER_BINDING) != 0) {
    const size_t needed = (skipped_rows + size_t(height)) * row + (skip + 7) / 8;
    stored = read_buffer(context, GL_PIXEL_UNPACK_BUFFER, reinterpret_cast<uintptr_t>(bits), needed);
    stored.resize(needed);
    bits = reinterpret_cast<const GLubyte*>(stored.data());
  }
  if (bits == nullptr) return pixels;
  pixels.width = width;
  pixels.height = height;
  pixels.bytes.reserve(size_t(width) * size_t(height));
  for (size_t v = 0; v < size_t(height); v++) {
    for (size_t u = skip; u < skip + size_t(width); u++) {
      const GLubyte eight = bits[(v + skipped_rows) * row + u / 8];
      const bool set = (least_first ? eight >> (u % 8) : eight >> (7 - u % 8)) & 1;
      pixels.bytes.push_back(set ? 255 : 0);
    }
  }
  return pixels;
}

std::optional<Pixels> read_drawn_pixels(const Context& context, GLsizei width, GLsizei height, GLenum format,
                                        GLenum type, const void* data) {
  const bool has_no_color = format == GL_DEPTH_COMPONENT || format == GL_STENCIL_INDEX || format == GL_DEPTH_STENCIL ||
                            format == GL_COLOR_INDEX;
  if (has_no_color || width < 1 || height < 1 || width > kMaxPixels || height > kMaxPixels) return std::nullopt;
  Pixels pixels{.width = width, .height = height};
  pixels.zoom_x = get_floats<1>(GL_ZOOM_X)[0];
  pixels.zoom_y = get_floats<1>(GL_ZOOM_Y)[0];
  // Uploading a texture unpacks and transfers colours exactly as glDrawPixels does.
  Restore restore;
  restore.add([bound = get_name(GL_TEXTURE_BINDING_2D)] { GL(BindTexture)(GL_TEXTURE_2D, bound); });
  GLuint texture = 0;
  GL(GenTextures)(1, &texture);
  restore.add([texture] { GL(DeleteTextures)(1, &texture); });
  GL(BindTexture)(GL_TEXTURE_2D, texture);
  GL(TexImage2D)(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, format, type, data);
  pack_plainly(context, restore);
  pixels.bytes.resize(size_t(width) * size_t(height) * 4);
  GL(GetTexImage)(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.bytes.data());
  if (take_errors() != GL_NO_ERROR) return std::nullopt;
  return pixels;
}

std::optional<Pixels> read_copied_pixels(const Context& context, GLint x, GLint y, GLsizei width, GLsizei height,
                                         GLenum type) {
  if (type != GL_COLOR || width < 1 || height < 1 || width > kMaxPixels || height > kMaxPixels) return std::nullopt;
  Pixels pixels{.width = width, .height = height};
  pixels.zoom_x = get_floats<1>(GL_ZOOM_X)[0];
  pixels.zoom_y = get_floats<1>(GL_ZOOM_Y)[0];
  Restore restore;
  pack_plainly(context, restore);
  pixels.bytes.resize(size_t(width) * size_t(height) * 4);
  GL(ReadPixels)(x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.bytes.data());
  if (take_errors() != GL_NO_ERROR) return std::nullopt;
  return pixels;
}

void record_pixels(Recorder& recorder, Context& context, const char* what, const std::vector<Pixels>& all) {
  if (get_integer(GL_CURRENT_RASTER_POSITION_VALID) == 0) return;  // draws nothing
  if (!context.info.compatibility || !context.info.glsl) {
    return recorder.skip(std::string("pixels drawn by ") + what, 0);
  }
  std::array<GLfloat, 4> position = get_floats<4>(GL_CURRENT_RASTER_POSITION);
  const std::array<GLfloat, 4> color = get_floats<4>(GL_CURRENT_RASTER_COLOR);
  for (const Pixels& pixels : all) {
    if (!pixels.bytes.empty()) record_one(recorder, context, pixels, position, color);
    position[0] += pixels.move_x;
    position[1] += pixels.move_y;
  }
}

std::optional<Pixels> bitmap_of_list(const Context& context, GLuint list) {
  if (!context.info.framebuffers || !context.info.compatibility) return std::nullopt;
  constexpr GLsizei kSide = 256, kMiddle = kSide / 2;
  Restore restore;
  pack_plainly(context, restore);
  restore.use_program(0);
  restore.keep_matrices_and_attributes();
  GLuint framebuffer = 0, storage = 0;
  GL(GenFramebuffers)(1, &framebuffer);
  GL(GenRenderbuffers)(1, &storage);
  restore.add([framebuffer, storage] {
    GL(DeleteFramebuffers)(1, &framebuffer);
    GL(DeleteRenderbuffers)(1, &storage);
  });
  restore.bind(GL_RENDERBUFFER, storage);
  GL(RenderbufferStorage)(GL_RENDERBUFFER, GL_RGBA8, kSide, kSide);
  restore.bind(GL_FRAMEBUFFER, framebuffer);
  GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, storage);
  for (const GLenum feature : {GL_DEPTH_TEST, GL_STENCIL_TEST, GL_SCISSOR_TEST, GL_BLEND, GL_ALPHA_TEST, GL_FOG,
                               GL_LIGHTING, GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_COLOR_LOGIC_OP})
    GL(Disable)(feature);
  GL(ColorMask)(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  GL(ClearColor)(0, 0, 0, 0);
  GL(Clear)(GL_COLOR_BUFFER_BIT);
  GL(Color4f)(1, 1, 1, 1);
  GL(WindowPos2i)(kMiddle, kMiddle);
  GL(CallList)(list);
  const std::array<GLfloat, 4> after = get_floats<4>(GL_CURRENT_RASTER_POSITION);
  std::vector<GLubyte> all(size_t(kSide) * kSide * 4);
  GL(ReadPixels)(0, 0, kSide, kSide, GL_RGBA, GL_UNSIGNED_BYTE, all.data());
  if (take_errors() != GL_NO_ERROR) return std::nullopt;
  Pixels pixels{.is_bitmap = true, .move_x = after[0] - GLfloat(kMiddle), .move_y = after[1] - GLfloat(kMiddle)};
  int left = kSide, right = -1, bottom = kSide, top = -1;
  for (int y = 0; y < kSide; y++) {
    for (int x = 0; x < kSide; x++) {
      if (all[(size_t(y) * kSide + size_t(x)) * 4] == 0) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      bottom = std::min(bottom, y);
      top = std::max(top, y);
    }
  }
  if (right < 0) return pixels;  // the letter is a space
  pixels.width = right - left + 1;
  pixels.height = top - bottom + 1;
  pixels.origin_x = GLfloat(kMiddle - left);
  pixels.origin_y = GLfloat(kMiddle - bottom);
  for (int y = bottom; y <= top; y++) {
    for (int x = left; x <= right; x++) pixels.bytes.push_back(all[(size_t(y) * kSide + size_t(x)) * 4]);
  }
  return pixels;
}

}  // namespace brokkr::capture
