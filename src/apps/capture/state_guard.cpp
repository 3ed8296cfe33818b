#include "capture/state_guard.h"

#include <cstdio>
#include <ranges>
#include <sstream>

#include "capture/session.h"
#include "capture/settings.h"

namespace brokkr::capture {
namespace {

// State that the layer could disturb, read back for comparison (BROKKR_CAPTURE_CHECK_STATE).
struct StateNames {
  int version;
  bool compatibility;
  size_t count;
  std::string text;  // of `names`, separated by commas
  std::vector<GLenum> names;
};

// Names with the version that introduced them, a flag for the compatibility profile, and the number of values.
const std::vector<StateNames>& state_names() {
#define GROUP(version, compatibility, count, ...)                \
  {                                                              \
    version, compatibility, count, #__VA_ARGS__, { __VA_ARGS__ } \
  }
  static const std::vector<StateNames> names = {
      GROUP(10, false, 1, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_DEPTH_WRITEMASK, GL_DEPTH_FUNC, GL_CULL_FACE,
            GL_CULL_FACE_MODE, GL_FRONT_FACE, GL_BLEND, GL_STENCIL_TEST, GL_STENCIL_FUNC, GL_STENCIL_WRITEMASK,
            GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES,
            GL_PACK_LSB_FIRST, GL_READ_BUFFER, GL_DRAW_BUFFER),
      GROUP(10, false, 2, GL_DEPTH_RANGE),
      GROUP(10, false, 4, GL_VIEWPORT, GL_SCISSOR_BOX, GL_COLOR_WRITEMASK),
      GROUP(11, false, 1, GL_TEXTURE_BINDING_2D),
      GROUP(12, false, 1, GL_TEXTURE_BINDING_3D),
      GROUP(13, false, 1, GL_ACTIVE_TEXTURE, GL_TEXTURE_BINDING_CUBE_MAP),
      GROUP(15, false, 1, GL_ARRAY_BUFFER_BINDING, GL_ELEMENT_ARRAY_BUFFER_BINDING),
      GROUP(20, false, 1, GL_CURRENT_PROGRAM),
      GROUP(21, false, 1, GL_PIXEL_PACK_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING),
      GROUP(30, false, 1, GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING,
            GL_RASTERIZER_DISCARD, GL_VERTEX_ARRAY_BINDING, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
            GL_TEXTURE_BINDING_2D_ARRAY),
      GROUP(31, false, 1, GL_TEXTURE_BINDING_RECTANGLE, GL_PRIMITIVE_RESTART, GL_UNIFORM_BUFFER_BINDING,
            GL_PRIMITIVE_RESTART_INDEX, GL_COPY_READ_BUFFER_BINDING, GL_COPY_WRITE_BUFFER_BINDING),
      GROUP(32, false, 1, GL_PROVOKING_VERTEX, GL_TEXTURE_BINDING_2D_MULTISAMPLE),
      GROUP(40, false, 1, GL_DRAW_INDIRECT_BUFFER_BINDING, GL_TRANSFORM_FEEDBACK_BINDING, GL_TRANSFORM_FEEDBACK_ACTIVE,
            GL_TRANSFORM_FEEDBACK_PAUSED),
      GROUP(41, false, 1, GL_PROGRAM_PIPELINE_BINDING),
      GROUP(43, false, 1, GL_PRIMITIVE_RESTART_FIXED_INDEX),
      GROUP(10, true, 1, GL_MATRIX_MODE, GL_MODELVIEW_STACK_DEPTH, GL_PROJECTION_STACK_DEPTH, GL_TEXTURE_STACK_DEPTH,
            GL_ATTRIB_STACK_DEPTH, GL_CLIENT_ATTRIB_STACK_DEPTH, GL_NAME_STACK_DEPTH, GL_DEPTH_SCALE, GL_DEPTH_BIAS,
            GL_RED_SCALE, GL_RED_BIAS, GL_MAP_COLOR, GL_LIST_BASE, GL_RENDER_MODE, GL_LIGHTING, GL_ALPHA_TEST,
            GL_TEXTURE_2D, GL_SHADE_MODEL),
      GROUP(10, true, 3, GL_CURRENT_NORMAL),
      GROUP(10, true, 4, GL_CURRENT_COLOR, GL_CURRENT_TEXTURE_COORDS, GL_CURRENT_RASTER_POSITION),
      GROUP(10, true, 16, GL_MODELVIEW_MATRIX, GL_PROJECTION_MATRIX, GL_TEXTURE_MATRIX)};
#undef GROUP
  return names;
}

using StateText = std::map<std::string, std::string>;

void append(std::string& text, double value) {
  char number[32];
  std::snprintf(number, sizeof(number), "%.9g ", value);
  text += number;
}

// Reads feedback bindings and queries, which need indexed queries.
void read_indexed_state(StateText& result) {
  constexpr GLuint kFeedbackBuffers = 4;
  std::string& buffers = result["indexed feedback buffers"];
  for (GLuint i = 0; i < kFeedbackBuffers; i++) {
    GLint buffer = 0;
    GLint64 start = 0, size = 0;
    GL(GetIntegeri_v)(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, i, &buffer);
    GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_START, i, &start);
    GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, i, &size);
    for (const double value : {double(buffer), double(start), double(size)}) append(buffers, value);
  }
  std::string& queries = result["current queries"];
  for (const GLenum target : {GL_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN}) {
    GLint current = 0;
    GL(GetQueryiv)(target, GL_CURRENT_QUERY, &current);
    append(queries, current);
  }
}

// Reads all queryable state that drawing depends on: name = values.
StateText read_state(const Context& context) {
  StateText result;
  for (const StateNames& group : state_names()) {
    if (group.version > context.info.version || (group.compatibility && !context.info.compatibility)) continue;
    std::istringstream text(group.text);
    for (const GLenum name : group.names) {
      std::string word;
      std::getline(text >> std::ws, word, ',');
      std::array<GLfloat, 16> values{};
      std::array<GLint, 16> numbers{};
      // Object names and enumerators need all their bits; matrices and colours need fractions. So read both forms.
      GL(GetIntegerv)(name, numbers.data());
      GL(GetFloatv)(name, values.data());
      const bool whole = group.count == 1 && !group.compatibility;
      for (size_t i = 0; i < group.count; i++) append(result[word], whole ? numbers[i] : double(values[i]));
    }
  }
  if (context.info.version >= 30) read_indexed_state(result);
  return result;
}

// State with one binding per target: the name of the bound object, and the function that binds it.
struct Binding {
  using Function = void(GLenum target, GLuint name);
  GLenum target, query;
  Function* (*function)();
};
constexpr auto kBuffers = [] { return GL(BindBuffer); };
constexpr auto kFramebuffers = [] { return GL(BindFramebuffer); };
constexpr Binding kBindings[] = {
    {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING, kBuffers},
    {GL_ELEMENT_ARRAY_BUFFER, GL_ELEMENT_ARRAY_BUFFER_BINDING, kBuffers},
    {GL_DRAW_INDIRECT_BUFFER, GL_DRAW_INDIRECT_BUFFER_BINDING, kBuffers},
    {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING, kBuffers},
    {GL_TRANSFORM_FEEDBACK_BUFFER, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, kBuffers},
    {GL_DRAW_FRAMEBUFFER, GL_DRAW_FRAMEBUFFER_BINDING, kFramebuffers},
    {GL_READ_FRAMEBUFFER, GL_READ_FRAMEBUFFER_BINDING, kFramebuffers},
    {GL_RENDERBUFFER, GL_RENDERBUFFER_BINDING, [] { return GL(BindRenderbuffer); }},
    {GL_TRANSFORM_FEEDBACK, GL_TRANSFORM_FEEDBACK_BINDING, [] { return GL(BindTransformFeedback); }}};

}  // namespace

Operation::Operation(Context& context, const char* name) : context_(context), name_(name) {
  if (const GLenum error = take_errors(); error != GL_NO_ERROR && context.error == GL_NO_ERROR) context.error = error;
  if (context.error != GL_NO_ERROR) g_pending_errors.store(true, std::memory_order_relaxed);
  if (settings().check_state) {
    before_ = read_state(context);
    take_errors();
  }
}

Operation::~Operation() {
  take_errors();
  if (!settings().check_state) return;
  const StateText after = read_state(context_);
  take_errors();
  for (const auto& [state, value] : after) {
    const auto found = before_.find(state);
    if (found == before_.end() || found->second == value) continue;
    report(std::string(name_) + " left another " + state + ": " + value + "instead of " + found->second);
    g_state_differences.fetch_add(1, std::memory_order_relaxed);
  }
  g_state_checks.fetch_add(1, std::memory_order_relaxed);
}

Restore::~Restore() {
  for (const auto& step : std::views::reverse(steps_)) step();
}

void Restore::bind(GLenum target, GLuint name) {
  if (target == GL_FRAMEBUFFER) {
    bind(GL_DRAW_FRAMEBUFFER, name);
    return bind(GL_READ_FRAMEBUFFER, name);
  }
  for (const Binding& binding : kBindings) {
    if (binding.target != target) continue;
    add([&binding, bound = get_name(binding.query)] { binding.function()(binding.target, bound); });
    binding.function()(target, name);
  }
}

void Restore::use_program(GLuint program) {
  const GLuint used = get_name(GL_CURRENT_PROGRAM);
  const Context* const context = current_context();
  if (used != 0 && context && context->info.tessellation && context->info.version >= 40) {
    for (const GLenum stage : {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER,
                               GL_FRAGMENT_SHADER}) {
      GLint count = 0;
      GL(GetProgramStageiv)(used, stage, GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS, &count);
      if (count <= 0) continue;
      Subroutines& all = subroutines_.emplace_back(Subroutines{stage, std::vector<GLuint>(size_t(count))});
      for (GLint i = 0; i < count; i++) GL(GetUniformSubroutineuiv)(stage, i, &all.indices[size_t(i)]);
    }
    take_errors();  // from stages that the program lacks
  }
  add([used, subroutines = subroutines_] {
    GL(UseProgram)(used);
    select(subroutines);
  });
  GL(UseProgram)(program);
}

void Restore::select(const std::vector<Subroutines>& subroutines) {
  for (const Subroutines& one : subroutines)
    GL(UniformSubroutinesuiv)(one.stage, static_cast<GLsizei>(one.indices.size()), one.indices.data());
}

void Restore::set_subroutines() const {
  std::vector<Subroutines> before_fragments = subroutines_;
  std::erase_if(before_fragments, [](const Subroutines& one) { return one.stage == GL_FRAGMENT_SHADER; });
  select(before_fragments);
}

void Restore::set_enabled(GLenum capability, bool on) {
  const auto set = [capability](bool enabled) { enabled ? GL(Enable)(capability) : GL(Disable)(capability); };
  add([set, before = is_enabled(capability)] { set(before); });
  set(on);
}

void Restore::keep_matrices_and_attributes() {
  struct Stack {
    GLenum mode, depth, matrix;
  };
  add([mode = get_name(GL_MATRIX_MODE)] { GL(MatrixMode)(mode); });
  for (const Stack& stack : {Stack{GL_TEXTURE, GL_TEXTURE_STACK_DEPTH, GL_TEXTURE_MATRIX},
                             Stack{GL_PROJECTION, GL_PROJECTION_STACK_DEPTH, GL_PROJECTION_MATRIX},
                             Stack{GL_MODELVIEW, GL_MODELVIEW_STACK_DEPTH, GL_MODELVIEW_MATRIX}}) {
    add([stack, levels = get_integer(stack.depth), top = get_floats<16>(stack.matrix)] {
      GL(MatrixMode)(stack.mode);
      for (GLint level = get_integer(stack.depth); level > levels; level--) GL(PopMatrix)();
      for (GLint level = get_integer(stack.depth); level < levels; level++) GL(PushMatrix)();
      GL(LoadMatrixf)(top.data());
    });
  }
  // A list may leave a stack deeper than before.
  add([attributes = get_integer(GL_ATTRIB_STACK_DEPTH)] {
    // Mesa 22.3 keeps attributes sent outside primitives separately, and makes them current again after glPopAttrib
    // unless they were queried before.
    get_floats<4>(GL_CURRENT_COLOR);
    for (GLint depth = get_integer(GL_ATTRIB_STACK_DEPTH); depth > attributes; depth--) GL(PopAttrib)();
  });
  GL(PushAttrib)(GL_ALL_ATTRIB_BITS);
}

}  // namespace brokkr::capture
