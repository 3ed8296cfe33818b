#include "capture/shading.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <tuple>

#include "capture/glsl_scan.h"
#include "capture/read_back.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

constexpr auto kOne = std::bit_cast<uint32_t>(1.0f);

// One element of a uniform, at `location`, column by column.
void read_element(GLuint program, GLint location, ShaderType type, uint32_t* words) {
  const bool natural = type >= ShaderType::u32 && type <= ShaderType::uvec4;
  const bool whole = type >= ShaderType::i32 && type <= ShaderType::bvec4;
  GLint numbers[16] = {};
  GLfloat reals[16] = {};
  if (natural) {
    GL(GetUniformuiv)(program, location, words);
  } else if (whole) {
    GL(GetUniformiv)(program, location, numbers);
    std::memcpy(words, numbers, shape_of(type).components() * sizeof(GLint));
  } else {
    GL(GetUniformfv)(program, location, reals);
    std::memcpy(words, reals, shape_of(type).components() * sizeof(GLfloat));
  }
}

// Elements of an array have their own names, and so do members of a structure.
GLint location_of(GLuint program, const std::string& name, uint32_t element) {
  const std::string full = element == 0 ? name : name + "[" + std::to_string(element) + "]";
  return GL(GetUniformLocation)(program, full.c_str());
}

// Returns true if the sampler reads an array of multisampled textures; files have one kind for both.
bool reads_array_of_samples(GLuint program, const ProgramSampler& sampler) {
  if (sampler.kind != TextureKind::multisampled) return false;
  const char* const name = sampler.name.c_str();
  GLuint index = GL_INVALID_INDEX;
  GL(GetUniformIndices)(program, 1, &name, &index);
  if (index == GL_INVALID_INDEX) return false;
  GLint type = 0;
  GL(GetActiveUniformsiv)(program, 1, &index, GL_UNIFORM_TYPE, &type);
  return type == GL_SAMPLER_2D_MULTISAMPLE_ARRAY || type == GL_INT_SAMPLER_2D_MULTISAMPLE_ARRAY ||
         type == GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY;
}

// The context's current value of a built-in varying, which Mesa's fixed-function fragments read if the vertex program
// does not write it.
std::array<GLfloat, 4> current_value(const std::string& built_in) {
  if (built_in == "gl_Color") return get_floats<4>(GL_CURRENT_COLOR);
  if (built_in == "gl_SecondaryColor") return get_floats<4>(GL_CURRENT_SECONDARY_COLOR);
  if (built_in == "gl_FogFragCoord") return {get_floats<1>(GL_CURRENT_FOG_COORDINATE)[0]};
  const auto unit = static_cast<GLenum>(built_in[std::string_view("gl_TexCoord[").size()] - '0');
  Restore restore;
  restore.add([active = get_name(GL_ACTIVE_TEXTURE)] { GL(ActiveTexture)(active); });
  GL(ActiveTexture)(GL_TEXTURE0 + unit);
  return get_floats<4>(GL_CURRENT_TEXTURE_COORDS);
}

// Adds the further varyings and the stipple of the stage to the program.
FragmentProgram with_more(FragmentProgram program, const VertexStage& stage) {
  if (stage.stipple) {
    program.uniforms.push_back({.name = kStippleUniform,
                                .type = ShaderType::f32,
                                .count = 1024,
                                .offset = static_cast<uint32_t>(uniform_words(program) * 4)});
  }
  for (const std::string& name : stage.more) {
    const auto offset = static_cast<uint32_t>(varying_components(program));
    program.varyings.push_back(
        {.name = name, .type = is_scalar(name) ? ShaderType::f32 : ShaderType::vec4, .count = 1, .offset = offset});
  }
  return program;
}

}  // namespace

bool Shading::note(const std::string& problem) {
  frame_.skipped_reasons["a program that the file does not hold: " + problem]++;
  return false;
}

bool Shading::find_columns(const VertexStage& stage, const FragmentProgram& program, ShadingInputs& out) {
  for (const ProgramVarying& varying : program.varyings) {
    const auto found = std::find_if(stage.recorded.begin(), stage.recorded.end(),
                                    [&](const RecordedVarying& one) { return one.name == varying.name; });
    const uint32_t components = varying.count * shape_of(varying.type).components();
    // Built-in varyings have the value of their copies, if the driver records them.
    const bool known = is_built_in(varying.name) ? stage.records_all && !stage.expands : !stage.recorded.empty();
    const bool unwritten = found == stage.recorded.end() && known;
    if (unwritten) {
      std::array<GLfloat, 4> values{};
      if (stage.fixed && is_built_in(varying.name)) values = current_value(varying.name);
      for (uint32_t i = 0; i < components; i++) out.columns.push_back({kUnwritten, i < 4 ? values[i] : 0});
      continue;
    }
    if (found == stage.recorded.end() || found->components < components) {
      return note("feedback does not record its input " + varying.name);
    }
    for (uint32_t i = 0; i < components; i++) out.columns.push_back({found->offset + i});
  }
  return true;
}

uint64_t Shading::add_uniforms(const std::vector<uint32_t>& words) {
  const auto [found, is_new] = uniforms_.emplace(words, frame_.uniforms.size());
  if (is_new) frame_.uniforms.insert(frame_.uniforms.end(), words.begin(), words.end());
  return found->second;
}

uint64_t Shading::read_uniforms(const Context& context, const auto& program, GLuint name,
                                const std::optional<StipplePattern>& pattern) {
  std::vector<uint32_t> words(static_cast<size_t>(uniform_words(program)));
  for (const ProgramUniform& uniform : program.uniforms) {
    if (uniform.block >= 0) continue;
    uint32_t* const first = words.data() + uniform.offset / 4;
    if (pattern && uniform.name == kStippleUniform) {
      for (size_t i = 0; i < 1024; i++) first[i] = ((*pattern)[i / 32] >> (31 - i % 32) & 1) != 0 ? kOne : 0;
      continue;
    }
    if (uniform.name.starts_with("gl_")) {
      if (!read_built_in(context, uniform, first)) {
        frame_.skipped_reasons["built-in state that the file does not hold, written as 0: " + uniform.name]++;
      }
      continue;
    }
    const uint32_t components = shape_of(uniform.type).components();
    for (uint32_t i = 0; i < uniform.count; i++) {
      const GLint location = location_of(name, uniform.name, i);
      if (location >= 0) read_element(name, location, uniform.type, first + size_t(i) * components);
    }
  }
  return add_uniforms(words);
}

// Reads the bytes of the buffer bound for the block; 0 beyond its end.
uint64_t Shading::read_block(const Context& context, const ProgramBlock& block, GLuint name) {
  std::vector<uint32_t> words(block.size / 4);
  const GLuint index = GL(GetUniformBlockIndex)(name, block.name.c_str());
  if (index == GL_INVALID_INDEX) return add_uniforms(words);
  GLint binding = 0, buffer = 0;
  GLint64 start = 0, size = 0;
  GL(GetActiveUniformBlockiv)(name, index, GL_UNIFORM_BLOCK_BINDING, &binding);
  const auto place = static_cast<GLuint>(binding);
  GL(GetIntegeri_v)(GL_UNIFORM_BUFFER_BINDING, place, &buffer);
  GL(GetInteger64i_v)(GL_UNIFORM_BUFFER_START, place, &start);
  GL(GetInteger64i_v)(GL_UNIFORM_BUFFER_SIZE, place, &size);
  if (buffer == 0) return add_uniforms(words);
  Restore restore;
  restore.bind(GL_COPY_READ_BUFFER, static_cast<GLuint>(buffer));
  const uint64_t wanted = size > 0 ? std::min<uint64_t>(static_cast<uint64_t>(size), block.size) : block.size;
  const std::vector<std::byte> bytes =
      read_buffer(context, GL_COPY_READ_BUFFER, static_cast<uint64_t>(std::max<GLint64>(start, 0)), wanted);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), std::min(bytes.size(), words.size() * 4));
  return add_uniforms(words);
}

std::optional<ShadingInputs> Shading::read(const Context& context, const VertexStage& stage) {
  ShadingInputs out;
  if (stage.fixed) {
    for (const std::string& what : stage.fixed->notes) frame_.skipped_reasons[what]++;
    const FragmentProgram program = with_more(stage.fixed->program, stage);
    if (!find_columns(stage, program, out)) return std::nullopt;
    out.draw.program = programs_.number_of(program, frame_.programs);
    if (stage.stipple) out.draw.first_uniform = read_uniforms(context, program, 0, stage.stipple);
    for (size_t i = 0; i < program.samplers.size(); i++) {
      out.draw.textures.push_back(textures_.read(context, program.samplers[i].kind, program.fixed->units[i].unit));
    }
    return out;
  }
  if (!stage.fragment) return std::nullopt;
  if (!stage.fragment->problem.empty()) {
    note(stage.fragment->problem);
    return std::nullopt;
  }
  const std::tuple key(stage.fragment.get(), stage.moves_point_coord, stage.stipple.has_value(), stage.more);
  const auto [known, is_new] = known_.emplace(key, Known{stage.fragment});
  if (is_new) {
    FragmentProgram made = with_more(stage.fragment->program, stage);
    for (std::string& text : made.texts) {
      if (stage.moves_point_coord != 0) text = with_moved_point_coord(text, stage.moves_point_coord);
      if (stage.stipple) text = with_stipple(text);
    }
    known->second.number = programs_.number_of(made, frame_.programs);
  }
  out.draw.program = known->second.number;
  const FragmentProgram& program = frame_.programs[out.draw.program];
  if (!find_columns(stage, program, out)) return std::nullopt;
  const GLuint name = stage.fragment_program;
  out.draw.first_uniform = read_uniforms(context, program, name, stage.stipple);
  for (const ProgramBlock& block : program.blocks) {
    out.draw.first_of_blocks.push_back(read_block(context, block, name));
  }
  read_samplers(context, program.samplers, name, out.draw.textures);
  take_errors();
  if (const std::string problem = textures_.take_problem(); !problem.empty()) {
    note(problem);
    return std::nullopt;
  }
  return out;
}

void Shading::read_samplers(const Context& context, const std::vector<ProgramSampler>& samplers, GLuint name,
                            std::vector<BoundTexture>& out) {
  for (const ProgramSampler& sampler : samplers) {
    const bool is_array = reads_array_of_samples(name, sampler);
    for (uint32_t i = 0; i < sampler.count; i++) {
      GLint unit = 0;
      const GLint location = location_of(name, sampler.name, i);
      if (location >= 0) GL(GetUniformiv)(name, location, &unit);
      out.push_back(location < 0 ? BoundTexture{}
                                 : textures_.read(context, sampler.kind, static_cast<GLuint>(unit), is_array));
    }
  }
}

std::optional<VertexInputs> Shading::read_vertex(const Context& context, VertexStage& stage) {
  VertexInputs inputs;
  inputs.program = vertex_programs_.number_of(stage.vertex->program, frame_.vertex_programs);
  const VertexProgram& program = stage.vertex->program;
  const GLuint name = stage.vertex_program;
  inputs.first_uniform = read_uniforms(context, program, name);
  for (const ProgramBlock& block : program.blocks) inputs.first_of_blocks.push_back(read_block(context, block, name));
  read_samplers(context, program.samplers, name, inputs.textures);
  take_errors();
  if (std::string problem = textures_.take_problem(); !problem.empty()) {
    stage.expanded = std::move(problem);
    stage.vertex = nullptr;
    return std::nullopt;
  }
  for (const BoundTexture& bound : inputs.textures) {
    if (bound.texture < 0) continue;
    const CapturedTexture& texture = frame_.captured_textures[size_t(bound.texture)];
    if (texture.stored && texture.images.empty()) continue;
    stage.expanded = texture.images.empty() ? "a vertex texture that the file does not hold"
                                            : "a vertex texture that the frame draws";
    stage.vertex = nullptr;
    return std::nullopt;
  }
  return inputs;
}

}  // namespace brokkr::capture
