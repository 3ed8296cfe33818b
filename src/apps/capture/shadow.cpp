#include "capture/shadow.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/settings.h"
#include "capture/state_guard.h"

namespace brokkr::capture {

GLint program_value(GLuint program, GLenum name) {
  GLint value = 0;
  GL(GetProgramiv)(program, name, &value);
  return value;
}

bool is_linked(GLuint program) { return program_value(program, GL_LINK_STATUS) == GL_TRUE; }

Stage last_stage(const Texts& texts) {
  return !texts[kGeometry].empty() ? kGeometry : !texts[kEvaluation].empty() ? kEvaluation : kVertex;
}

void attach_shader(GLuint program, GLenum type, const std::string& text) {
  const GLuint shader = GL(CreateShader)(type);
  const GLchar* const strings[] = {text.c_str()};
  GL(ShaderSource)(shader, 1, strings, nullptr);
  GL(CompileShader)(shader);
  GL(AttachShader)(program, shader);
  GL(DeleteShader)(shader);
}

namespace {

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

// Plans that an additional vertex shader copies a built-in varying.
void plan_copy(FeedbackPlan& plan, const std::string& built_in) {
  plan.names.push_back(copied_name(plan.built_ins.size()));
  plan.built_ins.push_back(built_in);
  plan.read_as.push_back(built_in);
}

// The built-in varyings that vertex shaders name. One that is never written costs only its space.
std::vector<std::string> written_built_ins(const std::vector<std::string>& texts) {
  constexpr size_t kCoordinates = 8;
  constexpr std::string_view kCoordinate = "gl_TexCoord";
  bool color = false, second = false, fog = false;
  std::array<bool, kCoordinates> coordinates{};
  for (const std::string& text : texts) {
    color = color || text.find("gl_FrontColor") != std::string::npos;
    second = second || text.find("gl_FrontSecondaryColor") != std::string::npos;
    fog = fog || text.find("gl_FogFragCoord") != std::string::npos;
    for (size_t place = text.find(kCoordinate); place != std::string::npos; place = text.find(kCoordinate, place + 1)) {
      const size_t index = text.find_first_not_of(" \t[", place + kCoordinate.size());
      const size_t number = index == std::string::npos ? kCoordinates : size_t(text[index]) - '0';
      if (number < kCoordinates) {
        coordinates[number] = true;
      } else {
        coordinates.fill(true);  // any element
      }
    }
  }
  std::vector<std::string> names;
  if (color) names.emplace_back("gl_Color");
  if (second) names.emplace_back("gl_SecondaryColor");
  if (fog) names.emplace_back("gl_FogFragCoord");
  for (size_t i = 0; i < kCoordinates; i++) {
    if (coordinates[i]) names.push_back("gl_TexCoord[" + std::to_string(i) + "]");
  }
  return names;
}

// Plans the inputs of the fragment shader.
FeedbackPlan plan_inputs(const Context& context, const ProgramInfo& info) {
  const Texts& texts = info.texts;
  FeedbackPlan plan;
  const Stage last = last_stage(texts);
  if (!info.fragment_interface) {
    // A program pipeline, fixed-function fragments or assembly, which may read anything.
    if (!texts[kFragment].empty()) return plan;
    plan.names = vertex_outputs(context, kStageTypes[last], texts[last]);
    plan.read_as = plan.names;
    if (last == kVertex && context.info.compatibility) {
      for (const std::string& name : written_built_ins(texts[kVertex])) plan_copy(plan, name);
    }
    return plan;
  }
  if (!info.fragment_interface->problem.empty()) return plan;
  // An input that is never written has no value in GL, and feedback rejects its name.
  const std::vector<std::string> written = vertex_outputs(context, kStageTypes[last], texts[last]);
  for (const ProgramVarying& varying : info.fragment_interface->program.varyings) {
    if (is_built_in(varying.name)) {
      if (last != kVertex) return {};
      plan_copy(plan, varying.name);
    } else if (written.empty() || std::find(written.begin(), written.end(), varying.name) != written.end()) {
      plan.names.push_back(varying.name);
      plan.read_as.push_back(varying.name);
    }
  }
  return plan;
}

// The layer's copy of gl_CullDistance. When feedback names that itself, Mesa 22.3 crashes.
constexpr const char* kCullCopy = "brokkr_cull";

// The number of cull distances that can be recorded: those of a single vertex shader.
size_t culled_size(const ProgramInfo& info) {
  const std::vector<std::string>& texts = info.texts[kVertex];
  return info.last.cull_distance && last_stage(info.texts) == kVertex && texts.size() == 1
             ? cull_distance_size(texts.front())
             : 0;
}

// Plans those inputs, and the outputs that give distances to clip planes, point sizes, and colours of back faces.
FeedbackPlan plan_feedback(const Context& context, const ProgramInfo& info) {
  const Texts& texts = info.texts;
  FeedbackPlan plan = plan_inputs(context, info);
  if (info.last.point_size) {
    plan.names.emplace_back(kPointSize);
    plan.read_as.emplace_back(kPointSize);
  }
  const bool old = last_stage(texts) == kVertex;  // with built-in varyings
  if (old && info.vertex.back_color) plan_copy(plan, kBackColor);
  if (old && info.vertex.back_secondary_color) plan_copy(plan, kBackSecondaryColor);
  if (info.last.clip_distance) {
    plan.names.emplace_back("gl_ClipDistance");
    plan.read_as.emplace_back("gl_ClipDistance");
  } else if (info.vertex.clip_vertex && old) {
    plan_copy(plan, "gl_ClipVertex");
  }
  const auto record = [&](bool writes, const char* name) {
    if (!writes) return;
    plan.names.emplace_back(name);
    plan.read_as.emplace_back(name);
  };
  if (culled_size(info) > 0) {
    plan.names.emplace_back(kCullCopy);
    plan.read_as.emplace_back("gl_CullDistance");
  }
  record(info.last.layer, "gl_Layer");
  record(info.last.viewport_index, "gl_ViewportIndex");
  return plan;
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

// A program with the stages before rasterization of `original`; not linked. In OpenGL ES, only separable programs link
// without a fragment shader.
GLuint make_shadow(const Context& context, const ProgramInfo& info, GLuint original,
                   const std::vector<std::string>& built_ins) {
  const GLuint program = GL(CreateProgram)();
  if (info.separable || context.info.es) GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
  for (const Stage stage : {kVertex, kControl, kEvaluation, kGeometry}) {
    if (stage == kVertex && !built_ins.empty() && !info.texts[stage].empty()) {
      attach_copying_shaders(program, info.texts[stage], built_ins);
      continue;
    }
    const size_t culls = stage == kVertex && built_ins.empty() ? culled_size(info) : 0;
    for (const std::string& text : info.texts[stage])
      attach_shader(program, kStageTypes[stage], culls > 0 ? with_cull_copy(text, kCullCopy, culls) : text);
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

}  // namespace

void add_shadow(const Context& context, GLuint original, ProgramInfo& info) {
  if (std::exchange(info.has_shadow, true)) return;
  Restore restore;
  leave_feedback(context, restore);
  const FeedbackPlan plan = settings().programs ? plan_feedback(context, info) : FeedbackPlan{};
  info.shadow = make_shadow(context, info, original, plan.built_ins);
  auto recorded = link_with(info.shadow, plan);
  info.records_all = recorded.has_value();
  if (!recorded && !plan.names.empty()) recorded = link_with(info.shadow, accepted_part(info.shadow, plan));
  if (!recorded && !plan.built_ins.empty()) {
    GL(DeleteProgram)(info.shadow);
    info.shadow = make_shadow(context, info, original, {});
    recorded = link_with(info.shadow, {});
  }
  if (!recorded) {
    GL(DeleteProgram)(std::exchange(info.shadow, 0));
    return;
  }
  info.recorded = *recorded;
  info.uniforms = copied_uniforms(original, info.shadow);
}

namespace {

template <typename T, typename Get, typename... Set>
void copy_vector(GLuint original, const CopiedUniform& uniform, uint32_t components, Get get, Set... set) {
  const std::array setters = {set...};
  std::array<T, 16> values{};
  get(original, uniform.from, values.data());
  setters[components - 1](uniform.to, 1, values.data());
}

}  // namespace

void copy_uniform(GLuint original, const CopiedUniform& uniform) {
  if (uniform.type >= GL_DOUBLE_VEC2 && uniform.type <= GL_DOUBLE_VEC4) {
    return copy_vector<GLdouble>(original, uniform, uniform.type - GL_DOUBLE_VEC2 + 2, GL(GetUniformdv), GL(Uniform1dv),
                                 GL(Uniform2dv), GL(Uniform3dv), GL(Uniform4dv));
  }
  if (uniform.type == GL_DOUBLE) return copy_vector<GLdouble>(original, uniform, 1, GL(GetUniformdv), GL(Uniform1dv));
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
    GL(GetUniformfv)(original, uniform.from, values.data());
    return setter(uniform.to, 1, GL_FALSE, values.data());
  }
  if (type && *type < ShaderType::i32) {
    return copy_vector<GLfloat>(original, uniform, shape.components(), GL(GetUniformfv), GL(Uniform1fv), GL(Uniform2fv),
                                GL(Uniform3fv), GL(Uniform4fv));
  }
  if (type && *type >= ShaderType::u32 && *type <= ShaderType::uvec4) {
    return copy_vector<GLuint>(original, uniform, shape.components(), GL(GetUniformuiv), GL(Uniform1uiv),
                               GL(Uniform2uiv), GL(Uniform3uiv), GL(Uniform4uiv));
  }
  // Integers, booleans, and the units of samplers and images.
  copy_vector<GLint>(original, uniform, type ? shape.components() : 1, GL(GetUniformiv), GL(Uniform1iv), GL(Uniform2iv),
                     GL(Uniform3iv), GL(Uniform4iv));
}

void copy_bindings(const Context& context, GLuint original, GLuint shadow) {
  std::array<char, 512> name{};
  const GLint blocks = context.info.uniform_buffers ? program_value(shadow, GL_ACTIVE_UNIFORM_BLOCKS) : 0;
  for (GLint i = 0; i < blocks; i++) {
    const auto block = static_cast<GLuint>(i);
    GL(GetActiveUniformBlockName)(shadow, block, GLsizei(name.size()), nullptr, name.data());
    const GLuint index = GL(GetUniformBlockIndex)(original, name.data());
    if (index == GL_INVALID_INDEX) continue;
    GLint binding = 0;
    GL(GetActiveUniformBlockiv)(original, index, GL_UNIFORM_BLOCK_BINDING, &binding);
    GL(UniformBlockBinding)(shadow, block, static_cast<GLuint>(binding));
  }
  if (!context.info.interface_query || context.info.version < 43) return;
  GLint storages = 0;
  GL(GetProgramInterfaceiv)(shadow, GL_SHADER_STORAGE_BLOCK, GL_ACTIVE_RESOURCES, &storages);
  for (GLint i = 0; i < storages; i++) {
    const auto block = static_cast<GLuint>(i);
    GL(GetProgramResourceName)(shadow, GL_SHADER_STORAGE_BLOCK, block, GLsizei(name.size()), nullptr, name.data());
    const GLuint index = GL(GetProgramResourceIndex)(original, GL_SHADER_STORAGE_BLOCK, name.data());
    if (index == GL_INVALID_INDEX) continue;
    constexpr GLenum kBinding = GL_BUFFER_BINDING;
    GLint binding = 0;
    GL(GetProgramResourceiv)(original, GL_SHADER_STORAGE_BLOCK, index, 1, &kBinding, 1, nullptr, &binding);
    GL(ShaderStorageBlockBinding)(shadow, block, static_cast<GLuint>(binding));
  }
}

GLuint make_vertex_program(const Context& context, const std::string& text, size_t copies, GLuint original) {
  Restore restore;
  leave_feedback(context, restore);
  std::vector<std::string> names = {kPosition};
  for (size_t i = 0; i < copies; i++) names.push_back(copied_name(i));
  const GLuint program = GL(CreateProgram)();
  if (context.info.es) GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
  attach_shader(program, GL_VERTEX_SHADER, text);
  name_varyings(program, names);
  if (original != 0) {
    place_attributes(original, program);
  } else {
    place_materials(program);
  }
  GL(LinkProgram)(program);
  if (is_linked(program)) return program;
  GL(DeleteProgram)(program);
  return 0;
}

}  // namespace brokkr::capture
