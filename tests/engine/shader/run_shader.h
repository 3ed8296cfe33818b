// Runs shaders of tests for 64 samples on every build of the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pipeline/cpu_machine.h"
#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/glsl/glsl.h"
#include "shader/simplify.h"
#include "shader/spirv_module.h"

namespace brokkr::shader::test {

inline constexpr int kSamples = 64;

// The builds that this processor supports.
inline std::vector<std::string> runnable_kernels() {
  std::vector<std::string> names;
  for (const std::string& name : kernel_names()) {
    if (cpu_supports(name)) names.push_back(name);
  }
  return names;
}

// The builds for which shaders are compiled at run time.
inline std::vector<std::string> compiled_kernels() {
  std::vector<std::string> names = runnable_kernels();
  std::erase(names, "emulated");
  return names;
}

// Bits with one pattern for all NaNs, since each processor chooses its own pattern.
inline uint32_t same_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits; }

inline Program compiled(const std::string& text, const std::map<uint32_t, uint32_t>& given = {}) {
  Program program = translate(read_module(compile_glsl({&text, 1})));
  verify(program);
  fold(program, given, *find_kernel(runnable_kernels().front()));
  verify(program);
  sweep(program);
  verify(program);
  return program;
}

inline std::string text_of_file(const std::string& name) {
  std::ifstream file(std::string(BROKKR_SOURCE_DIR) + "/tests/engine/shader/texts/" + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Results {
  std::vector<std::array<uint32_t, kSamples>> outputs;  // by word
  uint64_t kept = 0;
  float number(size_t word, int sample) const { return std::bit_cast<float>(outputs[word][size_t(sample)]); }
};

// The textures of samplers; without textures, black.
struct Textures {
  FrameTables tables{};
  std::vector<SamplerSlot> slots = std::vector<SamplerSlot>(kMaxSamplers);
};

// `input(word, sample)`: bits. `uniforms`: bits of all words.
inline Results run_on(const std::string& isa, const Program& program, const std::vector<uint32_t>& uniforms,
                      const std::function<uint32_t(uint32_t, int)>& input, const Textures& textures = {},
                      CompiledShader compiled = nullptr) {
  const ShaderKernel& kernel = *find_kernel(isa);
  const Code code = assemble(program);
  Instance instance(code, kernel, uniforms);
  instance.bind(textures.tables, textures.slots);
  instance.use(compiled);
  Results results;
  results.outputs.resize(program.output_words);
  for (int first = 0; first < kSamples; first += kernel.lanes) {
    for (uint32_t word = 0; word < program.input_words; ++word) {
      for (int lane = 0; lane < kernel.lanes && instance.input(word) != nullptr; ++lane)
        instance.input(word)[lane] = input(word, first + lane);
      uint64_t truths = 0;
      for (int lane = 0; lane < kernel.lanes; ++lane) truths |= uint64_t(input(word, first + lane) & 1) << lane;
      instance.set_truths(word, truths);
    }
    results.kept |= instance.run(kernel.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << kernel.lanes) - 1) << first;
    for (uint32_t word = 0; word < program.output_words; ++word)
      for (int lane = 0; lane < kernel.lanes; ++lane)
        results.outputs[word][size_t(first + lane)] = instance.output(word)[lane];
  }
  return results;
}

// The same on every build; all return the same bits.
inline Results run_everywhere(const Program& program, const std::vector<uint32_t>& uniforms,
                              const std::function<uint32_t(uint32_t, int)>& input, const Textures& textures = {}) {
  Results first;
  for (const std::string& isa : runnable_kernels()) {
    const Results results = run_on(isa, program, uniforms, input, textures);
    if (first.outputs.empty()) first = results;
    EXPECT_EQ(results.kept, first.kept) << isa;
    for (size_t word = 0; word < results.outputs.size(); ++word) {
      for (int sample = 0; sample < kSamples; ++sample) {
        if ((first.kept >> sample & 1) == 0) continue;
        EXPECT_EQ(same_nan(results.outputs[word][size_t(sample)]), same_nan(first.outputs[word][size_t(sample)]))
            << isa << ", output " << word << ", sample " << sample;
      }
    }
  }
  return first;
}

// A number for each word and lane: floats -2 .. 2, integers -3 .. 12.
inline uint32_t some_bits(Kind kind, uint32_t word, int lane) {
  const uint32_t n = (word * 2654435761u + uint32_t(lane) * 40503u) >> 7;
  if (kind == Kind::number) return std::bit_cast<uint32_t>(float(n % 4096) / 1024.0f - 2.0f);
  return uint32_t(int32_t(n % 16) - (kind == Kind::whole ? 3 : 0));
}

inline std::vector<uint32_t> some_uniforms(const Program& program) {
  std::vector<uint32_t> words(program.uniform_words);
  for (const Uniform& uniform : program.uniforms) {
    for (uint32_t i = 0; i < uniform.words; ++i)
      words[uniform.first + i] = some_bits(uniform.kind, uniform.first + i + 1000, 3);
  }
  return words;
}

inline std::vector<Kind> input_kinds(const Program& program) {
  std::vector<Kind> kinds(program.input_words, Kind::number);
  for (const Value& value : program.values) {
    if (value.role == Role::input && value.kind != Kind::mask) kinds[value.payload] = value.kind;
  }
  return kinds;
}

}  // namespace brokkr::shader::test
