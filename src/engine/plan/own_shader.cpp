// Checks what a user's shader reads, and gives its uniforms their values.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/failure.h"
#include "base/loading.h"
#include "base/nearest_name.h"
#include "brokkr/fragment_shader.h"
#include "plan/own_buffers.h"
#include "plan/own_draws.h"
#include "plan/own_text.h"
#include "plan/own_values.h"
#include "shader/captured.h"
#include "shader/spirv_module.h"

namespace brokkr {
namespace {

using shader::Kind;

constexpr double kMostSeconds = 1e9;  // b_time, a float, no longer tells minutes apart

// "NAME:12: what is wrong", at the line where the text first has `name`.
[[noreturn]] void refuse(const FragmentShader& shader, const std::string& name, const std::string& what) {
  const uint32_t line = name.empty() ? 0 : line_of_name(shader.text, variable_name(name));
  throw std::runtime_error(shader.name + (line == 0 ? ": " : fmt::format(":{}: ", line)) + what);
}

OwnShader compile(const FragmentShader& shader, Loading& loading) {
  std::optional<shader::ShaderError> failure;
  for (std::string& text : completed_shaders(shader.text)) {
    OwnShader own{shader, std::move(text), {}};
    try {
      own.program = shader::translate_text(own.text, shader.name, loading);
      return own;
    } catch (const shader::ShaderError& error) {
      // The compiler that came furthest tells what is wrong with the text.
      if (!failure || error.line() > failure->line()) failure = error;
      // What no line is to blame for, as the time that it takes, is not tried again, but for a main that is not there.
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

// Whether any program of the frame has a variable of this name in the member list `of`.
template <class Variable>
bool is_captured(const Frame& frame, std::vector<Variable> FragmentProgram::*of, const std::string& name) {
  return std::any_of(frame.programs.begin(), frame.programs.end(), [&](const FragmentProgram& program) {
    return std::any_of((program.*of).begin(), (program.*of).end(),
                       [&](const Variable& one) { return variable_name(one.name) == variable_name(name); });
  });
}

void check_inputs(const Frame& frame, const OwnShader& own) {
  for (const shader::Input& input : own.program.inputs) {
    if (input.kind != shader::InputKind::varying) continue;
    const GivenInput* const given = find_given(given_inputs(), input.name);
    if (given != nullptr && given->words != input.words)
      refuse(own.source, input.name,
             fmt::format("'{}' has {}, not {}", input.name, numbers(given->words), input.words));
    if (given == nullptr && !is_captured(frame, &FragmentProgram::varyings, input.name))
      refuse(own.source, input.name,
             fmt::format("'{}' is no input that there is{}; docs/guide/shaders.md lists them", input.name,
                         did_you_mean(input.name, names_of(given_inputs()))));
  }
}

void check_uniforms(const Frame& frame, const OwnShader& own) {
  for (const shader::Uniform& uniform : own.program.uniforms) {
    const std::string& name = uniform.name;
    if (!uniform.block.empty() && !is_captured(frame, &FragmentProgram::blocks, uniform.block))
      refuse(own.source, uniform.block,
             fmt::format("'{}': blocks are not given; declare uniforms by themselves", uniform.block));
    const GivenUniform* const given = find_given(given_uniforms(), name);
    const bool is_other = given != nullptr && (given->words != uniform.words || given->kind != uniform.kind);
    if (is_other && (name.starts_with("b_") || uniform.words > given->words))
      refuse(own.source, name,
             fmt::format("'{}' is {} of {}, not {} of {}", name, numbers(given->words), name_of(given->kind),
                         uniform.words, name_of(uniform.kind)));
    if (given == nullptr && name.starts_with("b_"))
      refuse(own.source, name,
             fmt::format("'{}' is no uniform that there is{}; names that begin with b_ are Brokkr's", name,
                         did_you_mean(name, names_of(given_uniforms()))));
  }
}

void check_samplers(const Frame& frame, const OwnShader& own) {
  for (const shader::SamplerInput& sampler : own.program.samplers) {
    const std::string& name = sampler.name;
    if (is_captured(frame, &FragmentProgram::samplers, name)) continue;
    if (sampler.compares || sampler.kind != TextureKind::two || sampler.type != SampledType::real)
      refuse(own.source, name, fmt::format("'{}' is no sampler2D, the only one that reads pictures", name));
    if (name.starts_with("b_") && find_given(given_samplers(), name) == nullptr)
      refuse(own.source, name,
             fmt::format("'{}' is no texture that there is{}; names that begin with b_ are Brokkr's", name,
                         did_you_mean(name, names_of(given_samplers()))));
  }
}

bool is_own(const shader::Uniform& uniform) {
  return uniform.block.empty() && find_given(given_uniforms(), uniform.name) == nullptr;
}

// Checks that every uniform and texture that the caller gives exists in the shader.
void check_given(const OwnShader& own) {
  const FragmentShader& source = own.source;
  std::vector<std::string> known;
  for (const shader::Uniform& uniform : own.program.uniforms) {
    if (is_own(uniform)) known.push_back(uniform.name);
  }
  for (const auto& [name, values] : source.uniforms) {
    const auto found =
        std::find_if(own.program.uniforms.begin(), own.program.uniforms.end(),
                     [&, &wanted = name](const shader::Uniform& one) { return is_own(one) && one.name == wanted; });
    if (found == own.program.uniforms.end())
      refuse(source, "", fmt::format("the shader reads no uniform '{}' of its own{}", name, did_you_mean(name, known)));
    if (values.size() != found->words)
      refuse(source, name, fmt::format("uniform '{}' has {}, not {}", name, numbers(found->words), values.size()));
    for (const double value : values) {
      const double least = found->kind == Kind::whole ? -2147483648.0 : 0,
                   most = found->kind == Kind::whole ? 2147483647.0 : 4294967295.0;
      if (found->kind != Kind::number && (std::floor(value) != value || value < least || value > most))
        refuse(source, name, fmt::format("uniform '{}' is of {}; {} is none", name, name_of(found->kind), value));
    }
  }
  known.clear();
  for (const shader::SamplerInput& sampler : own.program.samplers) {
    if (find_given(given_samplers(), sampler.name) == nullptr) known.push_back(sampler.name);
  }
  for (const auto& [name, image] : source.textures) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(source, "", fmt::format("the shader reads no texture '{}' of its own{}", name, did_you_mean(name, known)));
    if (image.width < 1 || image.height < 1 || image.width > kMaxTargetSize || image.height > kMaxTargetSize)
      refuse(source, name,
             fmt::format("texture '{}' is {} x {} pixels; give it 1 to {} a side", name, image.width, image.height,
                         kMaxTargetSize));
    if (image.texels.size() != size_t(image.width) * size_t(image.height))
      refuse(source, name,
             fmt::format("texture '{}' has {} texels; give {} x {} of them", name, image.texels.size(), image.width,
                         image.height));
  }
  if (!(std::abs(source.time) <= kMostSeconds))
    refuse(source, "", fmt::format("time is {}; give seconds, up to {}", source.time, kMostSeconds));
}

uint32_t bits_of(Kind kind, double value) {
  return kind == Kind::number ? std::bit_cast<uint32_t>(float(value)) : uint32_t(int64_t(value));
}

std::vector<uint32_t> own_words(const shader::Uniform& uniform, const FragmentShader& source) {
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
const ProgramUniform* find_uniform(const FragmentProgram& program, const std::string& name) {
  const auto found = std::find_if(program.uniforms.begin(), program.uniforms.end(),
                                  [&](const ProgramUniform& one) { return one.block < 0 && one.name == name; });
  return found == program.uniforms.end() ? nullptr : &*found;
}

// That what a draw names is there, in a frame that may have been changed since it was validated.
void require_draw(const Frame& frame, size_t command, const DrawCommand& draw) {
  const auto require = [&](const char* field, uint64_t number, size_t size) {
    if (number < size) return;
    throw std::runtime_error(fmt::format(
        "command {}, field '{}': the frame has {} of them, and {} is asked for; set the shader of a whole frame anew",
        command, field, size, number));
  };
  require("inputs", uint64_t(draw.inputs), frame.inputs.size());
  require("program", frame.inputs[size_t(draw.inputs)].program, frame.programs.size());
  require("material", draw.material, frame.materials.size());
  require("first_view", draw.first_view, frame.views.size());
  require("target", frame.views[draw.first_view].target, frame.targets.size());
}

// Texts for local players declare some of Shadertoy's uniforms with fewer numbers or of another kind.
void fill_given(const GivenUniform& given, const shader::Uniform& uniform, const UniformPlace& at, uint32_t* to) {
  if (given.kind == uniform.kind && given.words == uniform.words) return given.fill(at, to);
  std::vector<uint32_t> words(given.words);
  given.fill(at, words.data());
  for (uint32_t i = 0; i < uniform.words; ++i) {
    const double value =
        given.kind == Kind::number ? double(std::bit_cast<float>(words[i])) : double(int32_t(words[i]));
    to[i] = bits_of(uniform.kind, value);
  }
}

void fill_uniforms(Frame& frame, const OwnShader& own) {
  for (size_t number = 0; number < frame.commands.size(); ++number) {
    const auto* const draw = std::get_if<DrawCommand>(&frame.commands[number]);
    if (draw == nullptr || draw->inputs < 0) continue;
    require_draw(frame, number, *draw);
    const DrawInputs& inputs = frame.inputs[size_t(draw->inputs)];
    const FragmentProgram& program = frame.programs[inputs.program];
    if (program.texts.size() != 1 || program.texts[0] != own.text) continue;
    for (const shader::Uniform& uniform : own.program.uniforms) {
      const ProgramUniform* const place = uniform.block.empty() ? find_uniform(program, uniform.name) : nullptr;
      if (place == nullptr) continue;
      const uint64_t first = inputs.first_uniform + place->offset / 4, size = frame.uniforms.size();
      if (first > size || uniform.words > size - first) {
        throw std::runtime_error(fmt::format(
            "command {}, field 'uniforms': '{}' is beyond the frame's {}; set the shader of a whole frame anew", number,
            uniform.name, size));
      }
      uint32_t* const to = frame.uniforms.data() + first;
      const GivenUniform* const given = find_given(given_uniforms(), uniform.name);
      if (given != nullptr) {
        fill_given(*given, uniform, {frame, *draw, own.source}, to);
      } else if (own.source.uniforms.contains(uniform.name)) {
        std::ranges::copy(own_words(uniform, own.source), to);
      }
    }
  }
}

// The shader of each buffer, and of the picture's pass as the last.
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

OwnShader checked(const Frame& frame, const FragmentShader& source, Loading& loading) {
  OwnShader own = compile(source, loading);
  check_inputs(frame, own);
  check_uniforms(frame, own);
  check_samplers(frame, own);
  check_given(own);
  return own;
}

}  // namespace

std::vector<OwnUniform> own_uniforms(const Frame& frame, const FragmentShader& shader) {
  const LoadOptions load;
  Loading loading(load);
  const Passes passes(shader);
  const OwnShader own = typed<ShaderError>([&] {
    for (size_t i = 0; i + 1 < passes.shaders.size(); ++i) checked(frame, *passes.shaders[i], loading);
    return checked(frame, *passes.shaders.back(), loading);
  });
  std::vector<OwnUniform> all;
  for (const shader::Uniform& uniform : own.program.uniforms) {
    if (!is_own(uniform)) continue;
    OwnUniform one{uniform.name, ShaderType::f32, {}};
    if (uniform.kind != Kind::number) one.type = uniform.kind == Kind::whole ? ShaderType::i32 : ShaderType::u32;
    for (const uint32_t word : own_words(uniform, shader)) {
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
    const Passes passes(shader);
    std::vector<OwnShader> all;
    for (const FragmentShader* pass : passes.shaders) all.push_back(checked(frame, *pass, loading));
    if (shader.has_buffers()) add_buffers(frame, shader, loading);
    add_own_draws(frame, all.back(), kPicturePass, loading);
    for (size_t i = 0; i + 1 < all.size(); ++i) add_own_draws(frame, all[i], passes.numbers[i], loading);
    for (const OwnShader& own : all) fill_uniforms(frame, own);
  });
}

void update_fragment_shader(Frame& frame, const FragmentShader& shader) {
  const LoadOptions load;
  Loading loading(load);
  typed<ShaderError>([&] {
    update_keyboard(frame, shader);
    const Passes passes(shader);
    for (const FragmentShader* pass : passes.shaders) fill_uniforms(frame, checked(frame, *pass, loading));
  });
}

}  // namespace brokkr
