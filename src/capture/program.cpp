#include "capture/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "brokkr/frame.h"
#include "capture/glsl_scan.h"

namespace brokkr::capture {
namespace {

// The stages of a program; a set of them has a bit for each.
enum Stage : size_t { kVertex, kControl, kEvaluation, kGeometry, kFragment, kStages };
constexpr std::array<GLenum, kStages> kStageTypes = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER,
                                                     GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER, GL_FRAGMENT_SHADER};
constexpr uint32_t bit(Stage stage) { return 1u << stage; }

struct ProgramInfo {
  bool own_feedback = false;  // varyings named by the application
  uint32_t stages = 0;        // bits of the last link
  ShaderUse vertex, fragment;
  bool stores = false;  // a stage before rasterization may
};

struct Programs {
  std::mutex mutex;
  std::map<std::pair<uint64_t, GLuint>, ProgramInfo> of_name;
};
Programs& programs() {
  static auto* const result = new Programs;  // never destroyed: threads may still link while the process ends
  return *result;
}

// Calls f with what is known of a program, under a lock.
template <typename F>
auto with_program(GLuint program, F f) {
  const Context* context = current_context();
  const std::lock_guard lock(programs().mutex);
  return f(programs().of_name[{context ? context->share_group : 0, program}]);
}

ProgramInfo find_program(GLuint program) {
  return with_program(program, [](const ProgramInfo& info) { return info; });
}

GLint program_value(GLuint program, GLenum name) {
  GLint value = 0;
  GL(GetProgramiv)(program, name, &value);
  return value;
}

GLint shader_value(GLuint shader, GLenum name) {
  GLint value = 0;
  GL(GetShaderiv)(shader, name, &value);
  return value;
}

uint32_t stage_bit(GLint type) {
  const auto found = std::find(kStageTypes.begin(), kStageTypes.end(), static_cast<GLenum>(type));
  return found == kStageTypes.end() ? 0 : 1u << (found - kStageTypes.begin());
}

std::string shader_source(GLuint shader) {
  const GLint length = std::max(shader_value(shader, GL_SHADER_SOURCE_LENGTH), 0);
  std::string text(static_cast<size_t>(length), '\0');
  if (length > 0) GL(GetShaderSource)(shader, length, nullptr, text.data());
  return text.c_str();
}

ProgramInfo inspect(GLuint program) {
  ProgramInfo info;
  GLint count = program_value(program, GL_ATTACHED_SHADERS);
  std::vector<GLuint> shaders(static_cast<size_t>(std::max(count, 0)));
  if (!shaders.empty()) GL(GetAttachedShaders)(program, count, &count, shaders.data());
  std::string vertex, fragment;
  for (GLuint shader : shaders) {
    const uint32_t stage = stage_bit(shader_value(shader, GL_SHADER_TYPE));
    info.stages |= stage;
    if (stage == bit(kVertex)) vertex += shader_source(shader) + "\n";
    if (stage == bit(kFragment)) fragment += shader_source(shader) + "\n";
    const bool other = (stage & (bit(kControl) | bit(kEvaluation) | bit(kGeometry))) != 0;
    if (other) info.stores |= scan_shader(shader_source(shader)).stores;
  }
  info.vertex = scan_shader(vertex);
  info.stores |= info.vertex.stores;
  info.fragment = scan_shader(fragment);
  return info;
}

bool is_linked(GLuint program) { return program_value(program, GL_LINK_STATUS) == GL_TRUE; }

void name_position(GLuint program, bool add) {
  const GLchar* const name = "gl_Position";
  GL(TransformFeedbackVaryings)(program, add ? 1 : 0, &name, GL_INTERLEAVED_ATTRIBS);
}

// A program of one shader: prepare(program), and link(program) where the shader compiles. 0 where there can be none.
template <typename Prepare, typename Link>
GLuint make_program(GLenum type, GLsizei count, const GLchar* const* strings, Prepare prepare, Link link) {
  const GLuint shader = GL(CreateShader)(type);
  if (shader == 0) return 0;
  GL(ShaderSource)(shader, count, strings, nullptr);
  GL(CompileShader)(shader);
  const GLuint program = GL(CreateProgram)();
  program_created(program);
  prepare(program);
  if (shader_value(shader, GL_COMPILE_STATUS) == GL_TRUE) {
    GL(AttachShader)(program, shader);
    link(program);
    GL(DetachShader)(program, shader);
  }
  GL(DeleteShader)(shader);
  return program;
}

// The program's last link records gl_Position and nothing else.
bool records_position(GLuint program) {
  if (program_value(program, GL_TRANSFORM_FEEDBACK_VARYINGS) != 1) return false;
  GLsizei size = 0;
  GLenum type = GL_NONE;
  GLchar name[32] = {};
  GL(GetTransformFeedbackVarying)(program, 0, sizeof(name), nullptr, &size, &type, name);
  return std::strcmp(name, "gl_Position") == 0;
}

// The program of each stage, or 0: the same for all, or those of the pipeline.
using StagePrograms = std::array<GLuint, kStages>;

StagePrograms current_stages(const Context& context) {
  StagePrograms stages{};
  if (!context.info.glsl) return stages;
  if (const GLuint program = get_name(GL_CURRENT_PROGRAM)) {
    const uint32_t bits = find_program(program).stages;
    // Without stages it was linked from something else than shaders that the layer saw: what feedback tells must do.
    for (size_t i = 0; i < kStages; i++) stages[i] = (bits == 0 ? bit(kVertex) : bits) >> i & 1 ? program : 0;
    return stages;
  }
  const GLuint pipeline = context.info.pipelines ? get_name(GL_PROGRAM_PIPELINE_BINDING) : 0;
  for (size_t i = 0; pipeline != 0 && i < kStages; i++) {
    if ((i == kControl || i == kEvaluation) && !context.info.tessellation) continue;
    if (i == kGeometry && !context.info.geometry) continue;
    GLint program = 0;
    GL(GetProgramPipelineiv)(pipeline, kStageTypes[i], &program);
    stages[i] = static_cast<GLuint>(program);
  }
  return stages;
}

GLenum geometry_primitive(GLuint program) {
  switch (program_value(program, GL_GEOMETRY_OUTPUT_TYPE)) {
    case GL_POINTS: return GL_POINTS;
    case GL_LINE_STRIP: return GL_LINES;
    default: return GL_TRIANGLES;
  }
}

GLenum evaluation_primitive(GLuint program) {
  if (program_value(program, GL_TESS_GEN_POINT_MODE)) return GL_POINTS;
  return program_value(program, GL_TESS_GEN_MODE) == GL_ISOLINES ? GL_LINES : GL_TRIANGLES;
}

// An ARB fragment program's text: KIL and result.depth.
uint32_t assembly_flags() {
  GLint length = 0;
  GL(GetProgramivARB)(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_LENGTH_ARB, &length);
  std::string text(static_cast<size_t>(std::max(length, 0)), '\0');
  if (length > 0) GL(GetProgramStringARB)(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_STRING_ARB, text.data());
  return (text.find("KIL") != std::string::npos ? kFragmentDiscard : 0u) |
         (text.find("result.depth") != std::string::npos ? kFragmentDepth : 0u);
}

uint32_t fragment_flags(const Context& context, GLuint program) {
  if (program) {
    const ShaderUse use = find_program(program).fragment;
    return (use.discard ? kFragmentDiscard : 0u) | (use.fragment_depth ? kFragmentDepth : 0u);
  }
  const bool assembly = context.info.arb_fragment_program && is_enabled(GL_FRAGMENT_PROGRAM_ARB);
  return assembly ? assembly_flags() : 0;
}

}  // namespace

void link_program(GLuint program, const std::function<void()>& link) {
  const Context* context = known_context();
  if (!context || !context->info.feedback || !GL(TransformFeedbackVaryings)) {
    link();
    return;
  }
  ProgramInfo info = inspect(program);
  with_program(program, [&](ProgramInfo& known) {
    info.own_feedback = known.own_feedback;
    known = info;
  });
  const bool add = !info.own_feedback && (info.stages & (bit(kVertex) | bit(kEvaluation) | bit(kGeometry))) != 0;
  if (!add) {
    link();
    return;
  }
  name_position(program, true);
  link();
  if (is_linked(program)) return;
  name_position(program, false);  // the varying may be the cause; the application sees the result of the second link
  link();
}

void program_created(GLuint program) {
  with_program(program, [](ProgramInfo& info) { info = {}; });
}

void set_own_feedback(GLuint program, bool own) {
  with_program(program, [&](ProgramInfo& info) { info.own_feedback = own; });
}

GLuint create_shader_program(GLenum type, GLsizei count, const GLchar* const* strings) {
  const auto separable = [](GLuint program) { GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE); };
  return make_program(type, count, strings, separable, [](GLuint program) {
    link_program(program, [&] { GL(LinkProgram)(program); });
  });
}

VertexStage current_vertex_stage(const Context& context) {
  VertexStage stage;
  const StagePrograms stages = current_stages(context);
  stage.flags = fragment_flags(context, stages[kFragment]);
  const GLuint last = stages[kGeometry]     ? stages[kGeometry]
                      : stages[kEvaluation] ? stages[kEvaluation]
                                            : stages[kVertex];
  if (last == 0) {
    if (!context.info.compatibility) {
      stage.reason = "no program is in use";
    } else if (context.info.arb_vertex_program && is_enabled(GL_VERTEX_PROGRAM_ARB)) {
      stage.reason = "an ARB vertex program, which has no feedback";
    } else if (!context.info.glsl) {
      stage.reason = "the driver has no GLSL";
    } else {
      stage.kind = VertexStage::Kind::fixed_function;
    }
    return stage;
  }
  if (!records_position(last)) {
    stage.reason = find_program(last).own_feedback
                       ? "the program has a transform feedback of its own"
                       : "the program was linked without position feedback (a binary or SPIR-V)";
    return stage;
  }
  for (const GLuint program : {stages[kVertex], stages[kControl], stages[kEvaluation], stages[kGeometry]}) {
    if (program != 0 && find_program(program).stores) {
      stage.reason = "a vertex stage that stores to buffers or images, and would again in a second run";
      return stage;
    }
  }
  stage.kind = VertexStage::Kind::program;
  stage.expands = stages[kGeometry] != 0 || stages[kEvaluation] != 0;
  if (stages[kGeometry]) {
    stage.primitive = geometry_primitive(last);
  } else if (stages[kEvaluation]) {
    stage.primitive = evaluation_primitive(last);
  }
  stage.draw_id = find_program(stages[kVertex]).vertex.draw_id;
  return stage;
}

GLuint make_position_program(const char* expression) {
  const std::string text = std::string("#version 120\nvoid main() { gl_Position = ") + expression + "; }\n";
  const GLchar* strings[] = {text.c_str()};
  const auto feedback = [](GLuint program) { name_position(program, true); };
  const GLuint program = make_program(GL_VERTEX_SHADER, 1, strings, feedback, GL(LinkProgram));
  if (program == 0 || is_linked(program)) return program;
  GL(DeleteProgram)(program);
  return 0;
}

}  // namespace brokkr::capture
