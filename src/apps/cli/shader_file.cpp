#include "cli/shader_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/input.h"
#include "app/shader_option.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/loading.h"
#include "base/nearest_name.h"
#include "brokkr/load.h"
#include "machine/cpu_isa.h"
#include "plan/prepare.h"
#include "plan/user_shader.h"
#include "shade/kernels.h"
#include "shade/triangle.h"
#include "shader/captured.h"
#include "shader/print_cpp.h"
#include "shader/spirv_module.h"
#include "shader/textures.h"

namespace brokkr::app {

namespace {

// Returns true if the first entry point of a SPIR-V module is a vertex shader.
bool is_vertex_module(const std::string& bytes) {
  if (!shader::is_spirv(bytes)) return false;
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  constexpr size_t kHeader = 5;
  constexpr uint32_t kEntryPoint = 15;
  for (size_t index = kHeader; index + 1 < words.size(); index += std::max(words[index] >> 16, 1u)) {
    if ((words[index] & 0xffff) == kEntryPoint) return words[index + 1] == 0;
  }
  return false;
}

}  // namespace

ShaderText ShaderText::of_file(const std::string& file) {
  ShaderText shader(file, with_includes(std::string(as_text(read_file(file, shader::kMaxText))), file));
  const std::string ending = std::filesystem::path(file).extension().string();
  const bool is_vertex = ending == ".vert" || ending == ".vs" || is_vertex_module(shader.text_);
  if (is_vertex) shader.task_ = shader::GlslTask::compile_vertex;
  shader.is_toy_ = !is_vertex && is_toy_shader(shader.text_);
  if (!shader.is_toy_ && !is_vertex) return shader;
  const std::vector<std::string> all = completed_shaders(shader.text_);
  for (const std::string& text : all) {
    shader.text_ = text;
    if (shader.answer(shader.task_).is_good()) return shader;
  }
  shader.text_ = all.front();
  return shader;
}

void ShaderText::fail(unsigned line, const std::string& what) const {
  throw std::runtime_error(line == 0 ? fmt::format("{}: {}", file_, printable(what))
                                     : fmt::format("{}:{}: {}", file_, line, printable(what)));
}

shader::GlslAnswer ShaderText::answer(shader::GlslTask task) const {
  const LoadOptions options;
  Loading loading(options);
  const shader::Texts texts{text_};
  const shader::Texts* const program = &texts;
  shader::GlslAnswer answer;
  shader::run_glsl(task, {&program, 1}, loading, [&](size_t, shader::GlslAnswer one) { answer = std::move(one); });
  return answer;
}

std::string ShaderText::result(shader::GlslTask task) const {
  shader::GlslAnswer one = answer(task);
  if (!one.is_good()) fail(one.line, one.problem);
  return std::move(one.bytes);
}

std::string ShaderText::preprocessed() const { return result(shader::GlslTask::preprocess); }

shader::Program ShaderText::program() const {
  const std::string bytes = result(task_);
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  try {
    shader::SpirvModule module = shader::read_module(std::move(words));
    if (shader::is_spirv(text_)) shader::name_by_numbers(module);
    return shader::translate(module);
  } catch (const shader::ShaderError& error) {
    fail(error.line(), error.what());
  }
}

namespace {

// The index of the element of `all` with this name.
template <class Named>
size_t find_named(const std::vector<Named>& all, const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const Named& one : all) known.push_back(one.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return size_t(found - known.begin());
  throw UsageError(fmt::format("the shader has no {} '{}'{}", what, printable(name), meant_or_known(name, known)));
}

uint32_t bits_of(const std::string& value, shader::Kind kind) {
  const double number = uniform_number(value);
  if (kind == shader::Kind::number) return std::bit_cast<uint32_t>(float(number));
  if (std::floor(number) != number || number < -2147483648.0 || number > 4294967295.0)
    throw UsageError(fmt::format("--uniform: '{}' is not a 32-bit integer", value));
  return uint32_t(int64_t(number));
}

// Textures for samplers: each given picture with all its levels.
struct Textures {
  Frame frame;
  shader::SampledTextures sampled;
  std::vector<shader::SamplerSlot> slots;
  FrameTables tables{};

  Textures(const shader::Program& program, const std::vector<std::string>& given) : slots(program.samplers.size()) {
    const LoadOptions options;
    Loading loading(options);
    std::vector<BoundTexture>& bound = frame.inputs.emplace_back().textures;
    bound.resize(program.samplers.size());
    for (const std::string& text : given) {
      const auto [name, file] = name_and_value(text, "--texture");
      const size_t number = find_named(program.samplers, name, "sampler");
      const shader::SamplerInput& sampler = program.samplers[number];
      if (sampler.compares)
        throw UsageError(fmt::format("--texture: '{}' compares depths, which pictures do not hold", name));
      if (sampler.kind != TextureKind::two || sampler.type != SampledType::real)
        throw UsageError(fmt::format("--texture: '{}' is not a sampler2D; only those read pictures", name));
      bound[number].texture = add_picture(file, loading);
    }
    sampled = shader::make_sampled_textures(frame, loading);
    for (size_t i = 0; i < slots.size(); ++i) slots[i].record = sampled.record_of(bound[i]);
    tables.sampled = sampled.records.data();
    tables.sampled_texels = sampled.texels.data();
  }

 private:
  int32_t add_picture(const std::string& file, Loading& loading) {
    Image image = read_image(std::filesystem::path(file));
    const Texture texture{file, image.width, image.height, false, std::move(image.texels), {}};
    std::vector<uint32_t> texels;
    const TextureRecord chain = append_mip_chain(texture, texels, loading);
    const auto bytes = std::as_bytes(std::span(texels));
    frame.captured_textures.push_back({.width = texture.width,
                                       .height = texture.height,
                                       .levels = int(chain.levels),
                                       .stored = true,
                                       .first_byte = frame.texture_data.size()});
    frame.texture_data.insert(frame.texture_data.end(), bytes.begin(), bytes.end());
    return int32_t(frame.captured_textures.size()) - 1;
  }
};

uint32_t pixel_of(const float* color, uint32_t words) {
  uint32_t pixel = words < 4 ? 0xff000000u : 0;
  for (uint32_t c = 0; c < std::min(words, 4u); ++c) {
    const float channel = color[c] > 0 ? std::min(color[c], 1.0f) : 0.0f;  // NaN becomes 0
    pixel |= uint32_t(std::lround(channel * 255)) << (8 * c);
  }
  return pixel;
}

}  // namespace

std::map<uint32_t, uint32_t> uniform_words(const shader::Program& program, const std::vector<std::string>& given) {
  std::map<uint32_t, uint32_t> words;
  for (const std::string& text : given) {
    const auto [name, value] = name_and_value(text, "--uniform");
    const shader::Uniform& uniform = program.uniforms[find_named(program.uniforms, name, "uniform")];
    const std::vector<std::string> values = split(value);
    if (values.size() > uniform.words)
      throw UsageError(
          fmt::format("--uniform: '{}' has {}, not {}", name, counted(uniform.words, "number"), values.size()));
    for (uint32_t i = 0; i < values.size(); ++i) words[uniform.first + i] = bits_of(values[i], uniform.kind);
  }
  return words;
}

Image shader_picture(const shader::Program& program, int width, int height,
                     const std::map<uint32_t, uint32_t>& uniforms, const std::vector<std::string>& textures) {
  if (program.stage == shader::Stage::vertex)
    throw UsageError("--output: a vertex shader alone has no picture; draw a scene: brokkr render FILE --vertex …");
  const auto color = std::find_if(program.outputs.begin(), program.outputs.end(),
                                  [](const shader::Output& output) { return output.location == 0; });
  if (color == program.outputs.end()) throw std::runtime_error("the shader writes no colour");
  const Textures bound(program, textures);
  const shader::Code code = shader::assemble(program);
  std::vector<uint32_t> words(program.uniform_words);
  for (const auto& [word, bits] : uniforms) words[word] = bits;
  if (program.height_word != shader::kNoWord) words[program.height_word] = std::bit_cast<uint32_t>(float(height));
  shader::Instance instance(code, *shader::find_kernel(best_cpu_isa()), std::move(words));
  instance.bind(bound.tables, bound.slots);

  std::array<std::vector<uint32_t>, 3> corners;
  for (std::vector<uint32_t>& corner : corners) corner.assign(program.input_words, 0);
  for (const shader::Input& input : program.inputs) {
    for (uint32_t i = 0; i < input.words; ++i) {
      for (uint32_t c = 0; c < 3; ++c) {
        const float value = i < 2 ? (c == i + 1 ? 2.0f : 0.0f) : 1.0f;  // at 2 the corner lies outside
        corners[c][input.first + i] = std::bit_cast<uint32_t>(value);
      }
    }
  }
  const shader::TrianglePicture picture = shader::shade_triangle(program, instance, width, height, corners);
  Image image{width, height, {}, true};
  for (size_t i = 0; i < picture.kept.size(); ++i) {
    const float* const pixel = picture.outputs.data() + i * program.output_words + color->first;
    image.texels.push_back(picture.kept[i] != 0 ? pixel_of(pixel, color->words) : 0);
  }
  return image;
}

namespace {

using shader::CapturedProgram;

// Totals over the draws of one program.
struct Use {
  uint64_t draws = 0;
  std::set<uint32_t> missing;  // sampler numbers of textures that a draw reads and the file lacks
};

bool is_missing(const Frame& frame, const BoundTexture& bound) {
  if (bound.texture < 0) return true;
  const CapturedTexture& texture = frame.captured_textures[size_t(bound.texture)];
  return !texture.stored && texture.images.empty();
}

std::vector<Use> uses_of(const Frame& frame, const std::vector<CapturedProgram>& programs) {
  std::vector<Use> uses(programs.size());
  for (const auto& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->inputs < 0) continue;
    const DrawInputs& inputs = frame.inputs[size_t(draw->inputs)];
    const uint32_t number = shader::program_number(programs, frame, inputs);
    ++uses[number].draws;
    for (const shader::Instruction& one : programs[number].program.code) {
      if (one.op != shader::Op::sample) continue;
      const uint32_t sampler = one.extra & shader::kSamplerMask;
      const uint32_t texture = sampler < programs[number].textures.size() ? programs[number].textures[sampler] : 0;
      if (texture < inputs.textures.size() && is_missing(frame, inputs.textures[texture]))
        uses[number].missing.insert(sampler);
    }
  }
  return uses;
}

uint64_t count_of(const CapturedProgram& program, shader::Op op) {
  return uint64_t(std::count_if(program.program.code.begin(), program.program.code.end(),
                                [&](const shader::Instruction& one) { return one.op == op; }));
}

using ProgramJson = nlohmann::ordered_json;

// One object for each program. One that cannot run has its failure instead of its numbers.
ProgramJson programs_json(const Frame& frame, const std::vector<CapturedProgram>& programs) {
  const std::vector<Use> uses = uses_of(frame, programs);
  ProgramJson all = ProgramJson::array();
  for (size_t i = 0; i < programs.size(); ++i) {
    const CapturedProgram& one = programs[i];
    const FragmentProgram& program = frame.programs[one.number];
    ProgramJson row = {{"program", i},
                       {"draws", uses[i].draws},
                       {"text", program.fixed ? "fixed function" : fmt::format("GLSL {}", program.version)}};
    if (one.failure.empty()) {
      row["instructions"] = one.code.instructions.size();
      row["registers"] = one.code.registers;
      row["lookups"] = count_of(one, shader::Op::sample);
      row["discards"] = count_of(one, shader::Op::discard);
      row["without_texture"] = uses[i].missing.size();
    } else {
      row["failure"] = one.failure;
    }
    all.push_back(std::move(row));
  }
  return all;
}

ProgramJson vertex_programs_json(const Frame& frame, const std::vector<shader::CapturedVertexProgram>& programs) {
  std::vector<uint64_t> draws(programs.size());
  for (const auto& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw != nullptr && draw->vertices >= 0) ++draws[frame.vertex_inputs[size_t(draw->vertices)].program];
  }
  ProgramJson all = ProgramJson::array();
  for (size_t i = 0; i < programs.size(); ++i) {
    const VertexProgram& program = frame.vertex_programs[i];
    ProgramJson row = {{"vertex_program", i}, {"draws", draws[i]}, {"text", fmt::format("GLSL {}", program.version)}};
    if (programs[i].failure.empty()) {
      row["instructions"] = programs[i].code.instructions.size();
      row["registers"] = programs[i].code.registers;
    } else {
      row["failure"] = programs[i].failure;
    }
    row["attributes"] = program.attributes.size();
    row["uniforms"] = uniform_words(program);
    all.push_back(std::move(row));
  }
  return all;
}

// A table with a column for each of `keys`, and then the failures.
void print_table(const ProgramJson& programs, const std::vector<std::string>& keys) {
  std::vector<std::string> heading;
  for (const std::string& key : keys) {
    heading.push_back(key);
    std::ranges::replace(heading.back(), '_', ' ');
  }
  std::vector<std::vector<std::string>> rows;
  for (const ProgramJson& program : programs) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& key : keys) {
      const bool has = program.contains(key);
      row.push_back(!has                       ? key == "instructions" ? "fails" : "-"
                    : program[key].is_string() ? program[key].get<std::string>()
                                               : grouped(program[key].get<uint64_t>()));
    }
  }
  std::cout << format_table(heading, rows);
  for (const ProgramJson& program : programs) {
    if (program.contains("failure"))
      std::cout << fmt::format("{} {}: {}\n", heading.front(), program[keys.front()].get<uint64_t>(),
                               printable(program["failure"].get<std::string>()));
  }
}

void print_text(const std::string& name, const shader::Texts& texts) {
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) std::cout << fmt::format("// text {}\n", i + 1);
    std::cout << ShaderText(name, texts[i]).preprocessed();
  }
}

// Prints one program. `one`: a CapturedProgram or CapturedVertexProgram.
void print_program(const std::string& name, const std::string& print, const shader::Texts& texts, const auto& one) {
  if (print == "glsl") {
    print_text(name, texts);
  } else if (!one.failure.empty()) {
    throw std::runtime_error(fmt::format("{}: {}", name, one.failure));
  } else if (print == "cpp") {
    std::cout << shader::to_cpp(one.code, "brokkr_shader");
  } else {
    std::cout << shader::to_text(one.program);
  }
}

// As JSON in the file `json`, and as tables unless it is standard output.
void show_tables(const std::string& json, const ProgramJson& programs, const ProgramJson& vertex_programs) {
  if (write_document(json, {{"programs", programs}, {"vertex_programs", vertex_programs}})) return;
  print_table(programs,
              {"program", "draws", "text", "instructions", "registers", "lookups", "discards", "without_texture"});
  if (vertex_programs.empty()) return;
  std::cout << '\n';
  print_table(vertex_programs,
              {"vertex_program", "draws", "text", "instructions", "registers", "attributes", "uniforms"});
}

}  // namespace

int show_programs(const std::string& file, const Arguments& arguments) {
  for (const char* option : {"output", "size", "uniform", "texture"}) {
    if (arguments.has(option)) throw UsageError(fmt::format("--{}: applies only to a shader in its own file", option));
  }
  const std::string print = arguments.text("print");
  const bool vertex = arguments.has("vertex-program");
  if ((arguments.has("program") || vertex) != !print.empty())
    throw UsageError("--program and --print: give both to print a program, or neither for a table");
  if (arguments.has("program") && vertex) throw UsageError("--program and --vertex-program: give only one of them");
  if (arguments.has("json") && !print.empty()) throw UsageError("--json, --print: give only one of them");
  const LoadOptions options = load_options(arguments);
  const Frame frame = load_frame(file, options);
  if (!arguments.has("json") && frame.programs.empty() && frame.vertex_programs.empty()) {
    std::cout << printable(file) << ": holds no programs; it was captured with --no-programs, or by an old version\n";
    return kSuccess;
  }
  Loading loading(options);
  const auto require = [&](const char* option, size_t number, size_t count) {
    if (count == 0) throw std::runtime_error(fmt::format("{}: --{}: there are no programs of this kind", file, option));
    if (number >= count)
      throw std::runtime_error(
          fmt::format("{}: --{}: there is no program {}; the last one is {}", file, option, number, count - 1));
  };
  if (vertex) {
    const auto programs = shader::translate_vertex_programs(frame, loading);
    const auto number = size_t(arguments.integer("vertex-program", 0));
    require("vertex-program", number, programs.size());
    print_program(fmt::format("{}: vertex program {}", file, number), print, frame.vertex_programs[number].texts,
                  programs[number]);
    return kSuccess;
  }
  const std::vector<CapturedProgram> programs = shader::translate_programs(frame, loading);
  if (print.empty()) {
    show_tables(arguments.text("json"), programs_json(frame, programs),
                vertex_programs_json(frame, shader::translate_vertex_programs(frame, loading)));
    return kSuccess;
  }
  const auto number = size_t(arguments.integer("program", 0));
  require("program", number, programs.size());
  print_program(fmt::format("{}: program {}", file, number), print, programs[number].texts, programs[number]);
  return kSuccess;
}

}  // namespace brokkr::app
