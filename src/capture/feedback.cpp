#include "capture/feedback.h"

#include <algorithm>

namespace brokkr::capture {
namespace {

constexpr uint64_t kVertexBytes = sizeof(glm::vec4);
constexpr uint64_t kMaxBytes = uint64_t(1) << 30;  // of one run
constexpr uint64_t kFirstGuess = uint64_t(1) << 20;

uint64_t vertices_of(GLenum primitive) { return primitive == GL_TRIANGLES ? 3 : primitive == GL_LINES ? 2 : 1; }

template <typename Generate>
GLuint make_once(GLuint& name, Generate generate) {
  if (name == 0) generate(1, &name);
  return name;
}

// Pauses the application's own feedback while this lives, and restores its bindings.
class FeedbackBinding {
 public:
  explicit FeedbackBinding(Context& context) : objects_(context.info.feedback_objects) {
    generic_ = get_name(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING);
    if (objects_) {
      GLboolean active = GL_FALSE, paused = GL_FALSE;
      GL(GetBooleanv)(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
      GL(GetBooleanv)(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
      paused_here_ = active && !paused;
      if (paused_here_) GL(PauseTransformFeedback)();
      object_ = get_name(GL_TRANSFORM_FEEDBACK_BINDING);
      make_once(context.feedback_object, GL(GenTransformFeedbacks));
      GL(BindTransformFeedback)(GL_TRANSFORM_FEEDBACK, context.feedback_object);
    } else {
      GLint name = 0;
      GL(GetIntegeri_v)(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0, &name);
      indexed_ = static_cast<GLuint>(name);
      GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_START, 0, &start_);
      GL(GetInteger64i_v)(GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, 0, &size_);
    }
  }

  ~FeedbackBinding() {
    if (objects_) {
      GL(BindTransformFeedback)(GL_TRANSFORM_FEEDBACK, object_);
      if (paused_here_) GL(ResumeTransformFeedback)();
    } else if (indexed_ != 0 && size_ != 0) {
      GL(BindBufferRange)
      (GL_TRANSFORM_FEEDBACK_BUFFER, 0, indexed_, static_cast<GLintptr>(start_), static_cast<GLsizeiptr>(size_));
    } else {
      GL(BindBufferBase)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, indexed_);
    }
    GL(BindBuffer)(GL_TRANSFORM_FEEDBACK_BUFFER, generic_);
  }

  FeedbackBinding(const FeedbackBinding&) = delete;
  FeedbackBinding& operator=(const FeedbackBinding&) = delete;

 private:
  bool objects_, paused_here_ = false;
  GLuint generic_ = 0, object_ = 0, indexed_ = 0;
  GLint64 start_ = 0, size_ = 0;
};

// Binds the layer's program where the fixed function transforms vertices, and the layer's indices.
class DrawBinding {
 public:
  DrawBinding(Context& context, const VertexStage& stage, const std::vector<uint32_t>* indices)
      : fixed_(stage.kind == VertexStage::Kind::fixed_function), indexed_(indices != nullptr) {
    if (fixed_) {
      program_ = get_name(GL_CURRENT_PROGRAM);
      if (context.position_program == 0) context.position_program = make_position_program("ftransform()");
      GL(UseProgram)(context.position_program);
    }
    if (indexed_) {
      elements_ = get_name(GL_ELEMENT_ARRAY_BUFFER_BINDING);
      GL(BindBuffer)(GL_ELEMENT_ARRAY_BUFFER, make_once(context.index_buffer, GL(GenBuffers)));
      GL(BufferData)
      (GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices->size() * sizeof(uint32_t)), indices->data(),
       GL_STREAM_DRAW);
    }
    discard_ = is_enabled(GL_RASTERIZER_DISCARD);
    GL(Enable)(GL_RASTERIZER_DISCARD);
  }

  ~DrawBinding() {
    if (!discard_) GL(Disable)(GL_RASTERIZER_DISCARD);
    if (indexed_) GL(BindBuffer)(GL_ELEMENT_ARRAY_BUFFER, elements_);
    if (fixed_) GL(UseProgram)(program_);
  }

  DrawBinding(const DrawBinding&) = delete;
  DrawBinding& operator=(const DrawBinding&) = delete;

 private:
  bool fixed_, indexed_, discard_ = false;
  GLuint program_ = 0, elements_ = 0;
};

// Counts primitives. The application has no query of the target under way.
class PrimitiveQuery {
 public:
  PrimitiveQuery(GLenum target, GLuint& name) : target_(target), name_(make_once(name, GL(GenQueries))) {
    GL(BeginQuery)(target_, name_);
  }
  uint64_t end() {
    GL(EndQuery)(target_);
    GLuint value = 0;
    GL(GetQueryObjectuiv)(name_, GL_QUERY_RESULT, &value);
    return value;
  }

 private:
  GLenum target_;
  GLuint name_;
};

void reserve_buffer(Context& context, uint64_t bytes) {
  GL(BindBuffer)(GL_TRANSFORM_FEEDBACK_BUFFER, make_once(context.feedback_buffer, GL(GenBuffers)));
  if (context.feedback_bytes >= bytes) return;
  context.feedback_bytes = std::max(bytes, context.feedback_bytes * 2);
  GL(BufferData)
  (GL_TRANSFORM_FEEDBACK_BUFFER, static_cast<GLsizeiptr>(context.feedback_bytes), nullptr, GL_STREAM_READ);
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

}  // namespace

FeedbackResult Feedback::run(GLenum primitive, uint64_t bytes, const std::function<void()>& draw, Counts& counts) {
  FeedbackResult result;
  const FeedbackBinding feedback(context_);
  const DrawBinding binding(context_, stage_, indices_);
  if (stage_.kind == VertexStage::Kind::fixed_function && context_.position_program == 0) {
    result.problem = "the driver compiles no GLSL 1.20";
    return result;
  }
  reserve_buffer(context_, bytes);
  PrimitiveQuery written(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, context_.written_query);
  PrimitiveQuery generated(GL_PRIMITIVES_GENERATED, context_.generated_query);
  GL(BindBufferRange)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, context_.feedback_buffer, 0, static_cast<GLsizeiptr>(bytes));
  GL(BeginTransformFeedback)(primitive);
  draw();
  GL(EndTransformFeedback)();
  counts.written = written.end() * vertices_of(primitive);
  counts.generated = generated.end() * vertices_of(primitive);
  // The application's errors were taken before the run, so that pending errors are the run's.
  if (const GLenum error = take_errors(); error != GL_NO_ERROR) {
    result.problem = std::string("the driver answered ") + error_name(error);
    return result;
  }
  result.positions.resize(static_cast<size_t>(counts.written));
  if (counts.written > 0) {
    GL(GetBufferSubData)
    (GL_TRANSFORM_FEEDBACK_BUFFER, 0, static_cast<GLsizeiptr>(counts.written * kVertexBytes), result.positions.data());
  }
  return result;
}

FeedbackResult Feedback::run_points(uint64_t vertices, const std::function<void()>& draw) {
  if (vertices * kVertexBytes > kMaxBytes) return {{}, "more vertices than 1 GiB holds"};
  Counts counts;
  FeedbackResult result = run(GL_POINTS, std::max<uint64_t>(vertices, 1) * kVertexBytes, draw, counts);
  if (result.problem.empty() && result.positions.size() != vertices) {
    result.problem = "feedback gave another number of vertices";
  }
  return result;
}

FeedbackResult Feedback::run_primitives(GLenum primitive, const std::function<void()>& draw) {
  uint64_t bytes = std::max(context_.feedback_bytes, kFirstGuess) / 48 * 48;  // whole primitives of any kind
  while (true) {
    Counts counts;
    FeedbackResult result = run(primitive, bytes, draw, counts);
    const uint64_t needed = counts.generated * kVertexBytes;
    if (!result.problem.empty() || needed <= bytes) return result;
    bytes = std::max((needed + 47) / 48 * 48, bytes * 2);
    if (bytes > kMaxBytes) return {{}, "more vertices than 1 GiB holds"};
  }
}

const QuadSplit& quad_split(Context& context, bool provoking_first) {
  QuadSplit& split = context.split[provoking_first];
  if (context.has_split[provoking_first] || !context.info.compatibility) return split;
  context.has_split[provoking_first] = true;
  if (context.probe_program == 0) context.probe_program = make_position_program("gl_Vertex");
  if (context.probe_program == 0) return split;
  const GLuint program = get_name(GL_CURRENT_PROGRAM);
  GL(UseProgram)(context.probe_program);
  VertexStage stage;
  stage.kind = VertexStage::Kind::program;
  const auto probe = [&](GLenum mode, uint8_t(&corners)[2][3]) {
    const FeedbackResult result = Feedback(context, stage).run_primitives(GL_TRIANGLES, [&] {
      GL(Begin)(mode);
      for (int i = 0; i < 4; i++) GL(Vertex4f)(static_cast<GLfloat>(i), 0, 0, 1);
      GL(End)();
    });
    if (result.positions.size() != 6) return;  // keep the convention of most drivers
    for (size_t i = 0; i < 6; i++) corners[i / 3][i % 3] = static_cast<uint8_t>(result.positions[i].x) & 3;
  };
  probe(GL_QUADS, split.quad);
  probe(GL_QUAD_STRIP, split.strip);
  GL(UseProgram)(program);
  return split;
}

void delete_feedback_objects(Context& context) {
  if (context.feedback_object) GL(DeleteTransformFeedbacks)(1, &context.feedback_object);
  if (context.feedback_buffer) GL(DeleteBuffers)(1, &context.feedback_buffer);
  if (context.index_buffer) GL(DeleteBuffers)(1, &context.index_buffer);
  if (context.written_query) GL(DeleteQueries)(1, &context.written_query);
  if (context.generated_query) GL(DeleteQueries)(1, &context.generated_query);
  if (context.position_program) GL(DeleteProgram)(context.position_program);
  if (context.probe_program) GL(DeleteProgram)(context.probe_program);
  context.feedback_object = context.feedback_buffer = context.index_buffer = 0;
  context.written_query = context.generated_query = context.position_program = context.probe_program = 0;
  context.feedback_bytes = 0;
}

}  // namespace brokkr::capture
