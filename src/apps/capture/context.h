// The layer's knowledge of a GL context. Contexts are identified by their window-system handle; objects that contexts
// share (programs, display lists) belong to a share group.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capture/lookup.h"
#include "capture/primitives.h"

namespace brokkr::capture {

// GLX and EGL: which context is current, how large a surface is, which keys are down.

// The surface passed to glXSwapBuffers or eglSwapBuffers.
struct Surface {
  bool egl = false;
  void* display = nullptr;
  uintptr_t drawable = 0;
};

// GLXContext or EGLContext of this thread, or null.
void* current_context_handle();

// The surface that the context draws to by default; drawable is 0 if there is none.
Surface current_surface();

// In pixels; {0, 0} if the window system does not report it.
std::pair<int, int> surface_size(const Surface& surface);

// Watches a key of the X server. `key`: the name of an X11 keysym, such as "F10".
class Keyboard {
 public:
  // Sets `problem` if the key cannot be watched.
  explicit Keyboard(const std::string& key);
  bool is_down() const;
  const std::string& problem() const { return problem_; }

 private:
  void* display_ = nullptr;
  int code_ = 0;
  std::string problem_;
};

// Features of a context: the versions of OpenGL and OpenGL ES that introduced each (99: none), and extensions that
// provide it.
#define BROKKR_FEATURES(FEATURE)                                                                                   \
  FEATURE(multisample, 13, 20, "GL_ARB_multisample")                                                               \
  FEATURE(glsl, 20, 20, "GL_ARB_shader_objects")                                                                   \
  FEATURE(draw_buffers, 20, 30, "GL_ARB_draw_buffers")                                                             \
  FEATURE(stencil_two_side, 20, 20, "GL_ATI_separate_stencil")                                                     \
  FEATURE(pixel_buffers, 21, 30, "GL_ARB_pixel_buffer_object")                                                     \
  FEATURE(framebuffers, 30, 30, "GL_ARB_framebuffer_object", "GL_EXT_framebuffer_object")                          \
  FEATURE(feedback, 30, 30, "GL_EXT_transform_feedback")                                                           \
  FEATURE(restart, 31, 99, "GL_NV_primitive_restart")                                                              \
  FEATURE(geometry, 32, 32, "GL_ARB_geometry_shader4")                                                             \
  FEATURE(depth_clamp, 32, 99, "GL_ARB_depth_clamp", "GL_EXT_depth_clamp")                                         \
  FEATURE(provoking_vertex, 32, 99, "GL_ARB_provoking_vertex", "GL_EXT_provoking_vertex")                          \
  FEATURE(tessellation, 40, 32, "GL_ARB_tessellation_shader")                                                      \
  FEATURE(feedback_objects, 40, 30, "GL_ARB_transform_feedback2")                                                  \
  FEATURE(pipelines, 41, 31, "GL_ARB_separate_shader_objects")                                                     \
  FEATURE(restart_fixed, 43, 30, "GL_ARB_ES3_compatibility")                                                       \
  FEATURE(interface_query, 43, 31, "GL_ARB_program_interface_query")                                               \
  FEATURE(sampler_objects, 33, 30, "GL_ARB_sampler_objects")                                                       \
  FEATURE(swizzle, 33, 30, "GL_ARB_texture_swizzle", "GL_EXT_texture_swizzle")                                     \
  FEATURE(anisotropy, 46, 99, "GL_ARB_texture_filter_anisotropic", "GL_EXT_texture_filter_anisotropic")            \
  FEATURE(srgb_decode, 99, 99, "GL_EXT_texture_sRGB_decode")                                                       \
  FEATURE(fog_distance, 99, 99, "GL_NV_fog_distance")                                                              \
  FEATURE(framebuffer_srgb, 30, 30, "GL_ARB_framebuffer_sRGB", "GL_EXT_framebuffer_sRGB")                          \
  FEATURE(srgb_control, 30, 99, "GL_ARB_framebuffer_sRGB", "GL_EXT_framebuffer_sRGB", "GL_EXT_sRGB_write_control") \
  FEATURE(seamless, 32, 30, "GL_ARB_seamless_cube_map")                                                            \
  FEATURE(uniform_buffers, 31, 30, "GL_ARB_uniform_buffer_object")                                                 \
  FEATURE(separate_blend, 40, 32, "GL_ARB_draw_buffers_blend")                                                     \
  FEATURE(clip_control, 45, 99, "GL_ARB_clip_control", "GL_EXT_clip_control")                                      \
  FEATURE(pipeline_statistics, 46, 99, "GL_ARB_pipeline_statistics_query")

struct ContextInfo {
  int version = 0;  // 45 for 4.5
  bool es = false, compatibility = false, mesa = false;
#define BROKKR_FEATURE(name, ...) bool name = false;
  BROKKR_FEATURES(BROKKR_FEATURE)
#undef BROKKR_FEATURE
  bool arb_vertex_program = false, arb_fragment_program = false, ati_fragment_shader = false;
  std::string renderer;
};

// Returns true if draws, clears and blits encode the colours of sRGB images.
bool encodes_srgb(const ContextInfo& info);

// Returns true if the bound draw framebuffer has several samples a pixel, and rasterization uses them.
bool is_multisampling(const ContextInfo& info);

// The kinds of primitives that a display list draws.
enum ListContent : uint32_t {
  kListTriangles = 1,
  kListLines = 2,
  kListPoints = 4,
  kListPixels = 8,
  kListState = 16,  // sets state that the file stores with each draw
  // With kListTriangles: its triangles are parts of quads, or of polygons. A list's part has faces of one kind.
  kListQuads = 32,
  kListPolygons = 64,
};

// A part of a display list that contains draws or sets state. The first part has the list's name, others have private
// names. GL runs them one after another.
struct Pixels;
struct ListPiece {
  GLuint name = 0;
  uint32_t content = 0;  // ListContent bits
  bool of_font = false;  // GLX made it from a font's letter; its bitmap is found when a recorded frame first draws it
  std::vector<std::shared_ptr<const Pixels>> pixels;  // its bitmaps in order; null: pixels that are not recorded
};

struct VertexCopy;
struct ArbProgram;

struct Context {
  void* handle = nullptr;
  uint64_t number = 0;  // of no other context, unlike its handle and its address; from 1 on
  uint64_t share_group = 0;
  bool is_known = false;  // `info` has been read
  ContextInfo info;

  // An error of the application that the layer has found; glGetError returns it later.
  GLenum error = GL_NO_ERROR;

  // Immediate mode and display lists.
  GLuint begin_list = 0;          // between glBegin and glEnd of a recorded frame: the private list, otherwise 0
  GLenum begin_mode = GL_POINTS;  // mode of that glBegin
  GLuint compiling = 0;           // display list being compiled, between glNewList and glEndList
  GLenum compile_mode = GL_COMPILE;
  std::vector<ListPiece> compiled;  // its parts so far; the last one is being compiled
  bool call_after_compile = false;  // GL_COMPILE_AND_EXECUTE: compiled now, called at glEndList

  // Texture and layer that glFramebufferTextureLayer attached, by framebuffer and attachment. Mesa 22.3 tells the
  // layers of some kinds of arrays only.
  std::map<std::pair<GLuint, GLenum>, std::pair<GLuint, GLint>> attached_layers;

  GLenum feedback_mode = GL_POINTS;  // primitive mode of the application's last glBeginTransformFeedback

  GLuint conditional_query = 0;  // query of the active conditional rendering
  GLenum conditional_mode = GL_NONE;

  // Objects of the layer, created when first needed in a capture and deleted at its end.
  GLuint feedback_object = 0, feedback_buffer = 0, index_buffer = 0, written_query = 0, generated_query = 0;
  GLuint probe_program = 0, pixel_programs[2] = {};                       // for colours, for bitmaps
  std::map<std::string, GLuint> fixed_programs;                           // by text
  std::map<std::string, std::shared_ptr<const VertexCopy>> fixed_copies;  // by text
  // By the texts of the assembly programs for vertices and fragments.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<ArbProgram>> arb_programs;
  uint64_t feedback_bytes = 0;
  void* desktop = nullptr;             // reads for a context of OpenGL ES (desktop.h)
  bool has_desktop = false;            // true: its creation has been tried
  bool has_split[2] = {false, false};  // for GL_PROVOKING_VERTEX last, first
  QuadSplit split[2];
};

// The context that is current on this thread, or null.
Context* current_context();

// Like current_context, with `info` filled in. Call it only where GL may be called.
Context* known_context();

// Called by the window-system hooks. An entry stays until another context gets the handle, because a destroyed context
// lives on while it is current.
void context_created(void* handle, void* shared_with);

// Guards all recorded data and the members of contexts.
std::recursive_mutex& capture_mutex();

// The parts of a display list in the context's share group; an unknown list is one part without content.
std::vector<ListPiece> list_pieces(const Context& context, GLuint list);
// Returns the previous parts.
std::vector<ListPiece> set_list_pieces(const Context& context, GLuint list, std::vector<ListPiece> pieces);

// Clears GL's errors. Returns the first one, or GL_NO_ERROR.
GLenum take_errors();

GLint get_integer(GLenum name);
template <size_t N>
std::array<GLfloat, N> get_floats(GLenum name) {
  std::array<GLfloat, N> values{};
  GL(GetFloatv)(name, values.data());
  return values;
}
// The first colour buffer that is drawn to, or GL_NONE.
inline GLint draw_buffer(const Context& context) {
  return get_integer(context.info.draw_buffers ? GLenum(GL_DRAW_BUFFER0) : GLenum(GL_DRAW_BUFFER));
}
inline GLuint get_name(GLenum name) { return static_cast<GLuint>(get_integer(name)); }
inline bool is_enabled(GLenum capability) { return GL(IsEnabled)(capability) == GL_TRUE; }

}  // namespace brokkr::capture
