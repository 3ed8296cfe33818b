#include "capture/program.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "capture/glsl_scan.h"
#include "capture/shadow.h"

namespace brokkr::capture {
namespace {

// The GL constants of ShaderType's enumerators, in order.
constexpr GLenum kShaderTypes[] = {GL_FLOAT,        GL_FLOAT_VEC2,        GL_FLOAT_VEC3,        GL_FLOAT_VEC4,
                                   GL_INT,          GL_INT_VEC2,          GL_INT_VEC3,          GL_INT_VEC4,
                                   GL_UNSIGNED_INT, GL_UNSIGNED_INT_VEC2, GL_UNSIGNED_INT_VEC3, GL_UNSIGNED_INT_VEC4,
                                   GL_BOOL,         GL_BOOL_VEC2,         GL_BOOL_VEC3,         GL_BOOL_VEC4,
                                   GL_FLOAT_MAT2,   GL_FLOAT_MAT2x3,      GL_FLOAT_MAT2x4,      GL_FLOAT_MAT3x2,
                                   GL_FLOAT_MAT3,   GL_FLOAT_MAT3x4,      GL_FLOAT_MAT4x2,      GL_FLOAT_MAT4x3,
                                   GL_FLOAT_MAT4};

struct SamplerType {
  GLenum real, integer, natural, shadow;
  TextureKind kind;
};
constexpr SamplerType kSamplerTypes[] = {
    {GL_SAMPLER_1D, GL_INT_SAMPLER_1D, GL_UNSIGNED_INT_SAMPLER_1D, GL_SAMPLER_1D_SHADOW, TextureKind::one},
    {GL_SAMPLER_2D, GL_INT_SAMPLER_2D, GL_UNSIGNED_INT_SAMPLER_2D, GL_SAMPLER_2D_SHADOW, TextureKind::two},
    {GL_SAMPLER_3D, GL_INT_SAMPLER_3D, GL_UNSIGNED_INT_SAMPLER_3D, GL_NONE, TextureKind::three},
    {GL_SAMPLER_CUBE, GL_INT_SAMPLER_CUBE, GL_UNSIGNED_INT_SAMPLER_CUBE, GL_SAMPLER_CUBE_SHADOW, TextureKind::cube},
    {GL_SAMPLER_2D_RECT, GL_INT_SAMPLER_2D_RECT, GL_UNSIGNED_INT_SAMPLER_2D_RECT, GL_SAMPLER_2D_RECT_SHADOW,
     TextureKind::rectangle},
    {GL_SAMPLER_1D_ARRAY, GL_INT_SAMPLER_1D_ARRAY, GL_UNSIGNED_INT_SAMPLER_1D_ARRAY, GL_SAMPLER_1D_ARRAY_SHADOW,
     TextureKind::one_array},
    {GL_SAMPLER_2D_ARRAY, GL_INT_SAMPLER_2D_ARRAY, GL_UNSIGNED_INT_SAMPLER_2D_ARRAY, GL_SAMPLER_2D_ARRAY_SHADOW,
     TextureKind::two_array},
    {GL_SAMPLER_CUBE_MAP_ARRAY, GL_INT_SAMPLER_CUBE_MAP_ARRAY, GL_UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY,
     GL_SAMPLER_CUBE_MAP_ARRAY_SHADOW, TextureKind::cube_array},
    {GL_SAMPLER_BUFFER, GL_INT_SAMPLER_BUFFER, GL_UNSIGNED_INT_SAMPLER_BUFFER, GL_NONE, TextureKind::buffer},
    {GL_SAMPLER_2D_MULTISAMPLE, GL_INT_SAMPLER_2D_MULTISAMPLE, GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE, GL_NONE,
     TextureKind::multisampled},
    {GL_SAMPLER_2D_MULTISAMPLE_ARRAY, GL_INT_SAMPLER_2D_MULTISAMPLE_ARRAY, GL_UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY,
     GL_NONE, TextureKind::multisampled}};

// A resource of a linked program.
struct Resource {
  std::string name;  // without the [0] of an array
  GLenum type = GL_NONE;
  uint32_t count = 1;
  GLint location = -1, index = 0, block = -1, offset = 0, array_stride = 0, matrix_stride = 0, row_major = 0, size = 0;
};

GLuint resource_count(GLuint program, GLenum interface) {
  GLint count = 0;
  GL(GetProgramInterfaceiv)(program, interface, GL_ACTIVE_RESOURCES, &count);
  return static_cast<GLuint>(std::max(count, 0));
}

std::string resource_name(GLuint program, GLenum interface, GLuint number) {
  constexpr GLenum kLength = GL_NAME_LENGTH;
  GLint length = 0;
  GL(GetProgramResourceiv)(program, interface, number, 1, &kLength, 1, nullptr, &length);
  std::string name(static_cast<size_t>(std::max(length, 1)), '\0');
  GL(GetProgramResourceName)(program, interface, number, static_cast<GLsizei>(name.size()), nullptr, name.data());
  name.resize(std::strlen(name.data()));
  return name;
}

GLint resource_value(GLuint program, GLenum interface, GLuint number, GLenum property) {
  GLint value = 0;
  GL(GetProgramResourceiv)(program, interface, number, 1, &property, 1, nullptr, &value);
  return value;
}

std::vector<Resource> resources(GLuint program, GLenum interface) {
  std::vector<Resource> all;
  for (GLuint i = 0; i < resource_count(program, interface); i++) {
    const auto value = [&](GLenum property) { return resource_value(program, interface, i, property); };
    Resource& one = all.emplace_back();
    one.name = resource_name(program, interface, i);
    if (one.name.ends_with("[0]")) one.name.resize(one.name.size() - 3);
    one.type = static_cast<GLenum>(value(GL_TYPE));
    one.count = static_cast<uint32_t>(std::max(value(GL_ARRAY_SIZE), 1));
    if (interface == GL_PROGRAM_OUTPUT) {
      one.location = value(GL_LOCATION);
      one.index = value(GL_LOCATION_INDEX);
    } else if (interface == GL_UNIFORM) {
      one.block = value(GL_BLOCK_INDEX);
      one.offset = value(GL_OFFSET);
      one.array_stride = value(GL_ARRAY_STRIDE);
      one.matrix_stride = value(GL_MATRIX_STRIDE);
      one.row_major = value(GL_IS_ROW_MAJOR);
    }
  }
  return all;
}

// Mesa's name for gl_TexCoord[1] is gl_in_TexCoord1.
std::string built_in_name(const std::string& name) {
  constexpr std::string_view kMesa = "gl_in_TexCoord";
  return name.starts_with(kMesa) ? "gl_TexCoord[" + name.substr(kMesa.size()) + "]" : name;
}

void add_varyings(GLuint linked, const std::vector<std::string>& texts, FragmentInterface& out) {
  std::map<std::string, InputQualifier> qualifiers;
  for (const std::string& text : texts) qualifiers.merge(scan_inputs(text));
  for (const Resource& input : resources(linked, GL_PROGRAM_INPUT)) {
    const std::string name = built_in_name(input.name);
    const bool built_in = name.starts_with("gl_");
    if (built_in && name != "gl_TexCoord" && !is_built_in(name)) continue;  // gl_FragCoord, …
    const std::optional<ShaderType> type = shader_type(input.type);
    if (!type) {
      out.problem = "an input of type double";
      continue;
    }
    ProgramVarying varying{.name = name, .type = *type, .count = input.count};
    if (const auto found = qualifiers.find(name); found != qualifiers.end()) {
      varying.interpolation = found->second.interpolation;
      varying.centroid = found->second.centroid;
      varying.sample = found->second.sample;
    }
    if (*type >= ShaderType::i32 && *type <= ShaderType::uvec4) varying.interpolation = Interpolation::flat;
    if (name == "gl_TexCoord") {  // as an array
      varying.count = 1;
      for (uint32_t i = 0; i < input.count; i++) {
        varying.name = "gl_TexCoord[" + std::to_string(i) + "]";
        out.program.varyings.push_back(varying);
      }
    } else {
      out.program.varyings.push_back(varying);
    }
  }
  uint32_t offset = 0;
  for (ProgramVarying& varying : out.program.varyings) {
    varying.offset = offset;
    offset += varying.count * shape_of(varying.type).components();
  }
}

// `program`: a FragmentProgram or VertexProgram. `problem` receives the reason if files cannot hold it.
void add_uniforms(GLuint linked, const char* stage, auto& program, std::string& problem) {
  uint32_t end = 0;
  for (const Resource& uniform : resources(linked, GL_UNIFORM)) {
    ProgramSampler sampler{.name = uniform.name, .count = uniform.count};
    if (describe_sampler(uniform.type, sampler)) {
      program.samplers.push_back(sampler);
      continue;
    }
    const std::optional<ShaderType> type = shader_type(uniform.type);
    if (!type) {
      problem = "an image, a counter, or a uniform of type double";
      continue;
    }
    const ShaderShape shape = shape_of(*type);
    ProgramUniform& added = program.uniforms.emplace_back();
    added = {.name = uniform.name, .type = *type, .count = uniform.count, .block = uniform.block};
    if (uniform.block < 0) {
      added.offset = end;
      if (uniform.count > 1) added.array_stride = shape.components() * 4;
      if (shape.columns > 1) added.matrix_stride = shape.rows * 4;
      end += uniform.count * shape.components() * 4;
    } else {
      added.offset = static_cast<uint32_t>(uniform.offset);
      added.array_stride = static_cast<uint32_t>(uniform.array_stride);
      added.matrix_stride = static_cast<uint32_t>(uniform.matrix_stride);
      added.row_major = uniform.row_major != 0;
    }
  }
  for (GLuint i = 0; i < resource_count(linked, GL_UNIFORM_BLOCK); i++) {
    const GLint size = resource_value(linked, GL_UNIFORM_BLOCK, i, GL_BUFFER_DATA_SIZE);
    // Each element of an array of blocks has its own number.
    program.blocks.push_back(
        {resource_name(linked, GL_UNIFORM_BLOCK, i), (static_cast<uint32_t>(std::max(size, 0)) + 3) / 4 * 4});
  }
  if (resource_count(linked, GL_SHADER_STORAGE_BLOCK) > 0)
    problem = std::string("a ") + stage + " shader with storage buffers";
}

void add_outputs(GLuint linked, FragmentInterface& out) {
  for (const Resource& output : resources(linked, GL_PROGRAM_OUTPUT)) {
    const std::optional<ShaderType> type = shader_type(output.type);
    if (!type || (output.name.starts_with("gl_") && !output.name.starts_with("gl_FragColor") &&
                  !output.name.starts_with("gl_FragData")))
      continue;  // gl_FragDepth, …
    const auto location = static_cast<uint32_t>(std::max(output.location, 0));
    out.program.outputs.push_back(
        {output.name, *type, output.count, location, static_cast<uint32_t>(std::max(output.index, 0))});
  }
}

// Returns 0 if the shaders do not link on their own.
GLuint link_alone(GLenum type, const std::vector<std::string>& texts) {
  const GLuint program = GL(CreateProgram)();
  GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
  for (const std::string& text : texts) attach_shader(program, type, text);
  GL(LinkProgram)(program);
  if (is_linked(program)) return program;
  GL(DeleteProgram)(program);
  return 0;
}

}  // namespace

std::optional<ShaderType> shader_type(GLenum type) {
  const auto* const found = std::find(std::begin(kShaderTypes), std::end(kShaderTypes), type);
  if (found == std::end(kShaderTypes)) return std::nullopt;
  return static_cast<ShaderType>(found - std::begin(kShaderTypes));
}

bool describe_sampler(GLenum type, ProgramSampler& sampler) {
  for (const SamplerType& known : kSamplerTypes) {
    if (type != known.real && type != known.integer && type != known.natural && type != known.shadow) continue;
    sampler.kind = known.kind;
    sampler.shadow = type == known.shadow;
    sampler.type = type == known.integer   ? SampledType::integer
                   : type == known.natural ? SampledType::natural
                                           : SampledType::real;
    return true;
  }
  return false;
}

bool is_built_in(const std::string& name) {
  return name == "gl_Color" || name == "gl_SecondaryColor" || name == "gl_FogFragCoord" ||
         name.starts_with("gl_TexCoord[");
}

std::string vertex_expression(const std::string& built_in) {
  if (built_in == "gl_Color") return "clamp(gl_FrontColor, 0.0, 1.0)";
  if (built_in == "gl_SecondaryColor") return "clamp(gl_FrontSecondaryColor, 0.0, 1.0)";
  if (built_in == kBackColor || built_in == kBackSecondaryColor) return "clamp(" + built_in + ", 0.0, 1.0)";
  return built_in;
}

std::vector<std::string> vertex_outputs(const Context& context, GLenum type, const std::vector<std::string>& texts) {
  if (!context.info.interface_query || !context.info.pipelines) return {};
  const GLuint linked = link_alone(type, texts);
  if (linked == 0) return {};
  std::vector<std::string> names;
  for (const Resource& output : resources(linked, GL_PROGRAM_OUTPUT)) {
    if (!output.name.starts_with("gl_")) names.push_back(output.name);
  }
  GL(DeleteProgram)(linked);
  return names;
}

std::shared_ptr<const FragmentInterface> inspect_fragment(const Context& context,
                                                          const std::vector<std::string>& texts) {
  auto result = std::make_shared<FragmentInterface>();
  result->program.texts = texts;
  result->program.version = texts.empty() ? 110 : shader_version(texts.front());
  if (!context.info.interface_query || !context.info.pipelines) {
    result->problem = "a driver that does not describe shaders (ARB_program_interface_query)";
    return result;
  }
  const GLuint linked = link_alone(GL_FRAGMENT_SHADER, texts);
  if (linked == 0) {
    result->problem = "a fragment shader that does not link alone";
    return result;
  }
  add_varyings(linked, texts, *result);
  add_uniforms(linked, "fragment", result->program, result->problem);
  add_outputs(linked, *result);
  GL(DeleteProgram)(linked);
  return result;
}

std::string inspect_vertex(const Context& context, const std::vector<std::string>& texts, VertexProgram& program) {
  if (!context.info.interface_query || !context.info.pipelines)
    return "a driver that does not describe shaders (ARB_program_interface_query)";
  const GLuint linked = link_alone(GL_VERTEX_SHADER, texts);
  if (linked == 0) return "a vertex shader that does not link alone";
  std::string problem;
  for (const Resource& input : resources(linked, GL_PROGRAM_INPUT)) {
    if (input.name.starts_with("gl_")) continue;
    const std::optional<ShaderType> type = shader_type(input.type);
    if (!type) {
      problem = "an attribute of type double";
      continue;
    }
    for (uint32_t i = 0; i < input.count; i++) {
      const std::string element = input.count == 1 ? "" : "[" + std::to_string(i) + "]";
      program.attributes.push_back({input.name + element, *type});
    }
  }
  add_uniforms(linked, "vertex", program, problem);
  std::erase_if(program.uniforms, [](const ProgramUniform& one) { return one.name.starts_with("gl_"); });
  uint32_t end = 0;
  for (ProgramUniform& uniform : program.uniforms) {
    if (uniform.block >= 0) continue;
    uniform.offset = end;
    end += uniform.count * shape_of(uniform.type).components() * 4;
  }
  GL(DeleteProgram)(linked);
  return problem;
}

}  // namespace brokkr::capture
