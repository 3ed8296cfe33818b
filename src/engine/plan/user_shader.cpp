// Checks the inputs of a user's shader, and gives its uniforms their values.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "base/failure.h"
#include "base/loading.h"
#include "base/nearest_name.h"
#include "brokkr/fragment_shader.h"
#include "plan/user_shader.h"
#include "plan/vertex_stage.h"
#include "shader/captured.h"
#include "shader/spirv_module.h"

namespace brokkr {
namespace {

using shader::Kind;

constexpr uint32_t kMaxInstances = 1u << 24;
constexpr double kMaxSeconds = 1e9;  // b_time, a float, cannot tell minutes apart beyond this

// Throws "NAME:12: message", with the line where the text first contains `name`. `shader`: a FragmentShader or
// VertexShader.
template <class Shader>
[[noreturn]] void refuse(const Shader& shader, const std::string& name, const std::string& what) {
  const uint32_t line = name.empty() ? 0 : line_of_name(shader.text, variable_name(name));
  throw std::runtime_error(shader.name + (line == 0 ? ": " : fmt::format(":{}: ", line)) + what);
}

// Returns the first completed text that compiles (completed_shaders), and its program.
std::pair<std::string, shader::Program> compile(const std::string& given, const std::string& name, shader::Stage stage,
                                                Loading& loading) {
  std::optional<shader::ShaderError> failure;
  for (std::string& text : completed_shaders(given)) {
    try {
      shader::Program program = shader::translate_text(text, name, loading, stage);
      return {std::move(text), std::move(program)};
    } catch (const shader::ShaderError& error) {
      // Report the error that lies furthest in the text.
      if (!failure || error.line() > failure->line()) failure = error;
      // An error without a line, such as the time limit, would occur again, except a missing main.
      if (error.line() == 0 && std::string_view(error.what()).find("ntry point") == std::string_view::npos) break;
    }
  }
  throw *failure;
}

const char* name_of(Kind kind) { return kind == Kind::number ? "float" : kind == Kind::whole ? "int" : "uint"; }

std::string numbers(uint32_t count) { return count == 1 ? "1 number" : fmt::format("{} numbers", count); }

template <class Given>
std::vector<std::string> names_of(std::span<const Given> all) {
  std::vector<std::string> names;
  for (const Given& one : all) names.emplace_back(one.name);
  return names;
}

// Returns true if a program of the frame has a variable of this name in the list `variables`.
template <class Variable>
bool is_captured(const Frame& frame, std::vector<Variable> FragmentProgram::*variables, const std::string& name) {
  return std::any_of(frame.programs.begin(), frame.programs.end(), [&](const FragmentProgram& program) {
    return std::any_of((program.*variables).begin(), (program.*variables).end(),
                       [&](const Variable& one) { return variable_name(one.name) == variable_name(name); });
  });
}

void check_inputs(const Frame& frame, const CompiledPass& own) {
  for (const shader::Input& input : own.program.inputs) {
    if (input.kind != shader::InputKind::varying) continue;
    const auto is_missing = [&](uint32_t word) { return vertex_output(own, input, word) == shader::kNoWord; };
    if (!is_missing(0)) {
      if (is_missing(input.words - 1))
        refuse(own.source, input.name,
               fmt::format("'{}' has {} here and fewer in {}; use the same declaration", input.name,
                           numbers(input.words), own.source.vertex.name));
      continue;
    }
    const GivenInput* const given = find_given(given_inputs(), input.name);
    if (given != nullptr && given->words != input.words)
      refuse(own.source, input.name,
             fmt::format("'{}' has {}, not {}", input.name, numbers(given->words), input.words));
    if (given == nullptr && !is_captured(frame, &FragmentProgram::varyings, input.name))
      refuse(own.source, input.name,
             fmt::format("'{}' is not a known input{}; "
                         "docs/reference/shaders.md lists them",
                         input.name, did_you_mean(input.name, names_of(given_inputs()))));
  }
}

// Checks the attributes that a vertex shader reads, and that it writes positions.
void check_attributes(const VertexShader& source, const shader::Program& program) {
  for (const shader::Input& input : program.inputs) {
    const GivenAttribute* const given = find_attribute(input.name);
    if (given != nullptr && given->words != input.words)
      refuse(source, input.name, fmt::format("'{}' has {}, not {}", input.name, numbers(given->words), input.words));
    const bool is_number = input.name.starts_with("gl_VertexI") || input.name.starts_with("gl_InstanceI") ||
                           input.name.starts_with("gl_Base") || input.name.starts_with("gl_DrawID");
    if (given == nullptr && !is_number)
      refuse(source, input.name,
             fmt::format("'{}' is not an attribute of scenes{}; "
                         "docs/guide/vertex-shaders.md lists them",
                         input.name, did_you_mean(input.name, names_of(given_attributes()))));
  }
  const auto is_position = [](const shader::Output& one) { return one.name == "gl_Position"; };
  if (std::none_of(program.outputs.begin(), program.outputs.end(), is_position))
    refuse(source, "main",
           "it does not write gl_Position; assign it, as b_projection * b_view "
           "* b_model * position");
}

// `source`: the FragmentShader or VertexShader that `program` was made from.
template <class Shader>
void check_uniforms(const Frame& frame, const Shader& source, const shader::Program& program) {
  for (const shader::Uniform& uniform : program.uniforms) {
    const std::string& name = uniform.name;
    if (!uniform.block.empty() && !is_captured(frame, &FragmentProgram::blocks, uniform.block))
      refuse(source, uniform.block, fmt::format("'{}': blocks get no values; declare single uniforms", uniform.block));
    const GivenUniform* const given = find_given(given_uniforms(), name);
    const bool is_other = given != nullptr && (given->words != uniform.words || given->kind != uniform.kind);
    if (is_other && (name.starts_with("b_") || uniform.words > given->words))
      refuse(source, name,
             fmt::format("'{}' is {} of {}, not {} of {}", name, numbers(given->words), name_of(given->kind),
                         uniform.words, name_of(uniform.kind)));
    if (given == nullptr && name.starts_with("b_"))
      refuse(source, name,
             fmt::format("'{}' is not a known uniform{}; names that begin "
                         "with b_ are Brokkr's",
                         name, meant_or_known(name, names_of(given_uniforms()))));
  }
}

template <class Shader>
void check_samplers(const Frame& frame, const Shader& source, const shader::Program& program) {
  for (const shader::SamplerInput& sampler : program.samplers) {
    const std::string& name = sampler.name;
    if (is_captured(frame, &FragmentProgram::samplers, name)) continue;
    if (sampler.compares || sampler.kind != TextureKind::two || sampler.type != SampledType::real)
      refuse(source, name, fmt::format("'{}' is not a sampler2D, and only those read pictures", name));
    if (name.starts_with("b_") && find_given(given_samplers(), name) == nullptr)
      refuse(source, name,
             fmt::format("'{}' is not a known texture{}; names that begin "
                         "with b_ are Brokkr's",
                         name, meant_or_known(name, names_of(given_samplers()))));
  }
}

bool is_declared(const shader::Uniform& uniform) {
  return uniform.block.empty() && find_given(given_uniforms(), uniform.name) == nullptr;
}

// The uniforms that the shader's stages declare themselves. Throws if two stages declare one differently.
std::vector<const shader::Uniform*> declared_uniforms_of(const CompiledPass& own) {
  std::vector<const shader::Uniform*> all;
  for (const shader::Uniform& uniform : own.program.uniforms) {
    if (is_declared(uniform)) all.push_back(&uniform);
  }
  if (!own.vertex) return all;
  for (const shader::Uniform& uniform : own.vertex->uniforms) {
    if (!is_declared(uniform)) continue;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const shader::Uniform* one) { return one->name == uniform.name; });
    if (known == all.end()) {
      all.push_back(&uniform);
    } else if ((*known)->words != uniform.words || (*known)->kind != uniform.kind) {
      refuse(own.source.vertex, uniform.name,
             fmt::format("uniform '{}' is declared differently in {}; use the same declaration", uniform.name,
                         own.source.name));
    }
  }
  return all;
}

// Checks that every uniform and texture that the caller gives exists in the shader.
void check_given(const CompiledPass& own) {
  const FragmentShader& source = own.source;
  const std::vector<const shader::Uniform*> uniforms = declared_uniforms_of(own);
  std::vector<std::string> known;
  for (const shader::Uniform* const uniform : uniforms) known.push_back(uniform->name);
  for (const auto& [name, values] : source.uniforms) {
    const auto place = std::find(known.begin(), known.end(), name);
    const shader::Uniform* const found = place == known.end() ? nullptr : uniforms[size_t(place - known.begin())];
    if (found == nullptr)
      refuse(source, "", fmt::format("the shader declares no uniform '{}'{}", name, meant_or_known(name, known)));
    if (values.size() != found->words)
      refuse(source, name, fmt::format("uniform '{}' has {}, not {}", name, numbers(found->words), values.size()));
    for (const double value : values) {
      const double min = found->kind == Kind::whole ? -2147483648.0 : 0,
                   max = found->kind == Kind::whole ? 2147483647.0 : 4294967295.0;
      if (found->kind != Kind::number && (std::floor(value) != value || value < min || value > max))
        refuse(source, name, fmt::format("uniform '{}' is of {}; {} is not one", name, name_of(found->kind), value));
    }
  }
  known.clear();
  const auto add_samplers = [&](const shader::Program& program) {
    for (const shader::SamplerInput& sampler : program.samplers) {
      if (find_given(given_samplers(), sampler.name) == nullptr) known.push_back(sampler.name);
    }
  };
  add_samplers(own.program);
  if (own.vertex) add_samplers(*own.vertex);
  for (const auto& [name, image] : source.textures) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(source, "", fmt::format("the shader declares no texture '{}'{}", name, meant_or_known(name, known)));
    if (image.width < 1 || image.height < 1 || image.width > kMaxTargetSize || image.height > kMaxTargetSize)
      refuse(source, name,
             fmt::format("texture '{}' is {} x {} pixels; give it 1 to {} a side", name, image.width, image.height,
                         kMaxTargetSize));
    if (image.texels.size() != size_t(image.width) * size_t(image.height))
      refuse(source, name,
             fmt::format("texture '{}' has {} texels; give {} x {} of them", name, image.texels.size(), image.width,
                         image.height));
  }
  if (!(std::abs(source.time) <= kMaxSeconds))
    refuse(source, "", fmt::format("time is {}; give seconds, up to {}", source.time, kMaxSeconds));
}

uint32_t bits_of(Kind kind, double value) {
  return kind == Kind::number ? std::bit_cast<uint32_t>(float(value)) : uint32_t(int64_t(value));
}

std::vector<uint32_t> words_of_uniform(const shader::Uniform& uniform, const FragmentShader& source) {
  std::vector<uint32_t> words = uniform.initial;
  const auto given = source.uniforms.find(uniform.name);
  if (given != source.uniforms.end()) {
    words.clear();
    for (const double value : given->second) words.push_back(bits_of(uniform.kind, value));
  }
  words.resize(uniform.words);
  return words;
}

// Finds a uniform of the default block in a draw's program; null if the program does not have it.
const ProgramUniform* find_uniform(const std::vector<ProgramUniform>& uniforms, const std::string& name) {
  const auto found = std::find_if(uniforms.begin(), uniforms.end(),
                                  [&](const ProgramUniform& one) { return one.block < 0 && one.name == name; });
  return found == uniforms.end() ? nullptr : &*found;
}

// Checks that everything that a draw names exists; the frame may have been changed since it was validated.
void require_draw(const Frame& frame, size_t command, const DrawCommand& draw) {
  const auto require = [&](const char* field, uint64_t number, size_t size) {
    if (number < size) return;
    throw std::runtime_error(
        fmt::format("command {}, field '{}': the frame has {} of them, and {} "
                    "is needed; set the shader of a complete frame again",
                    command, field, size, number));
  };
  require("inputs", uint64_t(draw.inputs), frame.inputs.size());
  require("program", frame.inputs[size_t(draw.inputs)].program, frame.programs.size());
  require("material", draw.material, frame.materials.size());
  require("first_view", draw.first_view, frame.views.size());
  require("target", frame.views[draw.first_view].target, frame.targets.size());
  if (draw.vertices < 0) return;
  require("vertices", uint64_t(draw.vertices), frame.vertex_inputs.size());
  require("program", frame.vertex_inputs[size_t(draw.vertices)].program, frame.vertex_programs.size());
  if (!frame.models.empty()) require("first_instance", draw.first_instance, frame.models.size());
}

// Texts for other players than Shadertoy's declare some of its uniforms with fewer components or another type.
void fill_given(const GivenUniform& given, const shader::Uniform& uniform, const UniformPlace& place, uint32_t* words) {
  if (given.kind == uniform.kind && given.words == uniform.words) return given.fill(place, words);
  std::vector<uint32_t> given_words(given.words);
  given.fill(place, given_words.data());
  for (uint32_t i = 0; i < uniform.words; ++i) {
    const double value =
        given.kind == Kind::number ? double(std::bit_cast<float>(given_words[i])) : double(int32_t(given_words[i]));
    words[i] = bits_of(uniform.kind, value);
  }
}

// The values of one stage's uniforms, for the draw that is command `number`.
// `uniforms`: of its program in the frame; `begin`: where they begin in Frame::uniforms.
void fill_stage(Frame& frame, size_t number, const CompiledPass& own, const shader::Program& program,
                const std::vector<ProgramUniform>& uniforms, uint64_t begin) {
  const auto& draw = std::get<DrawCommand>(frame.commands[number]);
  for (const shader::Uniform& uniform : program.uniforms) {
    const ProgramUniform* const place = uniform.block.empty() ? find_uniform(uniforms, uniform.name) : nullptr;
    if (place == nullptr) continue;
    const uint64_t first = begin + place->offset / 4, size = frame.uniforms.size();
    if (first > size || uniform.words > size - first) {
      throw std::runtime_error(
          fmt::format("command {}, field 'uniforms': '{}' is beyond the "
                      "frame's {}; set the shader of a complete frame again",
                      number, uniform.name, size));
    }
    uint32_t* const words = frame.uniforms.data() + first;
    const GivenUniform* const given = find_given(given_uniforms(), uniform.name);
    if (given != nullptr) {
      fill_given(*given, uniform, {frame, draw, own.source}, words);
    } else if (own.source.uniforms.contains(uniform.name)) {
      std::ranges::copy(words_of_uniform(uniform, own.source), words);
    }
  }
}

void fill_uniforms(Frame& frame, const CompiledPass& own) {
  for (size_t number = 0; number < frame.commands.size(); ++number) {
    const auto* const draw = std::get_if<DrawCommand>(&frame.commands[number]);
    if (draw == nullptr || draw->inputs < 0) continue;
    require_draw(frame, number, *draw);
    const DrawInputs& inputs = frame.inputs[size_t(draw->inputs)];
    const FragmentProgram& program = frame.programs[inputs.program];
    if (program.texts.size() != 1 || program.texts[0] != own.text) continue;
    fill_stage(frame, number, own, own.program, program.uniforms, inputs.first_uniform);
    if (!own.vertex || draw->vertices < 0) continue;
    const VertexInputs& vertices = frame.vertex_inputs[size_t(draw->vertices)];
    fill_stage(frame, number, own, *own.vertex, frame.vertex_programs[vertices.program].uniforms,
               vertices.first_uniform);
  }
}
// The shader of each buffer; the shader of the picture's pass is the last.
struct Passes {
  std::vector<int> numbers;
  std::vector<const FragmentShader*> shaders;
  std::deque<FragmentShader> own;

  explicit Passes(const FragmentShader& shader) {
    for (int pass = 0; pass <= kPicturePass; ++pass) {
      if (pass < kPicturePass && shader.buffers[size_t(pass)].text.empty()) continue;
      numbers.push_back(pass);
      const bool is_whole = pass == kPicturePass && shader.common.empty();
      shaders.push_back(is_whole ? &shader : &own.emplace_back(pass_of(shader, pass)));
    }
  }
};

CompiledPass checked(const Frame& frame, const FragmentShader& source, Loading& loading) {
  auto [text, program] = compile(source.text, source.name, shader::Stage::fragment, loading);
  CompiledPass own{source, std::move(text), std::move(program), {}, {}};
  if (!source.vertex.text.empty()) {
    const VertexShader& vertex = source.vertex;
    if (vertex.instances < 1 || vertex.instances > kMaxInstances)
      refuse(vertex, "", fmt::format("{} instances; give 1 to {}", vertex.instances, kMaxInstances));
    std::tie(own.vertex_text, own.vertex.emplace()) = compile(vertex.text, vertex.name, shader::Stage::vertex, loading);
    check_attributes(vertex, *own.vertex);
    check_uniforms(Frame{}, vertex, *own.vertex);
    check_samplers(Frame{}, vertex, *own.vertex);
  }
  check_inputs(frame, own);
  check_uniforms(frame, source, own.program);
  check_samplers(frame, source, own.program);
  check_given(own);
  return own;
}

// Shades the vertices of a frame with a vertex shader.
void shade(Frame& frame, const FragmentShader& shader, Loading& loading) {
  if (shader.vertex.text.empty()) return;
  const std::vector<VertexFailure> failures = run_vertex_programs(frame, loading);
  if (!failures.empty()) throw std::runtime_error(shader.vertex.name + ": " + failures.front().reason);
}

}  // namespace

std::vector<ShaderUniform> shader_uniforms(const Frame& frame, const FragmentShader& shader) {
  const LoadOptions load;
  Loading loading(load);
  const Passes passes(shader);
  const CompiledPass own = typed<ShaderError>([&] {
    for (size_t i = 0; i + 1 < passes.shaders.size(); ++i) checked(frame, *passes.shaders[i], loading);
    return checked(frame, *passes.shaders.back(), loading);
  });
  std::vector<ShaderUniform> all;
  for (const shader::Uniform* const declared : declared_uniforms_of(own)) {
    const shader::Uniform& uniform = *declared;
    ShaderUniform one{uniform.name, ShaderType::f32, {}};
    if (uniform.kind != Kind::number) one.type = uniform.kind == Kind::whole ? ShaderType::i32 : ShaderType::u32;
    for (const uint32_t word : words_of_uniform(uniform, shader)) {
      one.values.push_back(uniform.kind == Kind::number  ? double(std::bit_cast<float>(word))
                           : uniform.kind == Kind::whole ? double(int32_t(word))
                                                         : double(word));
    }
    all.push_back(std::move(one));
  }
  return all;
}

void set_fragment_shader(Frame& frame, const FragmentShader& shader, const LoadOptions& load) {
  Loading loading(load);
  loading.holds(memory_of(frame), "frame");
  typed<FileError>([&] { validate(frame, loading); });
  typed<ShaderError>([&] {
    const auto is_of_scene = [](const Command& command) {
      const auto* const draw = std::get_if<DrawCommand>(&command);
      return draw != nullptr && draw->vertex_kind == VertexKind::transform;
    };
    if (!shader.vertex.text.empty() && std::none_of(frame.commands.begin(), frame.commands.end(), is_of_scene))
      refuse(shader.vertex, "",
             "the frame's vertices are in clip space, because a game has projected "
             "them; draw a scene with it");
    const Passes passes(shader);
    std::vector<CompiledPass> all;
    for (const FragmentShader* pass : passes.shaders) all.push_back(checked(frame, *pass, loading));
    if (shader.has_buffers()) add_buffers(frame, shader, loading);
    add_pass_draws(frame, all.back(), kPicturePass, loading);
    for (size_t i = 0; i + 1 < all.size(); ++i) add_pass_draws(frame, all[i], passes.numbers[i], loading);
    for (const CompiledPass& own : all) fill_uniforms(frame, own);
    shade(frame, shader, loading);
  });
}

void set_vertex_shader(Frame& frame, const VertexShader& vertex, const LoadOptions& load) {
  set_fragment_shader(frame, {.text = plain_fragment_text(), .name = vertex.name, .vertex = vertex}, load);
}

void update_fragment_shader(Frame& frame, const FragmentShader& shader) {
  const LoadOptions load;
  Loading loading(load);
  typed<ShaderError>([&] {
    update_keyboard(frame, shader);
    const Passes passes(shader);
    for (const FragmentShader* pass : passes.shaders) fill_uniforms(frame, checked(frame, *pass, loading));
    shade(frame, shader, loading);
  });
}

}  // namespace brokkr
