#include "cli/frame_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <stdexcept>
#include <vector>

#include "app/input.h"
#include "app/text.h"
#include "base/loading.h"
#include "brokkr/load.h"
#include "cli/shader_file.h"
#include "shader/captured.h"
#include "shader/print_cpp.h"

namespace brokkr::app {
namespace {

using shader::CapturedProgram;

// What the draws of one program come to.
struct Use {
  uint64_t draws = 0;
  std::set<uint32_t> missing;  // textures that a draw reads and the file has not: numbers of samplers
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
      const uint32_t at = sampler < programs[number].textures.size() ? programs[number].textures[sampler] : 0;
      if (at < inputs.textures.size() && is_missing(frame, inputs.textures[at])) uses[number].missing.insert(sampler);
    }
  }
  return uses;
}

std::string count_of(const CapturedProgram& program, shader::Op op) {
  return grouped(uint64_t(std::count_if(program.program.code.begin(), program.program.code.end(),
                                        [&](const shader::Instruction& one) { return one.op == op; })));
}

void print_table(const Frame& frame, const std::vector<CapturedProgram>& programs) {
  const std::vector<Use> uses = uses_of(frame, programs);
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < programs.size(); ++i) {
    const CapturedProgram& one = programs[i];
    const FragmentProgram& program = frame.programs[one.number];
    std::vector<std::string> row = {std::to_string(i), grouped(uses[i].draws),
                                    program.fixed ? "fixed function" : fmt::format("GLSL {}", program.version)};
    if (one.failure.empty()) {
      row.insert(row.end(),
                 {grouped(one.code.instructions.size()), grouped(one.code.registers), count_of(one, shader::Op::sample),
                  count_of(one, shader::Op::discard), grouped(uses[i].missing.size())});
    } else {
      row.insert(row.end(), {"fails", "-", "-", "-", "-"});
    }
    rows.push_back(row);
  }
  std::cout << format_table(
      {"program", "draws", "text", "instructions", "registers", "lookups", "discards", "without texture"}, rows);
  for (size_t i = 0; i < programs.size(); ++i) {
    if (!programs[i].failure.empty()) std::cout << fmt::format("program {}: {}\n", i, printable(programs[i].failure));
  }
}

void print_text(const std::string& file, const CapturedProgram& program, size_t number) {
  for (size_t i = 0; i < program.texts.size(); ++i) {
    if (i > 0) std::cout << fmt::format("// text {}\n", i + 1);
    const std::string name = fmt::format("{}: program {}", file, number);
    std::cout << ShaderText(name, program.texts[i]).preprocessed();
  }
}

}  // namespace

int show_programs(const std::string& file, const Arguments& arguments) {
  for (const char* option : {"output", "size", "uniform", "texture"}) {
    if (arguments.has(option)) throw UsageError(fmt::format("--{}: is for a shader in a file of its own", option));
  }
  const std::string print = arguments.text("print");
  if (arguments.has("program") != !print.empty())
    throw UsageError("--program and --print: one says which, the other what; give both, or none for a table");
  const LoadOptions options = load_options(arguments);
  const Frame frame = load_frame(file, options);
  if (frame.programs.empty()) {
    std::cout << printable(file) << ": holds no programs: captured before there were any, or with --no-programs\n";
    return kSuccess;
  }
  Loading loading(options);
  const std::vector<CapturedProgram> programs = shader::translate_programs(frame, loading);
  if (print.empty()) {
    print_table(frame, programs);
    return kSuccess;
  }
  const auto number = size_t(arguments.integer("program", 0));
  if (number >= programs.size())
    throw std::runtime_error(fmt::format("{}: --program: there are {}, from 0 on", file, programs.size()));
  if (print == "glsl") {
    print_text(file, programs[number], number);
  } else if (!programs[number].failure.empty()) {
    throw std::runtime_error(fmt::format("{}: program {}: {}", file, number, programs[number].failure));
  } else if (print == "cpp") {
    std::cout << shader::to_cpp(programs[number].code, "brokkr_shader");
  } else {
    std::cout << shader::to_text(programs[number].program);
  }
  return kSuccess;
}

}  // namespace brokkr::app
