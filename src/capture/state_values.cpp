// The state that the layer could disturb, read back for comparison (BROKKR_CAPTURE_CHECK_STATE).
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

struct StateName {
  GLenum name;
  const char* text;
  size_t count;
  int version;         // that brought it
  bool compatibility;  // only there
};

#define S(name, count, version) \
  { name, #name, count, version, false }
#define C(name, count) \
  { name, #name, count, 10, true }
constexpr StateName kStates[] = {
    S(GL_VIEWPORT, 4, 10),
    S(GL_DEPTH_RANGE, 2, 10),
    S(GL_SCISSOR_TEST, 1, 10),
    S(GL_SCISSOR_BOX, 4, 10),
    S(GL_DEPTH_TEST, 1, 10),
    S(GL_DEPTH_WRITEMASK, 1, 10),
    S(GL_DEPTH_FUNC, 1, 10),
    S(GL_CULL_FACE, 1, 10),
    S(GL_CULL_FACE_MODE, 1, 10),
    S(GL_FRONT_FACE, 1, 10),
    S(GL_BLEND, 1, 10),
    S(GL_COLOR_WRITEMASK, 4, 10),
    S(GL_STENCIL_TEST, 1, 10),
    S(GL_STENCIL_FUNC, 1, 10),
    S(GL_STENCIL_WRITEMASK, 1, 10),
    S(GL_PACK_ALIGNMENT, 1, 10),
    S(GL_PACK_ROW_LENGTH, 1, 10),
    S(GL_PACK_SKIP_ROWS, 1, 10),
    S(GL_PACK_SKIP_PIXELS, 1, 10),
    S(GL_PACK_SWAP_BYTES, 1, 10),
    S(GL_PACK_LSB_FIRST, 1, 10),
    S(GL_READ_BUFFER, 1, 10),
    S(GL_DRAW_BUFFER, 1, 10),
    S(GL_TEXTURE_BINDING_2D, 1, 11),
    S(GL_ACTIVE_TEXTURE, 1, 13),
    S(GL_TEXTURE_BINDING_CUBE_MAP, 1, 13),
    S(GL_TEXTURE_BINDING_3D, 1, 12),
    S(GL_ARRAY_BUFFER_BINDING, 1, 15),
    S(GL_ELEMENT_ARRAY_BUFFER_BINDING, 1, 15),
    S(GL_CURRENT_PROGRAM, 1, 20),
    S(GL_PIXEL_PACK_BUFFER_BINDING, 1, 21),
    S(GL_PIXEL_UNPACK_BUFFER_BINDING, 1, 21),
    S(GL_DRAW_FRAMEBUFFER_BINDING, 1, 30),
    S(GL_READ_FRAMEBUFFER_BINDING, 1, 30),
    S(GL_RENDERBUFFER_BINDING, 1, 30),
    S(GL_RASTERIZER_DISCARD, 1, 30),
    S(GL_VERTEX_ARRAY_BINDING, 1, 30),
    S(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 1, 30),
    S(GL_TEXTURE_BINDING_2D_ARRAY, 1, 30),
    S(GL_TEXTURE_BINDING_RECTANGLE, 1, 31),
    S(GL_PRIMITIVE_RESTART, 1, 31),
    S(GL_UNIFORM_BUFFER_BINDING, 1, 31),
    S(GL_PRIMITIVE_RESTART_INDEX, 1, 31),
    S(GL_COPY_READ_BUFFER_BINDING, 1, 31),
    S(GL_COPY_WRITE_BUFFER_BINDING, 1, 31),
    S(GL_PROVOKING_VERTEX, 1, 32),
    S(GL_TEXTURE_BINDING_2D_MULTISAMPLE, 1, 32),
    S(GL_DRAW_INDIRECT_BUFFER_BINDING, 1, 40),
    S(GL_TRANSFORM_FEEDBACK_BINDING, 1, 40),
    S(GL_TRANSFORM_FEEDBACK_ACTIVE, 1, 40),
    S(GL_TRANSFORM_FEEDBACK_PAUSED, 1, 40),
    S(GL_PROGRAM_PIPELINE_BINDING, 1, 41),
    S(GL_PRIMITIVE_RESTART_FIXED_INDEX, 1, 43),
    C(GL_MATRIX_MODE, 1),
    C(GL_MODELVIEW_MATRIX, 16),
    C(GL_PROJECTION_MATRIX, 16),
    C(GL_TEXTURE_MATRIX, 16),
    C(GL_MODELVIEW_STACK_DEPTH, 1),
    C(GL_PROJECTION_STACK_DEPTH, 1),
    C(GL_TEXTURE_STACK_DEPTH, 1),
    C(GL_ATTRIB_STACK_DEPTH, 1),
    C(GL_CLIENT_ATTRIB_STACK_DEPTH, 1),
    C(GL_NAME_STACK_DEPTH, 1),
    C(GL_CURRENT_COLOR, 4),
    C(GL_CURRENT_NORMAL, 3),
    C(GL_CURRENT_TEXTURE_COORDS, 4),
    C(GL_CURRENT_RASTER_POSITION, 4),
    C(GL_DEPTH_SCALE, 1),
    C(GL_DEPTH_BIAS, 1),
    C(GL_RED_SCALE, 1),
    C(GL_RED_BIAS, 1),
    C(GL_MAP_COLOR, 1),
    C(GL_LIST_BASE, 1),
    C(GL_RENDER_MODE, 1),
    C(GL_LIGHTING, 1),
    C(GL_ALPHA_TEST, 1),
    C(GL_TEXTURE_2D, 1),
    C(GL_SHADE_MODEL, 1),
};
#undef S
#undef C

}  // namespace

std::vector<std::pair<const char*, std::vector<double>>> read_state_values(const Context& context) {
  std::vector<std::pair<const char*, std::vector<double>>> result;
  for (const StateName& state : kStates) {
    if (state.version > context.info.version || (state.compatibility && !context.info.compatibility)) continue;
    std::array<GLfloat, 16> values{};
    std::array<GLint, 16> numbers{};
    // Names of objects and enumerators need all their bits; matrices and colours their fractions.
    GL(GetIntegerv)(state.name, numbers.data());
    GL(GetFloatv)(state.name, values.data());
    std::vector<double> all;
    for (size_t i = 0; i < state.count; i++) {
      all.push_back(state.count == 1 && !(state.compatibility) ? numbers[i] : static_cast<double>(values[i]));
    }
    result.emplace_back(state.text, std::move(all));
  }
  // Feedback bindings that no single number tells.
  if (context.info.version >= 30) {
    std::vector<double> indexed;
    for (GLuint i = 0; i < 4; i++) {
      GLint buffer = 0;
      GLint64 start = 0, size = 0;
      GL(GetIntegeri_v)(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, i, &buffer);
      GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_START, i, &start);
      GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, i, &size);
      indexed.insert(indexed.end(), {double(buffer), double(start), double(size)});
    }
    result.emplace_back("indexed feedback buffers", std::move(indexed));
    std::vector<double> queries;
    for (const GLenum target : {GL_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN}) {
      GLint current = 0;
      GL(GetQueryiv)(target, GL_CURRENT_QUERY, &current);
      queries.push_back(current);
    }
    result.emplace_back("current queries", std::move(queries));
  }
  return result;
}

}  // namespace brokkr::capture
