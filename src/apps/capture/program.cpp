#include "capture/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "brokkr/frame.h"
#include "capture/glsl_scan.h"
#include "capture/settings.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

// The stages of a program; a set of stages has one bit for each.
enum Stage : size_t { kVertex, kControl, kEvaluation, kGeometry, kFragment, kStages };
constexpr std::array<GLenum, kStages> kStageTypes = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER,
                                                     GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER, GL_FRAGMENT_SHADER};
constexpr uint32_t bit(Stage stage) { return 1u << stage; }

struct ProgramInfo {
  bool own_feedback = false;  // the application named feedback varyings
  uint32_t stages = 0;        // stages of the last link, as bits
  ShaderUse vertex, fragment;
  bool stores = false;  // whether a stage before rasterization stores to memory
  ShaderUse last;       // of the last stage before rasterization
  std::shared_ptr<const FragmentInterface> fragment_interface;
  std::vector<RecordedVarying> recorded;  // of the last link, after gl_Position
};

// The texts of a program's shaders, by stage.
using Texts = std::array<std::vector<std::string>, kStages>;

struct Programs {
  std::mutex mutex;
  std::map<std::pair<uint64_t, GLuint>, ProgramInfo> of_name;
};
Programs& programs() {
  static auto* const result = new Programs;  // never destroyed: threads may still link while the process exits
  return *result;
}

// Calls f with the information about a program, under a lock.
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

std::vector<GLuint> attached_shaders(GLuint program) {
  GLint count = program_value(program, GL_ATTACHED_SHADERS);
  std::vector<GLuint> shaders(static_cast<size_t>(std::max(count, 0)));
  if (!shaders.empty()) GL(GetAttachedShaders)(program, count, &count, shaders.data());
  return shaders;
}

Texts texts_of(GLuint program) {
  Texts texts;
  for (const GLuint shader : attached_shaders(program)) {
    const uint32_t stage = stage_bit(shader_value(shader, GL_SHADER_TYPE));
    for (size_t i = 0; i < kStages; i++) {
      if (stage == 1u << i) texts[i].push_back(shader_source(shader));
    }
  }
  return texts;
}

// The last stage before rasterization.
Stage last_stage(const Texts& texts) {
  return !texts[kGeometry].empty() ? kGeometry : !texts[kEvaluation].empty() ? kEvaluation : kVertex;
}

ProgramInfo inspect(const Texts& texts) {
  ProgramInfo info;
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += part + "\n";
    return all;
  };
  for (size_t i = 0; i < kStages; i++) info.stages |= texts[i].empty() ? 0 : 1u << i;
  for (const Stage stage : {kControl, kEvaluation, kGeometry}) {
    for (const std::string& text : texts[stage]) info.stores |= scan_shader(text).stores;
  }
  info.vertex = scan_shader(joined(texts[kVertex]));
  info.last = scan_shader(joined(texts[last_stage(texts)]));
  info.stores |= info.vertex.stores;
  info.fragment = scan_shader(joined(texts[kFragment]));
  return info;
}

bool is_linked(GLuint program) { return program_value(program, GL_LINK_STATUS) == GL_TRUE; }

void name_varyings(GLuint program, const std::vector<std::string>& names) {
  std::vector<const GLchar*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  GL(TransformFeedbackVaryings)
  (program, static_cast<GLsizei>(texts.size()), texts.data(), GL_INTERLEAVED_ATTRIBS);
}

constexpr const char* kPosition = "gl_Position";

// A program with one shader: calls prepare(program), and link(program) if the shader compiles. Returns 0 on failure.
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

// Feedback varying `number` of the program's last link; `offset` is left open.
RecordedVarying recorded_varying(GLuint program, GLuint number) {
  GLsizei size = 0;
  GLenum type = GL_NONE;
  const GLint length = std::max(program_value(program, GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH), 1);
  std::string name(static_cast<size_t>(length), '\0');
  GL(GetTransformFeedbackVarying)(program, number, length, nullptr, &size, &type, name.data());
  const std::optional<ShaderType> known = shader_type(type);
  name.resize(std::strlen(name.data()));
  return {name, 0, known ? shape_of(*known).components() * static_cast<uint32_t>(size) : 0};
}

// Whether the program's last link records gl_Position first, as the layer requested.
bool records_position(GLuint program) {
  const GLint count = program_value(program, GL_TRANSFORM_FEEDBACK_VARYINGS);
  if (count < 1 || find_program(program).own_feedback) return false;
  return recorded_varying(program, 0).name == kPosition &&
         static_cast<size_t>(count) == 1 + find_program(program).recorded.size();
}

// Feedback varyings for a link, after gl_Position, and their names in fragment shaders.
struct FeedbackPlan {
  std::vector<std::string> names, read_as;
  std::vector<std::string> built_ins;  // the entries of read_as that an additional vertex shader copies
};

// Plans the inputs of the fragment shader.
FeedbackPlan plan_inputs(const Context& context, const ProgramInfo& info, const Texts& texts) {
  FeedbackPlan plan;
  const Stage last = last_stage(texts);
  if (!info.fragment_interface) {
    // A program pipeline: its fragment program may read anything.
    if (texts[kFragment].empty()) plan.names = vertex_outputs(context, kStageTypes[last], texts[last]);
    plan.read_as = plan.names;
    return plan;
  }
  if (!info.fragment_interface->problem.empty()) return plan;
  // An input that is never written has no value in GL, and feedback rejects its name.
  const std::vector<std::string> written = vertex_outputs(context, kStageTypes[last], texts[last]);
  for (const ProgramVarying& varying : info.fragment_interface->program.varyings) {
    if (is_built_in(varying.name)) {
      if (last != kVertex) return {};
      plan.names.push_back(copied_name(plan.built_ins.size()));
      plan.built_ins.push_back(varying.name);
    } else if (written.empty() || std::find(written.begin(), written.end(), varying.name) != written.end()) {
      plan.names.push_back(varying.name);
    } else {
      continue;
    }
    plan.read_as.push_back(varying.name);
  }
  return plan;
}

// Plans those inputs, and the outputs that give distances to clip planes, point sizes, and colours of back faces.
FeedbackPlan plan_feedback(const Context& context, const ProgramInfo& info, const Texts& texts) {
  FeedbackPlan plan = plan_inputs(context, info, texts);
  if (info.last.point_size) {
    plan.names.emplace_back(kPointSize);
    plan.read_as.emplace_back(kPointSize);
  }
  const auto copy = [&](const std::string& name) {
    plan.names.push_back(copied_name(plan.built_ins.size()));
    plan.built_ins.push_back(name);
    plan.read_as.push_back(name);
  };
  const bool old = last_stage(texts) == kVertex;  // with built-in varyings
  if (old && info.vertex.back_color) copy(kBackColor);
  if (old && info.vertex.back_secondary_color) copy(kBackSecondaryColor);
  if (info.last.clip_distance) {
    plan.names.emplace_back("gl_ClipDistance");
    plan.read_as.emplace_back("gl_ClipDistance");
  } else if (info.vertex.clip_vertex && old) {
    copy("gl_ClipVertex");
  }
  return plan;
}

// Replaces the application's vertex shaders while a program is linked: the same texts with main renamed, and a main
// that calls it and copies built-in varyings.
class CopyingShaders {
 public:
  CopyingShaders(GLuint program, const std::vector<std::string>& texts, const std::vector<std::string>& built_ins)
      : program_(program) {
    if (built_ins.empty() || texts.empty()) return;
    for (const GLuint shader : attached_shaders(program)) {
      if (stage_bit(shader_value(shader, GL_SHADER_TYPE)) == bit(kVertex)) originals_.push_back(shader);
    }
    for (const GLuint shader : originals_) GL(DetachShader)(program, shader);
    for (const std::string& text : texts) attach(with_renamed_main(text, "brokkr_main"));
    const std::string_view version = version_line(texts.front());
    const char* const out = shader_version(texts.front()) < 130 ? "varying" : "out";
    std::string declarations, copies;
    for (size_t i = 0; i < built_ins.size(); i++) {
      const char* const type = is_scalar(built_ins[i]) ? "float" : "vec4";
      declarations += std::string(out) + " " + type + " " + copied_name(i) + ";\n";
      copies += "  " + copied_name(i) + " = " + vertex_expression(built_ins[i]) + ";\n";
    }
    attach(std::string(version) + "\nvoid brokkr_main();\n" + declarations + "void main() {\n  brokkr_main();\n" +
           copies + "}\n");
  }
  ~CopyingShaders() {
    for (const GLuint shader : copies_) GL(DetachShader)(program_, shader);
    for (const GLuint shader : originals_) GL(AttachShader)(program_, shader);
  }
  CopyingShaders(const CopyingShaders&) = delete;
  CopyingShaders& operator=(const CopyingShaders&) = delete;

 private:
  void attach(const std::string& text) {
    const GLuint shader = GL(CreateShader)(GL_VERTEX_SHADER);
    const GLchar* const strings[] = {text.c_str()};
    GL(ShaderSource)(shader, 1, strings, nullptr);
    GL(CompileShader)(shader);
    GL(AttachShader)(program_, shader);
    GL(DeleteShader)(shader);  // once it is detached
    copies_.push_back(shader);
  }

  GLuint program_;
  std::vector<GLuint> originals_, copies_;
};

// Links with these varyings; empty if that fails.
std::optional<std::vector<RecordedVarying>> link_with(GLuint program, const Texts& texts, const FeedbackPlan& plan,
                                                      const std::function<void()>& link) {
  const CopyingShaders copying(program, texts[kVertex], plan.built_ins);
  std::vector<std::string> names = {kPosition};
  names.insert(names.end(), plan.names.begin(), plan.names.end());
  name_varyings(program, names);
  link();
  if (!is_linked(program)) return std::nullopt;
  std::vector<RecordedVarying> recorded;
  uint32_t offset = 0;
  for (size_t i = 0; i < plan.names.size(); i++) {
    RecordedVarying varying = recorded_varying(program, static_cast<GLuint>(i + 1));
    varying.name = plan.read_as[i];
    varying.offset = offset;
    offset += varying.components;
    recorded.push_back(std::move(varying));
  }
  return recorded;
}

// The program of each stage, or 0: one program for all, or those of the pipeline.
using StagePrograms = std::array<GLuint, kStages>;

StagePrograms current_stages(const Context& context) {
  StagePrograms stages{};
  if (!context.info.glsl) return stages;
  if (const GLuint program = get_name(GL_CURRENT_PROGRAM)) {
    const uint32_t bits = find_program(program).stages;
    // If no stages are known, it was linked from shaders that the layer did not see: feedback's information must
    // suffice.
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

// The varyings of a plan that a link accepts one at a time, after it rejected all of them together.
FeedbackPlan accepted_part(GLuint program, const Texts& texts, const FeedbackPlan& plan,
                           const std::function<void()>& link) {
  FeedbackPlan accepted{.built_ins = plan.built_ins};
  for (size_t i = 0; i < plan.names.size(); i++) {
    const FeedbackPlan one{{plan.names[i]}, {plan.read_as[i]}, plan.built_ins};
    if (!link_with(program, texts, one, link)) continue;
    accepted.names.push_back(plan.names[i]);
    accepted.read_as.push_back(plan.read_as[i]);
  }
  return accepted;
}

// Reads what runs for the draw's fragments, if files can hold it.
void read_fragment_stage(const Context& context, GLuint program, VertexStage& stage) {
  if (!settings().programs) return;
  if (program != 0) {
    stage.fragment_program = program;
    stage.fragment = find_program(program).fragment_interface;
  } else if (context.info.compatibility &&
             !(context.info.arb_fragment_program && is_enabled(GL_FRAGMENT_PROGRAM_ARB))) {
    stage.fixed = read_fixed_fragment(context);
  }
}

// Makes fixed-function vertices provide what the fragments read.
void record_fixed_vertices(const Context& context, VertexStage& stage, bool opaque) {
  const FragmentProgram* const program = stage.fragment && stage.fragment->problem.empty() ? &stage.fragment->program
                                         : stage.fixed                                     ? &stage.fixed->program
                                                                                           : nullptr;
  std::vector<std::string> built_ins;
  uint32_t offset = 0;
  const auto add = [&](const std::string& name) {
    built_ins.push_back(name);
    stage.recorded.push_back({name, offset, is_scalar(name) ? 1u : 4u});
    offset += stage.recorded.back().components;
  };
  for (size_t i = 0; program != nullptr && i < program->varyings.size(); i++) {
    if (is_built_in(program->varyings[i].name)) add(program->varyings[i].name);
  }
  if (program != nullptr) stage.more = more_fixed_varyings(context, *program);
  for (const std::string& name : stage.more) add(name);
  stage.fixed_text = fixed_vertex_text(context, built_ins, opaque);
  stage.vertex_materials = opaque && has_vertex_materials(context) && is_enabled(GL_LIGHTING);
}

}  // namespace

void link_program(GLuint program, const std::function<void()>& link) {
  Context* const context = known_context();
  if (!context || !context->info.feedback || !GL(TransformFeedbackVaryings)) {
    link();
    return;
  }
  const Texts texts = texts_of(program);
  ProgramInfo info = inspect(texts);
  FeedbackPlan plan;
  if (settings().programs) {
    const Operation operation(*context, "the inspection of a program");
    if (!texts[kFragment].empty()) info.fragment_interface = inspect_fragment(*context, texts[kFragment]);
    plan = plan_feedback(*context, info, texts);
  }
  with_program(program, [&](ProgramInfo& known) {
    info.own_feedback = known.own_feedback;
    known = info;
  });
  const bool add = !info.own_feedback && (info.stages & (bit(kVertex) | bit(kEvaluation) | bit(kGeometry))) != 0;
  if (!add) {
    link();
    return;
  }
  if (!plan.names.empty()) {
    auto recorded = link_with(program, texts, plan, link);
    if (!recorded) recorded = link_with(program, texts, accepted_part(program, texts, plan, link), link);
    if (recorded) return with_program(program, [&](ProgramInfo& known) { known.recorded = *recorded; });
  }
  name_varyings(program, {kPosition});
  link();
  if (is_linked(program)) return;
  name_varyings(program, {});  // a varying may be the cause; the application sees the result of the last link
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

VertexStage current_vertex_stage(const Context& context, bool opaque) {
  VertexStage stage;
  const StagePrograms stages = current_stages(context);
  stage.flags = fragment_flags(context, stages[kFragment]);
  read_fragment_stage(context, stages[kFragment], stage);
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
      record_fixed_vertices(context, stage, opaque);
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
  stage.clip_distances = find_program(last).last.clip_distance;
  stage.recorded = find_program(last).recorded;
  const auto add = [&](bool counts, const char* name) {
    const auto is = [&](const RecordedVarying& one) { return one.name == name; };
    if (counts && std::any_of(stage.recorded.begin(), stage.recorded.end(), is)) stage.more.emplace_back(name);
  };
  add(is_enabled(GL_PROGRAM_POINT_SIZE), kPointSize);
  const bool two_sided = context.info.compatibility && is_enabled(GL_VERTEX_PROGRAM_TWO_SIDE);
  add(two_sided, kBackColor);
  add(two_sided, kBackSecondaryColor);
  return stage;
}

GLuint make_vertex_program(const std::string& text, size_t copies) {
  const GLchar* strings[] = {text.c_str()};
  std::vector<std::string> names = {kPosition};
  for (size_t i = 0; i < copies; i++) names.push_back(copied_name(i));
  const auto feedback = [&](GLuint program) {
    name_varyings(program, names);
    place_materials(program);
  };
  const GLuint program = make_program(GL_VERTEX_SHADER, 1, strings, feedback, GL(LinkProgram));
  if (program == 0 || is_linked(program)) return program;
  GL(DeleteProgram)(program);
  return 0;
}

}  // namespace brokkr::capture
