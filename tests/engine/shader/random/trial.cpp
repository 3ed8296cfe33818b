#include "trial.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "pipeline/cpu_machine.h"
#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/glsl/glsl.h"
#include "shader/simplify.h"
#include "shader/spirv_module.h"

namespace brokkr::shader::test {

namespace {

constexpr int kSamples = 64;
constexpr const char* kForms[] = {"plain", "known uniforms", "known textures", "known uniforms and textures"};

// Processors may return different NaNs.
uint32_t same_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits; }

Program verified(Program program) {
  verify(program);
  sweep(program);
  verify(program);
  return program;
}

}  // namespace

struct RandomTrial::Results {
  std::vector<std::array<uint32_t, kSamples>> outputs;  // by word
  uint64_t kept = 0;
};

RandomTrial::RandomTrial(uint64_t seed) : seed_(seed) {
  const std::string text = random_shader(seed);
  Program program = translate(read_module(compile_glsl({&text, 1})));
  verify(program);
  fold_masks(program);
  program_ = verified(std::move(program));
  give(0);
}

void RandomTrial::give(uint64_t round) {
  round_ = round;
  expected_.reset();
  codes_.clear();
  const uint64_t given = seed_ + (round << 40);
  uniforms_ = random_uniforms(given, program_);
  textures_ = std::make_unique<BoundTextures>();
  bind_random_textures(given, program_, *textures_);
  const ShaderKernel& kernel = *find_kernel(best_cpu_isa());
  std::vector<LookupFacts> facts;
  for (size_t i = 0; i < program_.samplers.size(); ++i) {
    const int32_t record = textures_->slots[i].record;
    facts.push_back(facts_of(program_.samplers[i], record < 0 ? nullptr : &textures_->sampled.records[size_t(record)]));
  }
  for (size_t form = 0; form < std::size(kForms); ++form) {
    Program made = program_;
    if ((form & 1) != 0) {
      fold(made, random_known(given, uniforms_), kernel);
      made = verified(std::move(made));
    }
    if ((form & 2) != 0) fold_lookups(made, facts, kernel);
    codes_.push_back(assemble(made));
  }
}

RandomTrial::Results RandomTrial::interpreted(const std::string& isa, size_t form, CompiledShader function) const {
  const ShaderKernel& kernel = *find_kernel(isa);
  Instance instance(codes_[form], kernel, uniforms_);
  instance.bind(textures_->tables, textures_->slots);
  instance.use(function);
  Results results;
  results.outputs.resize(program_.output_words);
  for (int first = 0; first < kSamples; first += kernel.lanes) {
    for (const Input& input : program_.inputs) {
      for (uint32_t i = 0; i < input.words; ++i) {
        const uint32_t word = input.first + i;
        if (input.kind == InputKind::front_facing) instance.set_truths(word, 0x00ff0f3c5aull >> first);
        uint32_t* const lanes = input.kind == InputKind::front_facing ? nullptr : instance.input(word);
        for (int lane = 0; lane < kernel.lanes && lanes != nullptr; ++lane) {
          const int sample = first + lane, quad = sample / 4;
          const float at[] = {float(quad % 4 * 2 + (sample & 1)) + 0.5f, float(quad / 4 * 2 + (sample >> 1 & 1)) + 0.5f,
                              0.5f, 1.0f};
          lanes[lane] = input.kind == InputKind::position            ? std::bit_cast<uint32_t>(at[i])
                        : input.interpolation == Interpolation::flat ? random_input(seed_ + round_, word, 0)
                                                                     : random_input(seed_ + round_, word, sample);
        }
      }
    }
    // Some samples do not run, but complete their quads.
    const uint64_t all = kernel.lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << kernel.lanes) - 1;
    results.kept |= instance.run(0xfffffff7ffffdfffull >> first & all) << first;
    for (uint32_t word = 0; word < program_.output_words; ++word)
      for (int lane = 0; lane < kernel.lanes; ++lane)
        results.outputs[word][size_t(first + lane)] = instance.output(word)[lane];
  }
  return results;
}

std::string RandomTrial::compared(const Results& found, const std::string& isa, size_t form) {
  const auto what = [&] { return fmt::format("seed {}, round {}, {}, {}", seed_, round_, isa, kForms[form]); };
  if (found.kept != expected_->kept)
    return fmt::format("{}: keeps samples {:#x}, not {:#x}", what(), found.kept, expected_->kept);
  for (size_t word = 0; word < found.outputs.size(); ++word) {
    for (size_t sample = 0; sample < kSamples; ++sample) {
      const uint32_t a = found.outputs[word][sample], b = expected_->outputs[word][sample];
      if ((found.kept >> sample & 1) != 0 && same_nan(a) != same_nan(b))
        return fmt::format("{}: output {} of sample {} is {:#010x}, not {:#010x}", what(), word, sample, a, b);
    }
  }
  return {};
}

std::string RandomTrial::run(const std::vector<std::string>& isas) {
  expected_ = std::make_shared<const Results>(interpreted(isas.front(), 0));
  for (const std::string& isa : isas) {
    for (size_t form = 0; form < codes_.size(); ++form) {
      if (isa == isas.front() && form == 0) continue;
      if (std::string fault = compared(interpreted(isa, form), isa, form); !fault.empty()) return fault;
    }
  }
  return {};
}

std::string RandomTrial::run_compiled(const std::string& isa, size_t form, CompiledShader function) {
  if (!expected_) expected_ = std::make_shared<const Results>(interpreted(isa, 0));
  return compared(interpreted(isa, form, function), isa + " compiled", form);
}

}  // namespace brokkr::shader::test
