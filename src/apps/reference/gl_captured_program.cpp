#include "reference/gl_captured_program.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "base/loading.h"
#include "brokkr/load.h"
#include "reference/gl_object.h"
#include "reference/gl_vertex_text.h"
#include "shader/front_end.h"

namespace brokkr {
namespace {

constexpr GLenum kUnits = 8;  // number of texture coordinates in GLSL 1.20
constexpr GLint kModes[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_BLEND, GL_ADD, GL_COMBINE};
constexpr GLint kOps[] = {GL_REPLACE,     GL_MODULATE, GL_ADD,      GL_ADD_SIGNED,
                          GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_DOT3_RGBA};
constexpr GLint kSources[] = {GL_TEXTURE,  GL_CONSTANT, GL_PRIMARY_COLOR, GL_PREVIOUS, GL_TEXTURE0, GL_TEXTURE1,
                              GL_TEXTURE2, GL_TEXTURE3, GL_TEXTURE4,      GL_TEXTURE5, GL_TEXTURE6, GL_TEXTURE7};
constexpr GLint kOperands[] = {GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA};
constexpr GLint kFogModes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
// Indexed by TextureKind, for the kinds that fixed function supports.
constexpr GLenum kEnabledTargets[] = {GL_TEXTURE_1D, GL_TEXTURE_2D, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                                      GL_TEXTURE_RECTANGLE};

void environment(GLenum name, GLint value) { glTexEnvi(GL_TEXTURE_ENV, name, value); }

void apply_term(const CombineTerm& term, bool alpha) {
  environment(alpha ? GL_COMBINE_ALPHA : GL_COMBINE_RGB, kOps[size_t(term.op)]);
  for (GLenum i = 0; i < 3; ++i) {
    environment((alpha ? GL_SOURCE0_ALPHA : GL_SOURCE0_RGB) + i, kSources[size_t(term.sources[i])]);
    environment((alpha ? GL_OPERAND0_ALPHA : GL_OPERAND0_RGB) + i, kOperands[size_t(term.operands[i])]);
  }
  glTexEnvf(GL_TEXTURE_ENV, alpha ? GL_ALPHA_SCALE : GL_RGB_SCALE, term.scale);
}

void apply_unit(const TextureUnit& unit, TextureKind kind) {
  glActiveTexture(GL_TEXTURE0 + unit.unit);
  if (size_t(kind) < std::size(kEnabledTargets)) glEnable(kEnabledTargets[size_t(kind)]);
  environment(GL_TEXTURE_ENV_MODE, kModes[size_t(unit.mode)]);
  glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, &unit.color.x);
  if (unit.mode != EnvironmentMode::combine) return;
  apply_term(unit.rgb, false);
  apply_term(unit.alpha, true);
}

// Parses names such as "gl_LightSource[2].diffuse".
void set_light(std::string_view name, const GLfloat* values) {
  struct Member {
    std::string_view name;
    GLenum value;
  };
  static constexpr Member kMembers[] = {{"ambient", GL_AMBIENT},
                                        {"diffuse", GL_DIFFUSE},
                                        {"specular", GL_SPECULAR},
                                        {"position", GL_POSITION},
                                        {"spotDirection", GL_SPOT_DIRECTION},
                                        {"spotExponent", GL_SPOT_EXPONENT},
                                        {"spotCutoff", GL_SPOT_CUTOFF},
                                        {"constantAttenuation", GL_CONSTANT_ATTENUATION},
                                        {"linearAttenuation", GL_LINEAR_ATTENUATION},
                                        {"quadraticAttenuation", GL_QUADRATIC_ATTENUATION}};
  const size_t bracket = name.find('['), dot = name.find('.');
  if (bracket == std::string_view::npos || dot == std::string_view::npos) return;
  const GLenum light = GL_LIGHT0 + GLenum(std::atoi(name.data() + bracket + 1));
  // Positions and directions are already in eye space.
  glMatrixMode(GL_MODELVIEW);
  glPushMatrix();
  glLoadIdentity();
  for (const Member& member : kMembers) {
    if (name.substr(dot + 1) == member.name) glLightfv(light, member.value, values);
  }
  glPopMatrix();
}

}  // namespace

// `words`: those of kStippleUniform.
void use_stipple(const uint32_t* words) {
  std::array<GLubyte, 128> bytes{};
  for (size_t i = 0; i < 1024; ++i) {
    if (words[i] != 0) bytes[i / 8] = GLubyte(bytes[i / 8] | 0x80 >> i % 8);
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPolygonStipple(bytes.data());
  glEnable(GL_POLYGON_STIPPLE);
}

void apply_fixed_function(const FragmentProgram& program) {
  const FixedFunction& fixed = *program.fixed;
  for (GLenum i = 0; i < kUnits; ++i) {
    glActiveTexture(GL_TEXTURE0 + i);
    for (const GLenum target : kEnabledTargets) glDisable(target);
  }
  for (size_t i = 0; i < fixed.units.size(); ++i) apply_unit(fixed.units[i], program.samplers[i].kind);
  glActiveTexture(GL_TEXTURE0);
  enable(GL_COLOR_SUM, fixed.separate_specular);
  enable(GL_FOG, fixed.fog.has_value());
  if (!fixed.fog) return;
  glFogi(GL_FOG_MODE, kFogModes[size_t(fixed.fog->mode)]);
  glFogfv(GL_FOG_COLOR, &fixed.fog->color.x);
  glFogf(GL_FOG_DENSITY, fixed.fog->density);
  glFogf(GL_FOG_START, fixed.fog->start);
  glFogf(GL_FOG_END, fixed.fog->end);
}

void set_built_in(const ProgramUniform& uniform, const uint32_t* words) {
  GLfloat values[16] = {};
  const std::string_view name = uniform.name;
  std::memcpy(values, words, sizeof(GLfloat) * shape_of(uniform.type).components());
  if (name == "gl_Fog.color") {
    glFogfv(GL_FOG_COLOR, values);
  } else if (name == "gl_Fog.density") {
    glFogf(GL_FOG_DENSITY, values[0]);
  } else if (name == "gl_Fog.start") {
    glFogf(GL_FOG_START, values[0]);
  } else if (name == "gl_Fog.end") {
    glFogf(GL_FOG_END, values[0]);
  } else if (name == "gl_Fog.scale") {
    // 1 / (end - start); the caller sets the end
    GLfloat start = 0;
    glGetFloatv(GL_FOG_START, &start);
    if (values[0] != 0) glFogf(GL_FOG_END, start + 1 / values[0]);
  } else if (name == "gl_ModelViewMatrix" || name == "gl_ProjectionMatrix") {
    glMatrixMode(name == "gl_ModelViewMatrix" ? GL_MODELVIEW : GL_PROJECTION);
    glLoadMatrixf(values);
  } else if (name == "gl_TextureEnvColor") {
    for (uint32_t i = 0; i < uniform.count && i < kUnits; ++i) {
      std::memcpy(values, words + size_t(4) * i, sizeof(GLfloat) * 4);
      glActiveTexture(GL_TEXTURE0 + i);
      glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, values);
    }
    glActiveTexture(GL_TEXTURE0);
  } else if (name.starts_with("gl_LightSource[")) {
    set_light(name, values);
  }
}

namespace {

// The components from `first` on, such as "vec2(brokkr_0.w, brokkr_1.x)".
std::string value_at(ShaderType type, uint32_t first) {
  const bool natural = type >= ShaderType::u32 && type <= ShaderType::uvec4;
  const bool whole = type >= ShaderType::i32 && type <= ShaderType::ivec4;
  const char* const cast = natural ? "floatBitsToUint" : whole ? "floatBitsToInt" : "";
  std::string text = glsl_name(type) + "(";
  for (uint32_t i = 0; i < shape_of(type).components(); ++i) {
    const uint32_t component = first + i;
    text += fmt::format("{}{}(brokkr_{}.{})", i == 0 ? "" : ", ", cast, component / 4, "xyzw"[component % 4]);
  }
  return text + ")";
}

std::string without_comments(const std::string& text) {
  static const std::regex kComments("//[^\n]*|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/");
  return std::regex_replace(text, kComments, " ");
}

// Properties of inputs that only the texts contain: explicit locations, arrays of one element, the word `smooth`, and
// blocks and structures with all their members.
struct InputTexts {
  std::map<std::string, std::string> locations;   // by name
  std::map<std::string, std::string> blocks;      // by name: "{ … }"
  std::map<std::string, std::string> structures;  // by the name of the structure: "{ … }"
  std::map<std::string, std::string> types;       // by the name of the input
  std::set<std::string> arrays, smooth;           // names
};

// The text without comments, and without macros if the front end of run-time shaders is installed.
std::string plain_text(const std::string& text) {
  if (text.find('#') == std::string::npos) return without_comments(text);
  const LoadOptions options;
  Loading loading(options);
  const shader::Texts texts{text};
  const shader::Texts* const program = &texts;
  std::string result = text;
  shader::run_glsl(shader::GlslTask::preprocess, {&program, 1}, loading, [&](size_t, const shader::GlslAnswer& answer) {
    if (answer.is_good()) result = answer.bytes;
  });
  return without_comments(result);
}

InputTexts scan(const std::vector<std::string>& texts) {
  static const std::regex kLocation(
      R"(layout\s*\(\s*location\s*=\s*(\d+)\s*\)\s*((?:flat|smooth|noperspective|centroid|sample)\s+)*in\s+((?:lowp|mediump|highp)\s+)?\w+\s+(\w+))");
  static const std::regex kBlock(R"(\bin\s+(\w+)\s*(\{[^}]*\}))");
  static const std::regex kStructure(R"(\bstruct\s+(\w+)\s*(\{[^}]*\}))");
  static const std::regex kInput(
      R"((smooth\s+)?(?:centroid\s+|sample\s+)?\b(?:in|varying)\s+(?:(?:lowp|mediump|highp)\s+)?(\w+)(\s*\[[^\]]*\])?\s+(\w+)\s*(\[[^\]]*\])?\s*;)");
  InputTexts result;
  for (const std::string& written : texts) {
    const std::string text = plain_text(written);
    for (std::sregex_iterator match(text.begin(), text.end(), kLocation), end; match != end; ++match)
      result.locations[(*match)[4]] = (*match)[1];
    for (std::sregex_iterator match(text.begin(), text.end(), kBlock), end; match != end; ++match)
      result.blocks[(*match)[1]] = (*match)[2];
    for (std::sregex_iterator match(text.begin(), text.end(), kStructure), end; match != end; ++match)
      result.structures[(*match)[1]] = (*match)[2];
    for (std::sregex_iterator match(text.begin(), text.end(), kInput), end; match != end; ++match) {
      const std::string name = (*match)[4];
      result.types[name] = (*match)[2];
      if ((*match)[1].matched) result.smooth.insert(name);
      if ((*match)[3].matched || (*match)[5].matched) result.arrays.insert(name);
    }
  }
  return result;
}

std::string qualifiers(const ProgramVarying& varying, const InputTexts& texts) {
  static constexpr const char* kInterpolations[] = {"", "flat ", "noperspective "};
  std::string text;
  if (const auto found = texts.locations.find(varying.name); found != texts.locations.end())
    text = "layout(location = " + found->second + ") ";
  // Before GLSL 4.40 both shaders must have the word, or none.
  text += texts.smooth.contains(varying.name) ? "smooth " : kInterpolations[size_t(varying.interpolation)];
  return text + (varying.sample ? "sample out " : varying.centroid ? "centroid out " : "out ");
}

// A built-in varying's name in a vertex shader; empty for other varyings.
std::string written_built_in(const std::string& name) {
  if (name == "gl_Color") return "gl_FrontColor";
  if (name == "gl_SecondaryColor") return "gl_FrontSecondaryColor";
  return name.starts_with("gl_") ? name : "";
}

void upload(GLint location, const ProgramUniform& uniform, const uint32_t* words) {
  const auto count = GLsizei(uniform.count);
  const auto* reals = reinterpret_cast<const GLfloat*>(words);
  const auto* whole = reinterpret_cast<const GLint*>(words);
  switch (uniform.type) {
    case ShaderType::f32: return glUniform1fv(location, count, reals);
    case ShaderType::vec2: return glUniform2fv(location, count, reals);
    case ShaderType::vec3: return glUniform3fv(location, count, reals);
    case ShaderType::vec4: return glUniform4fv(location, count, reals);
    case ShaderType::i32:
    case ShaderType::b32: return glUniform1iv(location, count, whole);
    case ShaderType::ivec2:
    case ShaderType::bvec2: return glUniform2iv(location, count, whole);
    case ShaderType::ivec3:
    case ShaderType::bvec3: return glUniform3iv(location, count, whole);
    case ShaderType::ivec4:
    case ShaderType::bvec4: return glUniform4iv(location, count, whole);
    case ShaderType::u32: return glUniform1uiv(location, count, words);
    case ShaderType::uvec2: return glUniform2uiv(location, count, words);
    case ShaderType::uvec3: return glUniform3uiv(location, count, words);
    case ShaderType::uvec4: return glUniform4uiv(location, count, words);
    case ShaderType::mat2: return glUniformMatrix2fv(location, count, GL_FALSE, reals);
    case ShaderType::mat2x3: return glUniformMatrix2x3fv(location, count, GL_FALSE, reals);
    case ShaderType::mat2x4: return glUniformMatrix2x4fv(location, count, GL_FALSE, reals);
    case ShaderType::mat3x2: return glUniformMatrix3x2fv(location, count, GL_FALSE, reals);
    case ShaderType::mat3: return glUniformMatrix3fv(location, count, GL_FALSE, reals);
    case ShaderType::mat3x4: return glUniformMatrix3x4fv(location, count, GL_FALSE, reals);
    case ShaderType::mat4x2: return glUniformMatrix4x2fv(location, count, GL_FALSE, reals);
    case ShaderType::mat4x3: return glUniformMatrix4x3fv(location, count, GL_FALSE, reals);
    case ShaderType::mat4: return glUniformMatrix4fv(location, count, GL_FALSE, reals);
  }
}

}  // namespace

std::string pass_through_text(const FragmentProgram& program) {
  const InputTexts texts = scan(program.texts);
  const bool has_samples = std::any_of(program.varyings.begin(), program.varyings.end(),
                                       [](const ProgramVarying& varying) { return varying.sample; });
  // A program's shaders must be all of OpenGL, or all of one version of OpenGL ES.
  const bool is_first_es = program.version == 100;
  const bool is_es = is_first_es || (program.version >= 300 && program.version <= 320);
  std::string text = is_first_es ? "#version 100\n#define out varying\n"
                     : is_es     ? fmt::format("#version {} es\n", program.version)
                                 : "#version 330 compatibility\n";
  if (has_samples && !is_es) text += "#extension GL_ARB_gpu_shader5 : require\n";
  const auto is_array = [&](const ProgramVarying& varying) {
    return varying.count > 1 || texts.arrays.contains(varying.name);
  };
  const auto declare = [&](uint32_t location, const std::string& name) {
    text += is_first_es ? fmt::format("attribute vec4 {};\n", name)
                        : fmt::format("layout(location = {}) in vec4 {};\n", location, name);
  };
  declare(0, "brokkr_position");
  const auto components = uint32_t(varying_components(program));
  for (uint32_t i = 0; 4 * i < components; ++i) declare(i + 1, fmt::format("brokkr_{}", i));
  std::string body;
  std::set<std::string> blocks, structures;
  for (const ProgramVarying& varying : program.varyings) {
    std::string name = written_built_in(varying.name);
    const size_t dot = varying.name.find('.');
    if (name.empty() && dot != std::string::npos) {
      const std::string block = varying.name.substr(0, dot);
      const auto found = texts.blocks.find(block);
      const auto type = texts.types.find(block);
      if (found == texts.blocks.end() && type != texts.types.end() && texts.structures.contains(type->second)) {
        // A structure. Its name is that of the input.
        const std::string& structure = type->second;
        if (structures.insert(structure).second)
          text += fmt::format("struct {} {};\n", structure, texts.structures.at(structure));
        if (blocks.insert(block).second) text += fmt::format("out {} {};\n", structure, block);
        name = varying.name;
      } else {
        if (found != texts.blocks.end() && blocks.insert(block).second)
          text += fmt::format("out {} {} brokkr_of_{};\n", block, found->second, block);
        name = "brokkr_of_" + block + varying.name.substr(dot);
      }
    } else if (name.empty()) {
      name = varying.name;
      text += fmt::format("{}{} {}{};\n", qualifiers(varying, texts), glsl_name(varying.type), name,
                          is_array(varying) ? fmt::format("[{}]", varying.count) : "");
    }
    const uint32_t each = shape_of(varying.type).components();
    for (uint32_t i = 0; i < varying.count; ++i) {
      const std::string element = is_array(varying) ? fmt::format("[{}]", i) : "";
      body += fmt::format("  {}{} = {};\n", name, element, value_at(varying.type, varying.offset + i * each));
    }
  }
  return text + "void main() {\n  gl_Position = brokkr_position;\n" + body + "}\n";
}

GlCapturedProgram::GlCapturedProgram(const FragmentProgram& source) : source_(&source) {
  if (varying_components(source) > kMaxVaryingComponents) {
    failure_ = fmt::format("it has more than {} components of varyings", kMaxVaryingComponents);
  } else if (link({pass_through_text(source)})) {
    find_places();
  }
}

GlCapturedProgram::GlCapturedProgram(const FragmentProgram& source, const VertexProgram& vertex)
    : source_(&source), vertex_(&vertex) {
  std::vector<std::string> texts;
  for (const std::string& text : vertex.texts) texts.push_back(vertex_text(vertex, text));
  if (!link(texts)) return;
  find_places();
  find_vertex_places();
}

bool GlCapturedProgram::link(const std::vector<std::string>& vertex_texts) {
  program_ = GlProgram::create();
  const auto log_of = [&](GLuint object, auto get) {
    char log[1024] = "";
    get(object, sizeof log, nullptr, log);
    const std::string text(log);
    return text.substr(0, text.find('\n'));
  };
  const auto attach = [&](GLenum stage, const std::string& text) {
    const GLuint shader = glCreateShader(stage);
    glAttachShader(program_.id(), shader);
    glDeleteShader(shader);  // deleted together with the program
    const char* const strings[] = {text.c_str()};
    glShaderSource(shader, 1, strings, nullptr);
    glCompileShader(shader);
    GLint good = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good && failure_.empty()) failure_ = log_of(shader, glGetShaderInfoLog);
  };
  for (const std::string& text : vertex_texts) attach(GL_VERTEX_SHADER, text);
  for (const std::string& text : source_->texts) attach(GL_FRAGMENT_SHADER, text);
  for (const ProgramOutput& output : source_->outputs) {
    if (!output.name.starts_with("gl_"))
      glBindFragDataLocationIndexed(program_.id(), output.location, output.index, output.name.c_str());
  }
  if (!failure_.empty()) return false;
  if (source_->version == 100 && vertex_ == nullptr) {  // its text has no locations (pass_through_text)
    glBindAttribLocation(program_.id(), 0, "brokkr_position");
    for (uint32_t i = 0; 4 * i < varying_components(*source_); ++i)
      glBindAttribLocation(program_.id(), i + 1, fmt::format("brokkr_{}", i).c_str());
  }
  glLinkProgram(program_.id());
  GLint good = GL_FALSE;
  glGetProgramiv(program_.id(), GL_LINK_STATUS, &good);
  if (!good) failure_ = log_of(program_.id(), glGetProgramInfoLog);
  return good != GL_FALSE;
}

void GlCapturedProgram::find_places() {
  glUseProgram(program_.id());
  for (const ProgramUniform& uniform : source_->uniforms) {
    const bool is_own = uniform.block < 0 && !uniform.name.starts_with("gl_");
    locations_.push_back(is_own ? glGetUniformLocation(program_.id(), uniform.name.c_str()) : -1);
  }
  for (GLuint i = 0; i < source_->blocks.size(); ++i) {
    const GLuint index = glGetUniformBlockIndex(program_.id(), source_->blocks[i].name.c_str());
    if (index != GL_INVALID_INDEX) glUniformBlockBinding(program_.id(), index, i);
  }
  for (size_t i = 0; i < source_->samplers.size(); ++i) {
    const ProgramSampler& sampler = source_->samplers[i];
    if (source_->fixed) {
      units_.push_back(source_->fixed->units[i].unit);
      continue;
    }
    std::vector<GLint> units;
    for (uint32_t element = 0; element < sampler.count; ++element) {
      units.push_back(GLint(units_.size()));
      units_.push_back(GLuint(units_.size()));
    }
    const GLint location = glGetUniformLocation(program_.id(), sampler.name.c_str());
    if (location >= 0) glUniform1iv(location, GLsizei(sampler.count), units.data());
  }
  glUseProgram(0);
}

void GlCapturedProgram::find_vertex_places() {
  glUseProgram(program_.id());
  const auto place = [&](const std::string& name) {
    return glGetUniformLocation(program_.id(), driver_name(name).c_str());
  };
  for (const ProgramUniform& uniform : vertex_->uniforms)
    vertex_locations_.push_back(uniform.block < 0 ? place(uniform.name) : -1);
  for (const VertexAttribute& attribute : vertex_->attributes)
    attributes_.push_back(glGetAttribLocation(program_.id(), driver_name(attribute.name).c_str()));
  for (size_t i = 0; i < vertex_->blocks.size(); ++i) {
    const GLuint index = glGetUniformBlockIndex(program_.id(), vertex_->blocks[i].name.c_str());
    if (index != GL_INVALID_INDEX) glUniformBlockBinding(program_.id(), index, binding_of_vertex(i));
  }
  GLuint next = 0;
  for (const GLuint unit : units_) next = std::max(next, unit + 1);
  for (const ProgramSampler& sampler : vertex_->samplers) {
    // A sampler of both programs is one uniform, and has one texture.
    const auto in_both = std::ranges::find(source_->samplers, sampler.name, &ProgramSampler::name);
    size_t shared = 0;
    for (auto it = source_->samplers.begin(); it != in_both; ++it) shared += it->count;
    const bool is_shared = in_both != source_->samplers.end() && !source_->fixed;
    std::vector<GLint> units;
    for (uint32_t element = 0; element < sampler.count; ++element) {
      vertex_units_.push_back(is_shared && element < in_both->count ? units_[shared + element] : next++);
      units.push_back(GLint(vertex_units_.back()));
    }
    const GLint location = glGetUniformLocation(program_.id(), sampler.name.c_str());
    if (location >= 0 && !is_shared) glUniform1iv(location, GLsizei(sampler.count), units.data());
  }
  glUseProgram(0);
}

void GlCapturedProgram::use() const {
  glUseProgram(program_.id());
  if (source_->fixed) {
    apply_fixed_function(*source_);
    glDisable(GL_POLYGON_STIPPLE);
  }
  const auto enable = [&](GLenum capability, auto counts) {
    const bool on = std::any_of(source_->varyings.begin(), source_->varyings.end(), counts);
    on ? glEnable(capability) : glDisable(capability);
  };
  enable(GL_PROGRAM_POINT_SIZE, [](const ProgramVarying& one) { return one.name == "gl_PointSize"; });
  enable(GL_VERTEX_PROGRAM_TWO_SIDE, [](const ProgramVarying& one) { return one.name.starts_with("gl_Back"); });
}

void GlCapturedProgram::set_uniforms(const uint32_t* words) const {
  for (size_t i = 0; i < source_->uniforms.size(); ++i) {
    const ProgramUniform& uniform = source_->uniforms[i];
    if (uniform.block >= 0) continue;
    if (locations_[i] >= 0) upload(locations_[i], uniform, words + uniform.offset / 4);
    if (uniform.name.starts_with("gl_")) set_built_in(uniform, words + uniform.offset / 4);
    if (source_->fixed && uniform.name == kStippleUniform) use_stipple(words + uniform.offset / 4);
  }
}

void GlCapturedProgram::set_vertex_uniforms(const uint32_t* words) const {
  for (size_t i = 0; i < vertex_->uniforms.size(); ++i) {
    const ProgramUniform& uniform = vertex_->uniforms[i];
    if (vertex_locations_[i] >= 0) upload(vertex_locations_[i], uniform, words + uniform.offset / 4);
  }
}

}  // namespace brokkr
