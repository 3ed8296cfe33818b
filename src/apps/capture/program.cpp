#include "capture/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
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

// The texts of a program's shaders, by stage.
using Texts = std::array<std::vector<std::string>, kStages>;

// An element of a uniform in the application's program and in the layer's.
struct CopiedUniform {
  GLenum type = GL_NONE;
  GLint from = -1, to = -1;
};

// What the last successful link made. Recorded frames alone fill in what follows the texts, under capture_mutex().
struct ProgramInfo {
  Texts texts;
  bool separable = false;

  bool is_inspected = false;
  ShaderUse vertex, fragment;
  bool stores = false;  // whether a stage before rasterization stores to memory
  ShaderUse last;       // of the last stage before rasterization
  std::shared_ptr<const FragmentInterface> fragment_interface;

  bool has_shadow = false;
  GLuint shadow = 0;  // 0: the driver rejects it
  std::vector<RecordedVarying> recorded;
  std::vector<CopiedUniform> uniforms;
};
using KnownProgram = std::shared_ptr<ProgramInfo>;

struct Programs {
  std::mutex mutex;
  std::map<std::pair<uint64_t, GLuint>, KnownProgram> of_name;
  std::map<std::vector<std::byte>, KnownProgram> of_binary;  // those that this process has read
  std::vector<std::pair<uint64_t, GLuint>> orphans;          // layer's programs whose originals were linked again
};
Programs& programs() {
  static auto* const result = new Programs;  // never destroyed: threads may still link while the process exits
  return *result;
}

uint64_t current_group() {
  const Context* context = current_context();
  return context ? context->share_group : 0;
}

// Null for a program that is not known, or was linked without texts.
KnownProgram find_program(GLuint program) {
  const uint64_t group = current_group();
  const std::lock_guard lock(programs().mutex);
  const auto found = programs().of_name.find({group, program});
  return found == programs().of_name.end() ? nullptr : found->second;
}

void set_program(GLuint program, KnownProgram info) {
  const uint64_t group = current_group();
  const std::lock_guard lock(programs().mutex);
  KnownProgram& known = programs().of_name[{group, program}];
  if (known && known->shadow != 0) programs().orphans.emplace_back(group, std::exchange(known->shadow, 0));
  known = std::move(info);
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

uint32_t stages_of(const ProgramInfo& info) {
  uint32_t stages = 0;
  for (size_t i = 0; i < kStages; i++) stages |= info.texts[i].empty() ? 0 : 1u << i;
  return stages;
}

void inspect(const Context& context, ProgramInfo& info) {
  if (std::exchange(info.is_inspected, true)) return;
  const auto joined = [&](Stage stage) {
    std::string all;
    for (const std::string& part : info.texts[stage]) all += part + "\n";
    return all;
  };
  for (const Stage stage : {kControl, kEvaluation, kGeometry}) {
    for (const std::string& text : info.texts[stage]) info.stores |= scan_shader(text).stores;
  }
  info.vertex = scan_shader(joined(kVertex));
  info.last = scan_shader(joined(last_stage(info.texts)));
  info.stores |= info.vertex.stores;
  info.fragment = scan_shader(joined(kFragment));
  if (settings().programs && !info.texts[kFragment].empty())
    info.fragment_interface = inspect_fragment(context, info.texts[kFragment]);
}

bool is_linked(GLuint program) { return program_value(program, GL_LINK_STATUS) == GL_TRUE; }

void name_varyings(GLuint program, const std::vector<std::string>& names) {
  std::vector<const GLchar*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  GL(TransformFeedbackVaryings)
  (program, static_cast<GLsizei>(texts.size()), texts.data(), GL_INTERLEAVED_ATTRIBS);
}

constexpr const char* kPosition = "gl_Position";

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

// Feedback varyings for a link, after gl_Position, and their names in fragment shaders.
struct FeedbackPlan {
  std::vector<std::string> names, read_as;
  std::vector<std::string> built_ins;  // the entries of read_as that an additional vertex shader copies
};

// Plans the inputs of the fragment shader.
FeedbackPlan plan_inputs(const Context& context, const ProgramInfo& info) {
  const Texts& texts = info.texts;
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
FeedbackPlan plan_feedback(const Context& context, const ProgramInfo& info) {
  const Texts& texts = info.texts;
  FeedbackPlan plan = plan_inputs(context, info);
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

void attach_shader(GLuint program, GLenum type, const std::string& text) {
  const GLuint shader = GL(CreateShader)(type);
  const GLchar* const strings[] = {text.c_str()};
  GL(ShaderSource)(shader, 1, strings, nullptr);
  GL(CompileShader)(shader);
  GL(AttachShader)(program, shader);
  GL(DeleteShader)(shader);  // deleted together with the program
}

// The application's vertex shaders with main renamed, and a main that calls it and copies built-in varyings.
void attach_copying_shaders(GLuint program, const std::vector<std::string>& texts,
                            const std::vector<std::string>& built_ins) {
  for (const std::string& text : texts)
    attach_shader(program, GL_VERTEX_SHADER, with_renamed_main(text, "brokkr_main"));
  const char* const out = shader_version(texts.front()) < 130 ? "varying" : "out";
  std::string declarations, copies;
  for (size_t i = 0; i < built_ins.size(); i++) {
    const char* const type = is_scalar(built_ins[i]) ? "float" : "vec4";
    declarations += std::string(out) + " " + type + " " + copied_name(i) + ";\n";
    copies += "  " + copied_name(i) + " = " + vertex_expression(built_ins[i]) + ";\n";
  }
  attach_shader(program, GL_VERTEX_SHADER,
                std::string(version_line(texts.front())) + "\nvoid brokkr_main();\n" + declarations +
                    "void main() {\n  brokkr_main();\n" + copies + "}\n");
}

// Gives the attributes of `program` the locations that they have in `original`.
void place_attributes(GLuint original, GLuint program) {
  std::string name(static_cast<size_t>(std::max(program_value(original, GL_ACTIVE_ATTRIBUTE_MAX_LENGTH), 1)), '\0');
  const GLint count = program_value(original, GL_ACTIVE_ATTRIBUTES);
  for (GLint i = 0; i < count; i++) {
    GLint size = 0;
    GLenum type = GL_NONE;
    GLsizei length = 0;
    GL(GetActiveAttrib)
    (original, static_cast<GLuint>(i), static_cast<GLsizei>(name.size()), &length, &size, &type, name.data());
    std::string plain(name, 0, static_cast<size_t>(length));
    const GLint location = GL(GetAttribLocation)(original, plain.c_str());
    if (plain.ends_with("[0]")) plain.resize(plain.size() - 3);
    if (location >= 0) GL(BindAttribLocation)(program, static_cast<GLuint>(location), plain.c_str());
  }
}

// A program with the stages before rasterization of `original`; not linked.
GLuint make_shadow(const ProgramInfo& info, GLuint original, const std::vector<std::string>& built_ins) {
  const GLuint program = GL(CreateProgram)();
  if (info.separable) GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
  for (const Stage stage : {kVertex, kControl, kEvaluation, kGeometry}) {
    if (stage == kVertex && !built_ins.empty() && !info.texts[stage].empty()) {
      attach_copying_shaders(program, info.texts[stage], built_ins);
      continue;
    }
    for (const std::string& text : info.texts[stage]) attach_shader(program, kStageTypes[stage], text);
  }
  if (!info.texts[kVertex].empty()) place_attributes(original, program);
  return program;
}

// Links with these varyings; empty if that fails.
std::optional<std::vector<RecordedVarying>> link_with(GLuint program, const FeedbackPlan& plan) {
  std::vector<std::string> names = {kPosition};
  names.insert(names.end(), plan.names.begin(), plan.names.end());
  name_varyings(program, names);
  GL(LinkProgram)(program);
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
    const KnownProgram known = find_program(program);
    const uint32_t bits = known ? stages_of(*known) : 0;
    // If no stages are known, it was linked from shaders without text.
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
    const KnownProgram known = find_program(program);
    if (!known) return 0;
    inspect(context, *known);
    const ShaderUse use = known->fragment;
    return (use.discard ? kFragmentDiscard : 0u) | (use.fragment_depth ? kFragmentDepth : 0u);
  }
  const bool assembly = context.info.arb_fragment_program && is_enabled(GL_FRAGMENT_PROGRAM_ARB);
  return assembly ? assembly_flags() : 0;
}

// The varyings of a plan that a link accepts one at a time, after it rejected all of them together.
FeedbackPlan accepted_part(GLuint program, const FeedbackPlan& plan) {
  FeedbackPlan accepted{.built_ins = plan.built_ins};
  for (size_t i = 0; i < plan.names.size(); i++) {
    if (!link_with(program, {{plan.names[i]}, {plan.read_as[i]}, {}})) continue;
    accepted.names.push_back(plan.names[i]);
    accepted.read_as.push_back(plan.read_as[i]);
  }
  return accepted;
}

std::string element_name(const std::string& name, GLint element) {
  const bool is_array = name.ends_with("[0]");
  return is_array ? name.substr(0, name.size() - 3) + "[" + std::to_string(element) + "]" : name;
}

// The uniforms of the layer's program outside of blocks, and where the application's has them.
std::vector<CopiedUniform> copied_uniforms(GLuint original, GLuint shadow) {
  std::vector<CopiedUniform> all;
  std::string buffer(static_cast<size_t>(std::max(program_value(shadow, GL_ACTIVE_UNIFORM_MAX_LENGTH), 1)), '\0');
  const GLint count = program_value(shadow, GL_ACTIVE_UNIFORMS);
  for (GLint i = 0; i < count; i++) {
    GLint size = 0;
    GLenum type = GL_NONE;
    GLsizei length = 0;
    GL(GetActiveUniform)
    (shadow, static_cast<GLuint>(i), static_cast<GLsizei>(buffer.size()), &length, &size, &type, buffer.data());
    const std::string name(buffer, 0, static_cast<size_t>(length));
    for (GLint element = 0; element < size; element++) {
      const std::string full = element_name(name, element);
      const CopiedUniform uniform{type, GL(GetUniformLocation)(original, full.c_str()),
                                  GL(GetUniformLocation)(shadow, full.c_str())};
      if (uniform.from >= 0 && uniform.to >= 0) all.push_back(uniform);
    }
  }
  return all;
}

// While feedback of the application's is active, programs cannot be linked with varyings.
void leave_feedback(const Context& context, Restore& restore) {
  if (!context.info.feedback_objects || get_integer(GL_TRANSFORM_FEEDBACK_ACTIVE) == 0) return;
  if (get_integer(GL_TRANSFORM_FEEDBACK_PAUSED) == 0) {
    GL(PauseTransformFeedback)();
    restore.add([] { GL(ResumeTransformFeedback)(); });
  }
  GLuint other = 0;
  GL(GenTransformFeedbacks)(1, &other);
  restore.add([other] { GL(DeleteTransformFeedbacks)(1, &other); });
  restore.bind(GL_TRANSFORM_FEEDBACK, other);
}

// Makes the layer's own program for `original`, with transform feedback of positions and of what fragments read.
void add_shadow(const Context& context, GLuint original, ProgramInfo& info) {
  inspect(context, info);
  if (std::exchange(info.has_shadow, true)) return;
  Restore restore;
  leave_feedback(context, restore);
  const FeedbackPlan plan = settings().programs ? plan_feedback(context, info) : FeedbackPlan{};
  info.shadow = make_shadow(info, original, plan.built_ins);
  auto recorded = link_with(info.shadow, plan);
  if (!recorded && !plan.names.empty()) recorded = link_with(info.shadow, accepted_part(info.shadow, plan));
  if (!recorded && !plan.built_ins.empty()) {
    GL(DeleteProgram)(info.shadow);
    info.shadow = make_shadow(info, original, {});
    recorded = link_with(info.shadow, {});
  }
  if (!recorded) {
    GL(DeleteProgram)(std::exchange(info.shadow, 0));
    return;
  }
  info.recorded = *recorded;
  info.uniforms = copied_uniforms(original, info.shadow);
}

template <typename T, typename Get, typename... Set>
void copy_vector(GLuint from, const CopiedUniform& uniform, uint32_t components, Get get, Set... set) {
  const std::array setters = {set...};
  std::array<T, 16> values{};
  get(from, uniform.from, values.data());
  setters[components - 1](uniform.to, 1, values.data());
}

// Copies one element to the current program.
void copy_uniform(GLuint from, const CopiedUniform& uniform) {
  if (uniform.type >= GL_DOUBLE_VEC2 && uniform.type <= GL_DOUBLE_VEC4) {
    return copy_vector<GLdouble>(from, uniform, uniform.type - GL_DOUBLE_VEC2 + 2, GL(GetUniformdv), GL(Uniform1dv),
                                 GL(Uniform2dv), GL(Uniform3dv), GL(Uniform4dv));
  }
  if (uniform.type == GL_DOUBLE) return copy_vector<GLdouble>(from, uniform, 1, GL(GetUniformdv), GL(Uniform1dv));
  const std::optional<ShaderType> type = shader_type(uniform.type);
  const ShaderShape shape = type ? shape_of(*type) : ShaderShape{};
  if (type && shape.columns > 1) {
    const auto setter = [&] {
      switch (uniform.type) {
        case GL_FLOAT_MAT2: return GL(UniformMatrix2fv);
        case GL_FLOAT_MAT3: return GL(UniformMatrix3fv);
        case GL_FLOAT_MAT4: return GL(UniformMatrix4fv);
        case GL_FLOAT_MAT2x3: return GL(UniformMatrix2x3fv);
        case GL_FLOAT_MAT2x4: return GL(UniformMatrix2x4fv);
        case GL_FLOAT_MAT3x2: return GL(UniformMatrix3x2fv);
        case GL_FLOAT_MAT3x4: return GL(UniformMatrix3x4fv);
        case GL_FLOAT_MAT4x2: return GL(UniformMatrix4x2fv);
        default: return GL(UniformMatrix4x3fv);
      }
    }();
    std::array<GLfloat, 16> values{};
    GL(GetUniformfv)(from, uniform.from, values.data());
    return setter(uniform.to, 1, GL_FALSE, values.data());
  }
  if (type && *type < ShaderType::i32) {
    return copy_vector<GLfloat>(from, uniform, shape.components(), GL(GetUniformfv), GL(Uniform1fv), GL(Uniform2fv),
                                GL(Uniform3fv), GL(Uniform4fv));
  }
  if (type && *type >= ShaderType::u32 && *type <= ShaderType::uvec4) {
    return copy_vector<GLuint>(from, uniform, shape.components(), GL(GetUniformuiv), GL(Uniform1uiv), GL(Uniform2uiv),
                               GL(Uniform3uiv), GL(Uniform4uiv));
  }
  // Integers, booleans, and the units of samplers and images.
  copy_vector<GLint>(from, uniform, type ? shape.components() : 1, GL(GetUniformiv), GL(Uniform1iv), GL(Uniform2iv),
                     GL(Uniform3iv), GL(Uniform4iv));
}

// Gives the blocks of `to` the bindings that those of the same name have in `from`.
void copy_bindings(const Context& context, GLuint from, GLuint to) {
  std::array<char, 512> name{};
  const GLint blocks = context.info.uniform_buffers ? program_value(to, GL_ACTIVE_UNIFORM_BLOCKS) : 0;
  for (GLint i = 0; i < blocks; i++) {
    const auto block = static_cast<GLuint>(i);
    GL(GetActiveUniformBlockName)(to, block, GLsizei(name.size()), nullptr, name.data());
    const GLuint index = GL(GetUniformBlockIndex)(from, name.data());
    if (index == GL_INVALID_INDEX) continue;
    GLint binding = 0;
    GL(GetActiveUniformBlockiv)(from, index, GL_UNIFORM_BLOCK_BINDING, &binding);
    GL(UniformBlockBinding)(to, block, static_cast<GLuint>(binding));
  }
  if (!context.info.interface_query || context.info.version < 43) return;
  GLint storages = 0;
  GL(GetProgramInterfaceiv)(to, GL_SHADER_STORAGE_BLOCK, GL_ACTIVE_RESOURCES, &storages);
  for (GLint i = 0; i < storages; i++) {
    const auto block = static_cast<GLuint>(i);
    GL(GetProgramResourceName)(to, GL_SHADER_STORAGE_BLOCK, block, GLsizei(name.size()), nullptr, name.data());
    const GLuint index = GL(GetProgramResourceIndex)(from, GL_SHADER_STORAGE_BLOCK, name.data());
    if (index == GL_INVALID_INDEX) continue;
    constexpr GLenum kBinding = GL_BUFFER_BINDING;
    GLint binding = 0;
    GL(GetProgramResourceiv)(from, GL_SHADER_STORAGE_BLOCK, index, 1, &kBinding, 1, nullptr, &binding);
    GL(ShaderStorageBlockBinding)(to, block, static_cast<GLuint>(binding));
  }
}

// Reads what runs for the draw's fragments, if files can hold it.
void read_fragment_stage(const Context& context, GLuint program, VertexStage& stage) {
  if (!settings().programs) return;
  if (program != 0) {
    stage.fragment_program = program;
    if (const KnownProgram known = find_program(program)) {
      inspect(context, *known);
      stage.fragment = known->fragment_interface;
    }
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

void program_created(GLuint program) { set_program(program, nullptr); }

void program_linked(GLuint program) {
  if (GL(IsProgram)(program) == GL_FALSE || !is_linked(program)) return;
  auto info = std::make_shared<ProgramInfo>();
  info->texts = texts_of(program);
  const Context* const context = known_context();
  info->separable = context && context->info.pipelines && program_value(program, GL_PROGRAM_SEPARABLE) == GL_TRUE;
  set_program(program, stages_of(*info) == 0 ? nullptr : std::move(info));
}

void shader_program_created(GLuint program, GLenum type, GLsizei count, const GLchar* const* strings) {
  if (program == 0 || !is_linked(program)) return;
  auto info = std::make_shared<ProgramInfo>();
  std::string text;
  for (GLsizei i = 0; i < count; i++) text += strings[i];
  for (size_t i = 0; i < kStages; i++) {
    if (kStageTypes[i] == type) info->texts[i].push_back(text);
  }
  info->separable = true;
  set_program(program, std::move(info));
}

void binary_read(GLuint program, std::vector<std::byte> binary) {
  KnownProgram info = find_program(program);
  const std::lock_guard lock(programs().mutex);
  if (info) programs().of_binary[std::move(binary)] = std::move(info);
}

bool binary_linked(GLuint program, const std::vector<std::byte>& binary) {
  KnownProgram same;
  {
    const std::lock_guard lock(programs().mutex);
    const auto found = programs().of_binary.find(binary);
    if (found == programs().of_binary.end()) return false;
    same = std::make_shared<ProgramInfo>();
    same->texts = found->second->texts;
    same->separable = found->second->separable;
  }
  set_program(program, std::move(same));
  return true;
}

void delete_shadows(const Context& context) {
  const std::lock_guard lock(programs().mutex);
  for (auto& [name, program] : programs().of_name) {
    if (name.first != context.share_group || !program || program->shadow == 0) continue;
    GL(DeleteProgram)(std::exchange(program->shadow, 0));
    program->has_shadow = false;
  }
  std::erase_if(programs().orphans, [&](const std::pair<uint64_t, GLuint>& orphan) {
    if (orphan.first != context.share_group) return false;
    GL(DeleteProgram)(orphan.second);
    return true;
  });
}

void use_shadow(const Context& context, const VertexStage& stage, Restore& restore) {
  restore.use_program(0);
  const bool one = std::all_of(stage.stages.begin(), stage.stages.end(),
                               [&](const ShadowStage& part) { return part.shadow == stage.stages.front().shadow; });
  for (const ShadowStage& part : stage.stages) {
    const KnownProgram known = find_program(part.original);
    GL(UseProgram)(part.shadow);
    for (size_t i = 0; known && i < known->uniforms.size(); i++) copy_uniform(part.original, known->uniforms[i]);
    copy_bindings(context, part.original, part.shadow);
    if (one) {
      restore.set_subroutines();
      return;
    }
  }
  GL(UseProgram)(0);
  GLuint pipeline = 0;
  GL(GenProgramPipelines)(1, &pipeline);
  restore.add([pipeline, bound = get_name(GL_PROGRAM_PIPELINE_BINDING)] {
    GL(BindProgramPipeline)(bound);
    GL(DeleteProgramPipelines)(1, &pipeline);
  });
  GL(BindProgramPipeline)(pipeline);
  for (const ShadowStage& part : stage.stages) GL(UseProgramStages)(pipeline, part.bits, part.shadow);
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
  constexpr std::array<GLbitfield, 4> kStageBits = {GL_VERTEX_SHADER_BIT, GL_TESS_CONTROL_SHADER_BIT,
                                                    GL_TESS_EVALUATION_SHADER_BIT, GL_GEOMETRY_SHADER_BIT};
  for (const Stage which : {kVertex, kControl, kEvaluation, kGeometry}) {
    const GLuint program = stages[which];
    if (program == 0) continue;
    const KnownProgram known = find_program(program);
    if (!known) {
      stage.reason = "the program was linked without texts (a binary or SPIR-V)";
      return stage;
    }
    add_shadow(context, program, *known);
    if (known->shadow == 0) {
      stage.reason = "the driver does not link the program with feedback of its positions";
      return stage;
    }
    if (known->stores) {
      stage.reason = "a vertex stage that stores to buffers or images, and would again in a second run";
      return stage;
    }
    stage.stages.push_back({program, known->shadow, kStageBits[which]});
  }
  const KnownProgram of_last = find_program(last);
  stage.kind = VertexStage::Kind::program;
  stage.expands = stages[kGeometry] != 0 || stages[kEvaluation] != 0;
  if (stages[kGeometry]) {
    stage.primitive = geometry_primitive(last);
  } else if (stages[kEvaluation]) {
    stage.primitive = evaluation_primitive(last);
  }
  stage.draw_id = stages[kVertex] != 0 && find_program(stages[kVertex])->vertex.draw_id;
  stage.clip_distances = of_last->last.clip_distance;
  stage.recorded = of_last->recorded;
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
  std::vector<std::string> names = {kPosition};
  for (size_t i = 0; i < copies; i++) names.push_back(copied_name(i));
  const GLuint program = GL(CreateProgram)();
  attach_shader(program, GL_VERTEX_SHADER, text);
  name_varyings(program, names);
  place_materials(program);
  GL(LinkProgram)(program);
  if (is_linked(program)) return program;
  GL(DeleteProgram)(program);
  return 0;
}

}  // namespace brokkr::capture
