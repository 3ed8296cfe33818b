#include "capture/arb_stage.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "capture/program.h"
#include "capture/shadow.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

std::string assembly_of(GLenum target) {
  GLint length = 0;
  GL(GetProgramivARB)(target, GL_PROGRAM_LENGTH_ARB, &length);
  std::string text(static_cast<size_t>(std::max(length, 0)), '\0');
  if (length > 0) GL(GetProgramStringARB)(target, GL_PROGRAM_STRING_ARB, text.data());
  return text;
}

void make_program(ArbProgram& made) {
  const GLuint program = GL(CreateProgram)();
  if (!made.vertex.text.empty()) attach_shader(program, GL_VERTEX_SHADER, made.vertex.text);
  if (!made.fragment.text.empty()) attach_shader(program, GL_FRAGMENT_SHADER, made.fragment.text);
  for (const int number : made.vertex.attributes)
    GL(BindAttribLocation)(program, static_cast<GLuint>(number), ("arb_attribute_" + std::to_string(number)).c_str());
  GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);  // the stages may not fit, as in assembly
  GL(LinkProgram)(program);
  if (!is_linked(program)) {
    GL(DeleteProgram)(program);
    for (ArbTranslation* const stage : {&made.vertex, &made.fragment}) {
      if (!stage->text.empty()) stage->problem = "an ARB program whose translation the driver does not link";
    }
    return;
  }
  for (const int unit : made.fragment.units) {
    const GLint location = GL(GetUniformLocation)(program, ("arb_texture_" + std::to_string(unit)).c_str());
    if (location >= 0) GL(ProgramUniform1i)(program, location, unit);
  }
  made.program = program;
  program_linked(program);
}

template <typename Get>
void set_parameters(GLuint program, const char* name, int length, GLenum target, Get get) {
  if (length == 0) return;
  const GLint location = GL(GetUniformLocation)(program, name);
  if (location < 0) return;
  std::vector<GLfloat> values(static_cast<size_t>(length) * 4);
  for (int i = 0; i < length; i++) get(target, static_cast<GLuint>(i), &values[static_cast<size_t>(i) * 4]);
  GL(ProgramUniform4fv)(program, location, length, values.data());
}

void set_matrices(GLuint program, int length) {
  const GLint location = length > 0 ? GL(GetUniformLocation)(program, "arb_matrix") : -1;
  if (location < 0) return;
  Restore restore;
  restore.add([mode = get_name(GL_MATRIX_MODE)] { GL(MatrixMode)(mode); });
  std::vector<GLfloat> values(static_cast<size_t>(length) * 16);
  for (int i = 0; i < length; i++) {
    GL(MatrixMode)(GL_MATRIX0_ARB + static_cast<GLenum>(i));
    GL(GetFloatv)(GL_CURRENT_MATRIX_ARB, &values[static_cast<size_t>(i) * 16]);
  }
  GL(ProgramUniformMatrix4fv)(program, location, length, GL_FALSE, values.data());
}

void set_uniforms(const ArbProgram& made) {
  const auto set = [&](const ArbTranslation& stage, const std::string& name, GLenum target) {
    if (stage.text.empty()) return;
    set_parameters(made.program, (name + "env").c_str(), stage.env, target, GL(GetProgramEnvParameterfvARB));
    set_parameters(made.program, (name + "local").c_str(), stage.local, target, GL(GetProgramLocalParameterfvARB));
  };
  set(made.vertex, "arb_vertex_", GL_VERTEX_PROGRAM_ARB);
  set(made.fragment, "arb_fragment_", GL_FRAGMENT_PROGRAM_ARB);
  set_matrices(made.program, std::max(made.vertex.matrices, made.fragment.matrices));
}

}  // namespace

const ArbProgram* current_arb_program(Context& context, bool vertex, bool fragment) {
  vertex = vertex && context.info.arb_vertex_program && is_enabled(GL_VERTEX_PROGRAM_ARB);
  fragment = fragment && context.info.arb_fragment_program && is_enabled(GL_FRAGMENT_PROGRAM_ARB);
  if (!vertex && !fragment) return nullptr;
  const std::pair key(vertex ? assembly_of(GL_VERTEX_PROGRAM_ARB) : "",
                      fragment ? assembly_of(GL_FRAGMENT_PROGRAM_ARB) : "");
  auto& known = context.arb_programs[key];
  if (!known) {
    known = std::make_shared<ArbProgram>();
    const auto is_rejected = [](const std::string& text) { return !text.starts_with("!!ARB"); };
    known->is_rejected = (vertex && is_rejected(key.first)) || (fragment && is_rejected(key.second));
    if (vertex) known->vertex = translate_arb_program(key.first);
    if (fragment) known->fragment = translate_arb_program(key.second);
    if (!known->vertex.text.empty() || !known->fragment.text.empty()) make_program(*known);
  }
  if (known->program != 0) set_uniforms(*known);
  return known.get();
}

void delete_arb_programs(Context& context) {
  for (const auto& [key, known] : context.arb_programs) {
    if (known->program == 0) continue;
    program_created(known->program);  // forgets the program
    GL(DeleteProgram)(known->program);
  }
  context.arb_programs.clear();
}

}  // namespace brokkr::capture
