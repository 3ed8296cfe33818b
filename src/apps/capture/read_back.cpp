#include "capture/read_back.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "capture/arb_stage.h"
#include "capture/desktop.h"
#include "capture/render_state.h"
#include "capture/state_guard.h"
#include "capture/vertex.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// Compiled in, so that a captured program needs no additional library.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace brokkr::capture {
namespace {

void attach(const Context& context, GLenum point, const Image& image) {
  const auto name = static_cast<GLuint>(image.name);
  if (image.kind == GL_RENDERBUFFER) {
    GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, name);
    return;
  }
  const GLenum target = image_size(context, image).target;
  const bool is_array = target == GL_TEXTURE_2D_ARRAY || target == GL_TEXTURE_3D || target == GL_TEXTURE_1D_ARRAY ||
                        target == GL_TEXTURE_CUBE_MAP_ARRAY || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
  if (is_array) {
    GL(FramebufferTextureLayer)(GL_FRAMEBUFFER, point, name, image.level, image.layer);
  } else if (target == GL_TEXTURE_CUBE_MAP) {
    const GLint face = image.face ? image.face : GL_TEXTURE_CUBE_MAP_POSITIVE_X + image.layer % 6;
    GL(FramebufferTexture2D)(GL_FRAMEBUFFER, point, static_cast<GLenum>(face), name, image.level);
  } else if (target != GL_NONE) {
    GL(FramebufferTexture2D)(GL_FRAMEBUFFER, point, target, name, image.level);
  }
}

bool is_alive(const Image& image) {
  if (image.kind == GL_FRAMEBUFFER_DEFAULT) return true;
  const auto name = static_cast<GLuint>(image.name);
  return image.kind == GL_RENDERBUFFER ? GL(IsRenderbuffer)(name) : GL(IsTexture)(name);
}

// A framebuffer of the layer, bound for drawing and reading.
GLuint make_framebuffer(Restore& restore) {
  GLuint name = 0;
  GL(GenFramebuffers)(1, &name);
  restore.add([name] { GL(DeleteFramebuffers)(1, &name); });
  restore.bind(GL_FRAMEBUFFER, name);
  return name;
}

GLenum attachment_of(Plane plane) {
  return is_color(plane) ? GL_COLOR_ATTACHMENT0 : plane == Plane::depth ? GL_DEPTH_ATTACHMENT : GL_STENCIL_ATTACHMENT;
}

// Gives the bound framebuffer only the colour buffer of this plane.
void set_color_buffers(Plane plane) {
  GL(DrawBuffer)(is_color(plane) ? GL_COLOR_ATTACHMENT0 : GL_NONE);
  GL(ReadBuffer)(is_color(plane) ? GL_COLOR_ATTACHMENT0 : GL_NONE);
}

// The format of a plane. A blit of depth needs that of the window, for which OpenGL has no name; Mesa's have this one.
GLenum format_of(const Context& context, const TargetInfo& target, Plane plane) {
  if (!target.images.is_window()) return static_cast<GLenum>(image_size(context, *target.images.plane(plane)).format);
  if (is_color(plane)) return GL_RGBA8;
  return target.images.plane(Plane::stencil) ? GL_DEPTH24_STENCIL8 : GL_DEPTH_COMPONENT24;
}

// Copies `plane` from `framebuffer` to a framebuffer without multisampling, which is then bound. Depth uses one sample,
// as GL defines; colours are averaged.
void resolve(const Context& context, const TargetInfo& target, Plane plane, GLuint framebuffer, Restore& restore) {
  const GLenum format = format_of(context, target, plane);
  GLuint storage = 0;
  GL(GenRenderbuffers)(1, &storage);
  restore.add([storage] { GL(DeleteRenderbuffers)(1, &storage); });
  restore.bind(GL_RENDERBUFFER, storage);
  GL(RenderbufferStorage)(GL_RENDERBUFFER, format, target.width, target.height);
  const GLuint resolved = make_framebuffer(restore);
  const bool both = format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
  const GLenum point = both ? GLenum(GL_DEPTH_STENCIL_ATTACHMENT) : attachment_of(plane);
  GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, storage);
  set_color_buffers(plane);
  GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer);
  restore.set_enabled(GL_SCISSOR_TEST, false);
  const GLbitfield bits = is_color(plane)         ? GL_COLOR_BUFFER_BIT
                          : plane == Plane::depth ? GL_DEPTH_BUFFER_BIT
                                                  : GL_STENCIL_BUFFER_BIT;
  GL(BlitFramebuffer)
  (0, 0, target.width, target.height, 0, 0, target.width, target.height, bits, GL_NEAREST);
  GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, resolved);
}

// Binds the source of a target's `plane`: the window, or a framebuffer of the layer with the image. Returns false if
// there is none.
bool bind_plane(const Context& context, const TargetInfo& target, Plane plane, Restore& restore) {
  if (target.images.is_window()) {
    if (current_surface().drawable != target.surface.drawable) return false;
    if (context.info.framebuffers) restore.bind(GL_FRAMEBUFFER, 0);
    if (is_color(plane)) {
      restore.add([buffer = get_name(GL_READ_BUFFER)] { GL(ReadBuffer)(buffer); });
      const GLenum drawn = get_name(GL_DRAW_BUFFER);
      GL(ReadBuffer)(drawn == GL_NONE ? GLenum(GL_BACK) : drawn);
    }
    // Mesa's glReadPixels gives one sample of a window.
    if (target.samples > 1 && context.info.framebuffers) resolve(context, target, plane, 0, restore);
    return true;
  }
  const std::optional<Image>& image = target.images.plane(plane);
  if (!image || image->group != context.share_group || !is_alive(*image)) return false;
  const GLuint framebuffer = make_framebuffer(restore);
  attach(context, attachment_of(plane), *image);
  set_color_buffers(plane);
  if (GL(CheckFramebufferStatus)(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  if (target.samples > 0) resolve(context, target, plane, framebuffer, restore);
  return true;
}

template <typename T>
std::vector<T> read_pixels(const Context& of_program, const TargetInfo& target, Plane plane, GLenum format, GLenum type,
                           size_t channels) {
  const DesktopContext desktop(of_program);
  const Context& context = *desktop;
  std::vector<T> values;
  Restore restore;
  pack_plainly(context, restore);
  if (!bind_plane(context, target, plane, restore)) {
    take_errors();
    return values;
  }
  values.resize(static_cast<size_t>(target.width) * static_cast<size_t>(target.height) * channels);
  GL(ReadPixels)(0, 0, target.width, target.height, format, type, values.data());
  if (take_errors() != GL_NO_ERROR) values.clear();  // the application's pending errors were taken before
  return values;
}

// Encodes RGB, rows bottom to top. Empty if encoding fails.
std::vector<uint8_t> encode_png(int width, int height, const std::vector<uint8_t>& pixels) {
  // Reverse the rows here, because all threads share the encoder's flag for that.
  const auto row = static_cast<ptrdiff_t>(width) * 3;
  std::vector<uint8_t> turned, out;
  for (auto end = pixels.end(); end != pixels.begin(); end -= row) turned.insert(turned.end(), end - row, end);
  const auto append = [](void* context, void* data, int size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    auto& all = *static_cast<std::vector<uint8_t>*>(context);
    all.insert(all.end(), bytes, bytes + size);
  };
  if (!stbi_write_png_to_func(append, &out, width, height, 3, turned.data(), static_cast<int>(row))) out.clear();
  return out;
}

}  // namespace

void transfer_plainly(Restore& restore) {
  const auto transfer = [&](std::initializer_list<GLenum> names, GLfloat plain) {
    for (const GLenum name : names) {
      restore.add([name, value = get_floats<1>(name)[0]] { GL(PixelTransferf)(name, value); });
      GL(PixelTransferf)(name, plain);
    }
  };
  transfer({GL_DEPTH_SCALE, GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE}, 1);
  transfer({GL_DEPTH_BIAS, GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS, GL_MAP_COLOR, GL_MAP_STENCIL,
            GL_INDEX_OFFSET},
           0);
}

void pack_plainly(const Context& context, Restore& restore) {
  for (const GLenum name : {GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS,
                            GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST}) {
    restore.add([name, value = get_integer(name)] { GL(PixelStorei)(name, value); });
    GL(PixelStorei)(name, name == GL_PACK_ALIGNMENT ? 1 : 0);
  }
  if (context.info.pixel_buffers) restore.bind(GL_PIXEL_PACK_BUFFER, 0);
  if (context.info.compatibility) transfer_plainly(restore);
}

// Copies bytes of the buffer bound to `target`. OpenGL ES can only map them.
void copy_buffer(const Context& context, GLenum target, uint64_t offset, size_t size, void* bytes) {
  const auto first = static_cast<GLintptr>(offset);
  const auto length = static_cast<GLsizeiptr>(size);
  if (!context.info.es) return GL(GetBufferSubData)(target, first, length, bytes);
  const void* const mapped = GL(MapBufferRange)(target, first, length, GL_MAP_READ_BIT);
  if (!mapped) return;
  std::memcpy(bytes, mapped, size);
  GL(UnmapBuffer)(target);
}

std::vector<std::byte> read_buffer(const Context& context, GLenum target, uint64_t offset, uint64_t size) {
  GLint64 length = 0;
  if (context.info.version >= 32 && GL(GetBufferParameteri64v)) {
    GL(GetBufferParameteri64v)(target, GL_BUFFER_SIZE, &length);
  } else {
    GLint small = 0;
    GL(GetBufferParameteriv)(target, GL_BUFFER_SIZE, &small);
    length = small;
  }
  const uint64_t end = std::min<uint64_t>(static_cast<uint64_t>(std::max<GLint64>(length, 0)), offset + size);
  std::vector<std::byte> bytes(offset < end ? static_cast<size_t>(end - offset) : 0);
  if (!bytes.empty()) copy_buffer(context, target, offset, bytes.size(), bytes.data());
  return bytes;
}

std::vector<float> read_depth(const Context& context, const TargetInfo& target) {
  return read_pixels<float>(context, target, Plane::depth, GL_DEPTH_COMPONENT, GL_FLOAT, 1);
}

std::vector<uint8_t> read_stencil(const Context& context, const TargetInfo& target) {
  return read_pixels<uint8_t>(context, target, Plane::stencil, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 1);
}

std::vector<std::byte> read_colors(const Context& context, const TargetInfo& target, Plane plane,
                                   const ReadFormat& format) {
  return read_pixels<std::byte>(context, target, plane, format.channels, format.type, format.bytes);
}

std::vector<uint8_t> read_picture(const Context& context, const TargetInfo& target) {
  const auto pixels = read_pixels<uint8_t>(context, target, Plane::color, GL_RGB, GL_UNSIGNED_BYTE, 3);
  return pixels.empty() ? std::vector<uint8_t>{} : encode_png(target.width, target.height, pixels);
}

}  // namespace brokkr::capture

namespace brokkr::capture {
namespace {

constexpr uint64_t kMaxBytes = uint64_t(1) << 30;  // limit of one run
constexpr uint64_t kFirstGuess = uint64_t(1) << 20;

uint64_t vertex_bytes(const VertexStage& stage) { return stage.components() * sizeof(float); }

uint64_t vertices_of(GLenum primitive) { return primitive == GL_TRIANGLES ? 3 : primitive == GL_LINES ? 2 : 1; }

template <typename Generate>
GLuint make_once(GLuint& name, Generate generate) {
  if (name == 0) generate(1, &name);
  return name;
}

// Pauses the application's feedback so that the layer's can run.
void pause_feedback(Context& context, Restore& restore) {
  if (context.info.feedback_objects) {
    if (get_integer(GL_TRANSFORM_FEEDBACK_ACTIVE) != 0 && get_integer(GL_TRANSFORM_FEEDBACK_PAUSED) == 0) {
      GL(PauseTransformFeedback)();
      restore.add([] { GL(ResumeTransformFeedback)(); });
    }
    restore.bind(GL_TRANSFORM_FEEDBACK, make_once(context.feedback_object, GL(GenTransformFeedbacks)));
    return;
  }
  GLint buffer = 0;
  GLint64 start = 0, size = 0;
  GL(GetIntegeri_v)(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0, &buffer);
  GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_START, 0, &start);
  GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, 0, &size);
  restore.add([=, name = static_cast<GLuint>(buffer)] {
    if (name != 0 && size != 0) {
      GL(BindBufferRange)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, name, start, size);
    } else {
      GL(BindBufferBase)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, name);
    }
  });
}

// Ends a query that counts primitives.
uint64_t end_query(GLenum target, GLuint name) {
  GL(EndQuery)(target);
  GLuint value = 0;
  GL(GetQueryObjectuiv)(name, GL_QUERY_RESULT, &value);
  return value;
}

const char* error_name(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    default: return "an error";
  }
}

// Reads positions and the components that follow each of them from the bound feedback buffer.
void read_vertices(const Context& context, uint64_t count, uint32_t components, FeedbackResult& result) {
  result.positions.resize(static_cast<size_t>(count));
  std::vector<float> all(static_cast<size_t>(count) * components);
  copy_buffer(context, GL_TRANSFORM_FEEDBACK_BUFFER, 0, all.size() * sizeof(float), all.data());
  const size_t others = components - 4;
  result.varyings.resize(static_cast<size_t>(count) * others);
  for (size_t i = 0; i < count; i++) {
    const float* const vertex = &all[i * components];
    std::memcpy(&result.positions[i], vertex, sizeof(glm::vec4));
    // Some are integers, so copy the bits.
    if (others > 0) std::memcpy(&result.varyings[i * others], vertex + 4, others * sizeof(float));
  }
}

// What a run records. `ignores_errors`: GL's errors count only if no vertices were recorded.
struct Recording {
  GLenum primitive = GL_POINTS;
  bool ignores_errors = false;
};

// In the compatibility profile, a program without a fragment shader must not draw to integers. The run draws nothing,
// so it may bind the window instead.
void leave_integer_target(const Context& context, Restore& restore) {
  if (!context.info.compatibility || !context.info.framebuffers || context.info.version < 30) return;
  if (get_name(GL_DRAW_FRAMEBUFFER_BINDING) != 0 && get_integer(GL_RGBA_INTEGER_MODE_EXT) != 0)
    restore.bind(GL_DRAW_FRAMEBUFFER, 0);
}

// Mesa 22.3 records other outputs if faces are drawn as lines or points while vertices have edge flags.
void fill_faces(const Context& context, Restore& restore) {
  if (!context.info.compatibility) return;
  std::array<GLint, 2> modes{};
  GL(GetIntegerv)(GL_POLYGON_MODE, modes.data());
  if (modes[0] == GL_FILL && modes[1] == GL_FILL) return;
  restore.add([modes] {
    GL(PolygonMode)(GL_FRONT, static_cast<GLenum>(modes[0]));
    GL(PolygonMode)(GL_BACK, static_cast<GLenum>(modes[1]));
  });
  GL(PolygonMode)(GL_FRONT_AND_BACK, GL_FILL);
}

// Mesa refuses draws without a fragment shader under an advanced blend equation.
void leave_advanced_blending(const Context& context, Restore& restore) {
  if (context.info.version < 20 || !is_enabled(GL_BLEND)) return;
  const GLint equation = get_integer(GL_BLEND_EQUATION_RGB);
  if (equation >= GL_MULTIPLY_KHR && equation <= GL_HSL_LUMINOSITY_KHR) restore.set_enabled(GL_BLEND, false);
}

FeedbackResult run(Context& context, const VertexStage& stage, const Recording& recording, uint64_t bytes,
                   const std::vector<uint32_t>* indices, const std::function<void()>& draw) {
  FeedbackResult result;
  Restore restore;
  const bool interrupts = context.info.feedback_objects && get_integer(GL_TRANSFORM_FEEDBACK_ACTIVE) != 0;
  restore.bind(GL_TRANSFORM_FEEDBACK_BUFFER, make_once(context.feedback_buffer, GL(GenBuffers)));
  pause_feedback(context, restore);
  GL(BindBuffer)(GL_TRANSFORM_FEEDBACK_BUFFER, context.feedback_buffer);  // also in the layer's feedback object
  if (stage.kind == VertexStage::Kind::fixed_function) {
    const auto [program, is_new] = context.fixed_programs.emplace(stage.fixed_text, 0);
    if (is_new) program->second = make_vertex_program(context, stage.fixed_text, stage.recorded.size());
    restore.use_program(program->second);
    if (program->second == 0) return {.problem = "the driver compiles no GLSL 1.20"};
  } else if (!stage.stages.empty()) {
    use_shadow(context, stage, restore);
  }
  if (indices) {
    restore.bind(GL_ELEMENT_ARRAY_BUFFER, make_once(context.index_buffer, GL(GenBuffers)));
    GL(BufferData)
    (GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices->size() * sizeof(uint32_t)), indices->data(),
     GL_STREAM_DRAW);
  }
  restore.set_enabled(GL_RASTERIZER_DISCARD, true);
  leave_integer_target(context, restore);
  fill_faces(context, restore);
  leave_advanced_blending(context, restore);
  if (context.feedback_bytes < bytes) {
    context.feedback_bytes = std::max(bytes, context.feedback_bytes * 2);
    GL(BufferData)
    (GL_TRANSFORM_FEEDBACK_BUFFER, static_cast<GLsizeiptr>(context.feedback_bytes), nullptr, GL_STREAM_READ);
  }
  take_errors();  // the errors of queries that OpenGL ES does not know
  // The application has no active query of these targets (counts_vertices).
  GL(BeginQuery)(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, make_once(context.written_query, GL(GenQueries)));
  GL(BeginQuery)(GL_PRIMITIVES_GENERATED, make_once(context.generated_query, GL(GenQueries)));
  GL(BindBufferRange)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, context.feedback_buffer, 0, static_cast<GLsizeiptr>(bytes));
  GL(BeginTransformFeedback)(recording.primitive);
  draw();
  GL(EndTransformFeedback)();
  if (interrupts) {
    // Mesa 22.3 remembers the primitive type of the context's last feedback, and checks later draws against it.
    GL(BeginTransformFeedback)(context.feedback_mode);
    GL(EndTransformFeedback)();
  }
  const uint64_t each = vertices_of(recording.primitive);
  const uint64_t written = each * end_query(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, context.written_query);
  result.needed = each * end_query(GL_PRIMITIVES_GENERATED, context.generated_query);
  // The application's errors were taken before the run, so pending errors come from the run.
  if (const GLenum error = take_errors(); error != GL_NO_ERROR && !(recording.ignores_errors && written > 0)) {
    result.problem = std::string("the driver answered ") + error_name(error);
    return result;
  }
  if (written > 0) read_vertices(context, written, stage.components(), result);
  return result;
}

}  // namespace

FeedbackResult run_points(Context& context, const VertexStage& stage, uint64_t vertices,
                          const std::vector<uint32_t>* indices, const std::function<void()>& draw) {
  const uint64_t each = vertex_bytes(stage);
  if (vertices > kMaxBytes / each) return {.problem = "more vertices than 1 GiB holds"};
  FeedbackResult result = run(context, stage, {}, std::max<uint64_t>(vertices, 1) * each, indices, draw);
  if (result.problem.empty() && result.positions.size() != vertices) {
    result.problem = "feedback gave another number of vertices";
  }
  return result;
}

FeedbackResult run_primitives(Context& context, const VertexStage& stage, GLenum primitive,
                              const std::function<void()>& draw, bool ignores_errors) {
  const uint64_t each = vertex_bytes(stage), six = 6 * each;  // `six`: whole primitives of any kind
  uint64_t bytes = std::max(context.feedback_bytes, kFirstGuess) / six * six;
  while (true) {
    FeedbackResult result = run(context, stage, {primitive, ignores_errors}, bytes, nullptr, draw);
    const uint64_t needed = result.needed * each;
    if (!result.problem.empty() || needed <= bytes) return result;
    bytes = std::max((needed + six - 1) / six * six, bytes * 2);
    if (bytes > kMaxBytes) return {.problem = "more vertices than 1 GiB holds"};
  }
}

const QuadSplit& quad_split(Context& context, bool provoking_first) {
  QuadSplit& split = context.split[provoking_first];
  if (context.has_split[provoking_first] || !context.info.compatibility) return split;
  if (provoking_first && is_llvmpipe(context)) {
    split = kLlvmpipeFirst;
    context.has_split[provoking_first] = true;
    return split;
  }
  context.has_split[provoking_first] = true;
  if (context.probe_program == 0)
    context.probe_program = make_vertex_program(context, "#version 120\nvoid main() { gl_Position = gl_Vertex; }\n", 0);
  if (context.probe_program == 0) return split;
  Restore restore;
  restore.use_program(context.probe_program);
  VertexStage stage;
  stage.kind = VertexStage::Kind::program;
  const auto probe = [&](GLenum mode, std::array<uint8_t, 6>& corners) {
    const FeedbackResult result = run_primitives(context, stage, GL_TRIANGLES, [&] {
      GL(Begin)(mode);
      for (int i = 0; i < 4; i++) GL(Vertex4f)(static_cast<GLfloat>(i), 0, 0, 1);
      GL(End)();
    });
    if (result.positions.size() != 6) return;  // keep the default, which is most drivers' convention
    for (size_t i = 0; i < 6; i++) corners[i] = static_cast<uint8_t>(result.positions[i].x) & 3;
  };
  probe(GL_QUADS, split.quad);
  probe(GL_QUAD_STRIP, split.strip);
  return split;
}

void delete_feedback_objects(Context& context) {
  delete_desktop_context(context);
  if (context.feedback_object) GL(DeleteTransformFeedbacks)(1, &context.feedback_object);
  if (context.feedback_buffer) GL(DeleteBuffers)(1, &context.feedback_buffer);
  if (context.index_buffer) GL(DeleteBuffers)(1, &context.index_buffer);
  if (context.written_query) GL(DeleteQueries)(1, &context.written_query);
  if (context.generated_query) GL(DeleteQueries)(1, &context.generated_query);
  for (const auto& [text, program] : context.fixed_programs) GL(DeleteProgram)(program);
  context.fixed_programs.clear();
  for (const auto& [text, copy] : context.fixed_copies) {
    if (copy->copier != 0) GL(DeleteProgram)(copy->copier);
  }
  context.fixed_copies.clear();
  for (GLuint& program : context.pixel_programs) {
    if (program == 0) continue;
    program_created(program);  // forgets the program
    GL(DeleteProgram)(std::exchange(program, 0));
  }
  delete_arb_programs(context);
  delete_shadows(context);
  if (context.probe_program) GL(DeleteProgram)(context.probe_program);
  context.feedback_object = context.feedback_buffer = context.index_buffer = 0;
  context.written_query = context.generated_query = context.probe_program = 0;
  context.feedback_bytes = 0;
}

}  // namespace brokkr::capture
