#include "capture/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/arb_stage.h"
#include "capture/glsl_scan.h"
#include "capture/settings.h"
#include "capture/shadow.h"
#include "capture/state_guard.h"
#include "capture/vertex.h"

namespace brokkr::capture {
namespace {

constexpr uint32_t bit(Stage stage) { return 1u << stage; }

using KnownProgram = std::shared_ptr<ProgramInfo>;

struct Programs {
  std::mutex mutex;
  std::map<std::pair<uint64_t, GLuint>, KnownProgram> of_name;
  std::map<std::vector<std::byte>, KnownProgram> of_binary;  // by content: binaries that this process has read
  // The layer's programs whose originals have been linked again, and the numbers of the contexts that may delete them.
  std::vector<std::pair<uint64_t, GLuint>> orphans;
};
Programs& programs() {
  static auto* const result = new Programs;  // never destroyed: threads may still link while the process exits
  return *result;
}

uint64_t current_group() {
  const Context* context = current_context();
  return context ? context->share_group : 0;
}

// Null for a program that is unknown or was linked without texts.
KnownProgram find_program(GLuint program) {
  const uint64_t group = current_group();
  const std::lock_guard lock(programs().mutex);
  const auto found = programs().of_name.find({group, program});
  return found == programs().of_name.end() ? nullptr : found->second;
}

void set_program(GLuint program, KnownProgram info) {
  const uint64_t group = current_group();
  const std::lock_guard recording(capture_mutex());  // another thread may record a draw with the program
  const std::lock_guard lock(programs().mutex);
  KnownProgram& known = programs().of_name[{group, program}];
  if (known && !known->has_users) {
    if (known->shadow != 0) programs().orphans.emplace_back(known->user, std::exchange(known->shadow, 0));
    if (known->vertex_copy && known->vertex_copy->copier != 0)
      programs().orphans.emplace_back(known->user, std::exchange(known->vertex_copy, nullptr)->copier);
  }
  known = std::move(info);
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

// A text without #version has another meaning in OpenGL ES, so it gets one there.
std::string with_version(const std::string& text) {
  const Context* const context = known_context();
  const bool needs_one = context && context->info.es && version_line(text).empty();
  return needs_one ? "#version 100\n#line 1\n" + text : text;
}

std::string shader_source(GLuint shader) {
  const GLint length = std::max(shader_value(shader, GL_SHADER_SOURCE_LENGTH), 0);
  std::string text(static_cast<size_t>(length), '\0');
  if (length > 0) GL(GetShaderSource)(shader, length, nullptr, text.data());
  text.resize(std::strlen(text.c_str()));  // without the final 0
  return with_version(text);
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

// The program of each stage, or 0: one program for all, or those of the pipeline.
using StagePrograms = std::array<GLuint, kStages>;

// The programs in GLSL.
StagePrograms current_glsl_stages(const Context& context) {
  StagePrograms stages{};
  if (!context.info.glsl) return stages;
  if (const GLuint program = get_name(GL_CURRENT_PROGRAM)) {
    const KnownProgram known = find_program(program);
    const uint32_t bits = known ? stages_of(*known) : 0;
    // If no stages are known, the program was linked from shaders without texts.
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

uint32_t fragment_flags(const Context& context, GLuint program) {
  const KnownProgram known = program != 0 ? find_program(program) : nullptr;
  if (!known) return 0;
  inspect(context, *known);
  const ShaderUse use = known->fragment;
  return (use.discard ? kFragmentDiscard : 0u) | (use.fragment_depth ? kFragmentDepth : 0u);
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
  } else if (context.info.ati_fragment_shader && is_enabled(GL_FRAGMENT_SHADER_ATI)) {
    stage.fragment = std::make_shared<FragmentInterface>(FragmentInterface{.problem = "an ATI fragment shader"});
  } else if (context.info.compatibility) {
    stage.fixed = read_fixed_fragment(context);
  }
}

// Sets `stage.vertex`, or the reason why the file gets the draw's vertices instead.
void use_copy(VertexStage& stage, std::shared_ptr<const VertexCopy> copy, GLuint program) {
  stage.expanded = copy->problem;
  if (!copy->problem.empty()) return;
  stage.vertex = std::move(copy);
  stage.vertex_program = program;
}

void copy_vertices(const Context& context, VertexStage& stage, GLuint program) {
  if (!settings().programs) return;
  if (stage.expands) {
    stage.expanded = "a geometry or tessellation shader";
  } else if (program == 0) {
    stage.expanded = "no vertex shader";
  } else {
    const KnownProgram known = find_program(program);
    if (!known->vertex_copy) known->vertex_copy = copy_of(context, known->texts[kVertex], program, false);
    use_copy(stage, known->vertex_copy, program);
  }
}

// Makes fixed-function vertices provide the inputs of the fragment stage.
void record_fixed_vertices(Context& context, VertexStage& stage, bool opaque) {
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
  if (!settings().programs) return;
  const std::string text = fixed_vertex_text(context, built_ins, opaque, true);
  auto& copy = context.fixed_copies[text];
  if (!copy) copy = copy_of(context, {text}, 0, stage.vertex_materials);
  use_copy(stage, copy, 0);
}

// Sets what a program records, where its vertex program goes, and the outputs that rasterization needs.
void describe_outputs(const Context& context, const StagePrograms& stages, GLuint last, VertexStage& stage) {
  const KnownProgram of_last = find_program(last);
  stage.kind = VertexStage::Kind::program;
  copy_vertices(context, stage, stages[kVertex]);
  stage.draw_id = stages[kVertex] != 0 && find_program(stages[kVertex])->vertex.draw_id;
  stage.clip_distances = of_last->last.clip_distance;
  stage.cull_distances = of_last->last.cull_distance;
  stage.viewport_index = of_last->last.viewport_index;
  stage.layer = of_last->last.layer;
  stage.recorded = of_last->recorded;
  stage.records_all = of_last->records_all;
  const auto add = [&](bool counts, const char* name) {
    const auto is = [&](const RecordedVarying& one) { return one.name == name; };
    if (counts && std::any_of(stage.recorded.begin(), stage.recorded.end(), is)) stage.more.emplace_back(name);
  };
  add(context.info.es || is_enabled(GL_PROGRAM_POINT_SIZE), kPointSize);
  const bool two_sided = context.info.compatibility && is_enabled(GL_VERTEX_PROGRAM_TWO_SIDE);
  add(two_sided, kBackColor);
  add(two_sided, kBackSecondaryColor);
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
    if (kStageTypes[i] == type) info->texts[i].push_back(with_version(text));
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
    if (name.first != context.share_group || !program || program->user != context.number || program->has_users)
      continue;
    if (program->vertex_copy && program->vertex_copy->copier != 0) GL(DeleteProgram)(program->vertex_copy->copier);
    program->vertex_copy = nullptr;
    if (program->shadow == 0) continue;
    GL(DeleteProgram)(std::exchange(program->shadow, 0));
    program->has_shadow = false;
  }
  std::erase_if(programs().orphans, [&](const std::pair<uint64_t, GLuint>& orphan) {
    if (orphan.first != context.number) return false;
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

VertexStage current_vertex_stage(Context& context, bool opaque) {
  VertexStage stage;
  StagePrograms stages = current_glsl_stages(context);
  const ArbProgram* const assembly =
      context.info.glsl ? current_arb_program(context, stages[kVertex] == 0, stages[kFragment] == 0) : nullptr;
  if (assembly && assembly->is_rejected) return stage;
  if (assembly && !assembly->vertex.text.empty()) stages[kVertex] = assembly->program;
  if (assembly && !assembly->fragment.text.empty()) stages[kFragment] = assembly->program;
  stage.flags = fragment_flags(context, stages[kFragment]);
  if (assembly && !assembly->fragment.problem.empty()) {
    stage.fragment = std::make_shared<FragmentInterface>(FragmentInterface{.problem = assembly->fragment.problem});
  } else {
    read_fragment_stage(context, stages[kFragment], stage);
  }
  if (assembly && !assembly->vertex.problem.empty()) {
    stage.reason = assembly->vertex.problem;
    return stage;
  }
  const GLuint last = stages[kGeometry]     ? stages[kGeometry]
                      : stages[kEvaluation] ? stages[kEvaluation]
                                            : stages[kVertex];
  if (last == 0) {
    if (!context.info.compatibility) {
      stage.reason = "no program is in use";
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
    inspect(context, *known);
    add_shadow(context, program, *known);
    known->has_users = known->has_users || (known->user != 0 && known->user != context.number);
    known->user = context.number;
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
  stage.expands = stages[kGeometry] != 0 || stages[kEvaluation] != 0;
  if (stages[kGeometry]) {
    stage.primitive = geometry_primitive(last);
  } else if (stages[kEvaluation]) {
    stage.primitive = evaluation_primitive(last);
  }
  describe_outputs(context, stages, last, stage);
  return stage;
}

}  // namespace brokkr::capture
