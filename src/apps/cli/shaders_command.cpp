// brokkr shaders: shows how a fragment shader is compiled, and its picture.
#include <stdexcept>
#include <string>

#include "app/input.h"
#include "cli/commands.h"

#if defined(BROKKR_HAVE_SHADERS)
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/picture.h"
#include "app/text.h"
#include "cli/shader_file.h"
#include "machine/cpu_isa.h"
#include "shade/kernels.h"
#include "shader/assemble.h"
#include "shader/print_cpp.h"
#include "shader/simplify.h"
#endif

namespace brokkr::app {
namespace {

#if defined(BROKKR_HAVE_SHADERS)
const char* name_of_kind(shader::Kind kind) {
  return kind == shader::Kind::number ? "float" : kind == shader::Kind::whole ? "int" : "uint";
}

const char* name_of_input(const shader::Program& program, const shader::Input& input) {
  if (program.stage == shader::Stage::vertex) return "attribute";
  if (input.kind != shader::InputKind::varying) return "built in";
  if (input.interpolation == shader::Interpolation::flat) return "flat";
  return input.interpolation == shader::Interpolation::smooth ? "smooth" : "noperspective";
}

// An input or output of the shader.
struct Value {
  const char* kind;
  std::string name;
  std::optional<size_t> numbers;  // a sampler has none
  std::string details;
};

std::vector<Value> values_of(const shader::Program& program) {
  std::vector<Value> values;
  for (const shader::Input& input : program.inputs)
    values.push_back({"input", printable(input.name), input.words, name_of_input(program, input)});
  for (const shader::Uniform& uniform : program.uniforms)
    values.push_back({"uniform", printable(uniform.name), uniform.words, name_of_kind(uniform.kind)});
  for (const shader::SamplerInput& sampler : program.samplers)
    values.push_back({"sampler", printable(sampler.name), {}, sampler.compares ? "compares depths" : "colours"});
  for (const shader::Output& output : program.outputs)
    values.push_back({"output", printable(output.name), output.words,
                      program.stage == shader::Stage::vertex           ? "varying"
                      : output.location == shader::kSampleMaskLocation ? "sample mask"
                      : output.location < 0                            ? "depth"
                                                                       : fmt::format("colour {}", output.location)});
  return values;
}

// Writes the shader's size and values: as JSON to `json`, and as text unless that is standard output.
void show_summary(const std::string& file, const shader::Program& program, const std::string& json) {
  const shader::Code code = shader::assemble(program);
  const auto count = [&](shader::Op op) {
    return uint64_t(
        std::count_if(program.code.begin(), program.code.end(), [&](const auto& one) { return one.op == op; }));
  };
  const uint64_t loops = count(shader::Op::begin_loop), lookups = count(shader::Op::sample),
                 discards = count(shader::Op::discard);
  const std::vector<Value> values = values_of(program);
  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& [kind, name, numbers, details] : values) {
    const auto number = numbers ? nlohmann::ordered_json(*numbers) : nlohmann::ordered_json();
    listed.push_back({{"kind", kind}, {"name", name}, {"numbers", number}, {"how", details}});
    rows.push_back({kind, name, numbers ? std::to_string(*numbers) : "-", details});
  }
  const nlohmann::ordered_json summary = {{"file", file},
                                          {"instructions", code.instructions.size()},
                                          {"once_per_draw", code.head},
                                          {"loops", loops},
                                          {"lookups", lookups},
                                          {"discards", discards},
                                          {"registers", code.registers},
                                          {"values", listed}};
  if (write_document(json, summary)) return;
  std::cout << fmt::format("{}: {}, {} of them once per draw, {}, {}, {}, {}\n", file,
                           counted(code.instructions.size(), "instruction"), code.head, counted(loops, "loop"),
                           counted(lookups, "texture lookup"), counted(discards, "discard"),
                           counted(code.registers, "register"))
            << format_table({"", "name", "numbers", "how"}, rows);
}

int run_shaders(const Arguments& arguments) {
  if (arguments.text("FILE").ends_with(".bkf")) return show_programs(arguments.text("FILE"), arguments);
  for (const char* const option : {"program", "vertex-program"}) {
    if (arguments.has(option)) throw UsageError(fmt::format("--{}: applies only to captured frames", option));
  }
  const std::string file = arguments.text("FILE"), print = arguments.text("print"), picture = arguments.text("output");
  if (!picture.empty()) require_ending(picture, {".png"}, "--output");
  if (arguments.has("json") && !print.empty()) throw UsageError("--json, --print: give only one of them");
  if (is_loadable(file))
    throw std::runtime_error(printable(file) + ": this is a scene; name a shader, which `brokkr render FILE " +
                             "--fragment SHADER` draws it with");
  const ShaderText source = ShaderText::of_file(file);
  if (print == "glsl") {
    std::cout << source.preprocessed();
    return kSuccess;
  }
  shader::Program program = source.program();
  shader::verify(program);
  const shader::ShaderKernel& kernel = *shader::find_kernel(best_cpu_isa());
  const auto [width, height] = arguments.has("size") ? arguments.size("size") : std::pair(512, 512);
  std::vector<std::string> given = arguments.all("uniform");
  if (source.is_toy() && !picture.empty())
    given.insert(given.begin(), fmt::format("iResolution={},{},1", width, height));
  const std::map<uint32_t, uint32_t> uniforms = uniform_words(program, given);
  shader::fold(program, uniforms, kernel);
  shader::sweep(program);
  shader::verify(program);
  if (print == "ir") std::cout << shader::to_text(program);
  if (print == "cpp") std::cout << shader::to_cpp(shader::assemble(program), "brokkr_shader");
  if (!picture.empty()) {
    const Image image = shader_picture(program, width, height, uniforms, arguments.all("texture"));
    write_pixels(picture, image.width, image.height, image.texels);
  }
  if (print.empty()) show_summary(file, program, arguments.text("json"));
  return kSuccess;
}
#else
int run_shaders(const Arguments&) {
  throw std::runtime_error("shaders: this program was built without them; build with -DBROKKR_SHADERS=ON");
}
#endif

}  // namespace

Command shaders_command() {
  return {
      "shaders",
      "Show how a fragment or vertex shader (GLSL or SPIR-V) or the programs of a captured frame are compiled, and "
      "draw a fragment shader alone",
      {needed(file_option("FILE", "FILE",
                          "Fragment shader, GLSL 1.10 to 4.60 or Shadertoy's mainImage, vertex shader (.vert, .vs), "
                          "SPIR-V of either, or captured frame (.bkf)")),
       integer_option("--program", "Program of a captured frame to print, by its number in the table", 0, 4294967295.0),
       integer_option("--vertex-program", "The same for a vertex program, by its number in the second table", 0,
                      4294967295.0),
       choice_option("--print", "WHAT",
                     "Instead of a summary, print the text as the compiler sees it (glsl), the instructions (ir), or "
                     "the C++ into which --shaders compiled translates them (cpp)",
                     {"glsl", "ir", "cpp"}),
       announced(output_option(
           "-o,--output", "FILE",
           "Draw one triangle over a picture, in which every varying is (x, y, 1, 1), x and y from 0 to 1: "
           ".png")),
       size_option("--size", "Size of the picture (512x512)", 1, 8192),
       several(text_option("--uniform", "NAME=V,V",
                           "Values of a uniform, which become constants of the shader; other uniforms are 0 in a "
                           "picture. May be given several times")),
       several(named_file_option("--texture", "NAME=FILE",
                                 "Picture for a sampler (black without one). May be given several times",
                                 FileUse::read)),
       json_option("Instead of --print: write the summary as JSON"), memory_option()},
      run_shaders};
}

}  // namespace brokkr::app
