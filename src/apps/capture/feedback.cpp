#include "capture/feedback.h"
#include "capture/quads.h"

#include <algorithm>
#include <cstring>

#include "capture/state_guard.h"

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

// Pauses the application's own feedback, so that the layer's can run.
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
void read_vertices(uint64_t count, uint32_t components, FeedbackResult& result) {
  result.positions.resize(static_cast<size_t>(count));
  std::vector<float> all(static_cast<size_t>(count) * components);
  GL(GetBufferSubData)
  (GL_TRANSFORM_FEEDBACK_BUFFER, 0, static_cast<GLsizeiptr>(all.size() * sizeof(float)), all.data());
  const size_t others = components - 4;
  result.varyings.resize(static_cast<size_t>(count) * others);
  for (size_t i = 0; i < count; i++) {
    const float* const vertex = &all[i * components];
    std::memcpy(&result.positions[i], vertex, sizeof(glm::vec4));
    // Some are integers: their bits are kept.
    if (others > 0) std::memcpy(&result.varyings[i * others], vertex + 4, others * sizeof(float));
  }
}

FeedbackResult run(Context& context, const VertexStage& stage, GLenum primitive, uint64_t bytes,
                   const std::vector<uint32_t>* indices, const std::function<void()>& draw) {
  FeedbackResult result;
  Restore restore;
  restore.bind(GL_TRANSFORM_FEEDBACK_BUFFER, make_once(context.feedback_buffer, GL(GenBuffers)));
  pause_feedback(context, restore);
  GL(BindBuffer)(GL_TRANSFORM_FEEDBACK_BUFFER, context.feedback_buffer);  // in the layer's feedback object, too
  if (stage.kind == VertexStage::Kind::fixed_function) {
    const auto [program, is_new] = context.fixed_programs.emplace(stage.fixed_text, 0);
    if (is_new) program->second = make_vertex_program(stage.fixed_text, stage.recorded.size());
    restore.use_program(program->second);
    if (program->second == 0) return {.problem = "the driver compiles no GLSL 1.20"};
  }
  if (indices) {
    restore.bind(GL_ELEMENT_ARRAY_BUFFER, make_once(context.index_buffer, GL(GenBuffers)));
    GL(BufferData)
    (GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices->size() * sizeof(uint32_t)), indices->data(),
     GL_STREAM_DRAW);
  }
  restore.set_enabled(GL_RASTERIZER_DISCARD, true);
  if (context.feedback_bytes < bytes) {
    context.feedback_bytes = std::max(bytes, context.feedback_bytes * 2);
    GL(BufferData)
    (GL_TRANSFORM_FEEDBACK_BUFFER, static_cast<GLsizeiptr>(context.feedback_bytes), nullptr, GL_STREAM_READ);
  }
  // The application has no active queries of these targets (counts_vertices).
  GL(BeginQuery)(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, make_once(context.written_query, GL(GenQueries)));
  GL(BeginQuery)(GL_PRIMITIVES_GENERATED, make_once(context.generated_query, GL(GenQueries)));
  GL(BindBufferRange)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, context.feedback_buffer, 0, static_cast<GLsizeiptr>(bytes));
  GL(BeginTransformFeedback)(primitive);
  draw();
  GL(EndTransformFeedback)();
  const uint64_t each = vertices_of(primitive);
  const uint64_t written = each * end_query(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, context.written_query);
  result.needed = each * end_query(GL_PRIMITIVES_GENERATED, context.generated_query);
  // The application's errors were taken before the run, so pending errors come from the run.
  if (const GLenum error = take_errors(); error != GL_NO_ERROR) {
    result.problem = std::string("the driver answered ") + error_name(error);
    return result;
  }
  if (written > 0) read_vertices(written, stage.components(), result);
  return result;
}

}  // namespace

FeedbackResult run_points(Context& context, const VertexStage& stage, uint64_t vertices,
                          const std::vector<uint32_t>* indices, const std::function<void()>& draw) {
  const uint64_t each = vertex_bytes(stage);
  if (vertices > kMaxBytes / each) return {.problem = "more vertices than 1 GiB holds"};
  FeedbackResult result = run(context, stage, GL_POINTS, std::max<uint64_t>(vertices, 1) * each, indices, draw);
  if (result.problem.empty() && result.positions.size() != vertices) {
    result.problem = "feedback gave another number of vertices";
  }
  return result;
}

FeedbackResult run_primitives(Context& context, const VertexStage& stage, GLenum primitive,
                              const std::function<void()>& draw) {
  const uint64_t each = vertex_bytes(stage), six = 6 * each;  // whole primitives of any kind
  uint64_t bytes = std::max(context.feedback_bytes, kFirstGuess) / six * six;
  while (true) {
    FeedbackResult result = run(context, stage, primitive, bytes, nullptr, draw);
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
    context.probe_program = make_vertex_program("#version 120\nvoid main() { gl_Position = gl_Vertex; }\n", 0);
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
    if (result.positions.size() != 6) return;  // keep the convention of most drivers
    for (size_t i = 0; i < 6; i++) corners[i] = static_cast<uint8_t>(result.positions[i].x) & 3;
  };
  probe(GL_QUADS, split.quad);
  probe(GL_QUAD_STRIP, split.strip);
  return split;
}

void delete_feedback_objects(Context& context) {
  if (context.feedback_object) GL(DeleteTransformFeedbacks)(1, &context.feedback_object);
  if (context.feedback_buffer) GL(DeleteBuffers)(1, &context.feedback_buffer);
  if (context.index_buffer) GL(DeleteBuffers)(1, &context.index_buffer);
  if (context.written_query) GL(DeleteQueries)(1, &context.written_query);
  if (context.generated_query) GL(DeleteQueries)(1, &context.generated_query);
  for (const auto& [text, program] : context.fixed_programs) GL(DeleteProgram)(program);
  context.fixed_programs.clear();
  if (context.probe_program) GL(DeleteProgram)(context.probe_program);
  context.feedback_object = context.feedback_buffer = context.index_buffer = 0;
  context.written_query = context.generated_query = context.probe_program = 0;
  context.feedback_bytes = 0;
}

}  // namespace brokkr::capture
