// What is known of a captured draw before any of its fragments is shaded: whether its program or its alpha test can
// discard one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "brokkr/frame.h"
#include "shader/captured.h"
#include "shader/discards.h"
#include "shader/textures.h"

namespace brokkr {

// How much a frame's proofs may look at: texels and varyings count 1, instructions more. A small file can name the same
// long list again and again. What is not looked at may be anything.
struct ProofWork {
  static constexpr uint64_t kMost = uint64_t(1) << 27, kInstruction = 16;  // 0.2 s; games take a tenth of it

  uint64_t left = kMost;

  bool take(uint64_t work) {
    if (work > left) return false;
    left -= work;
    return true;
  }
};

// What lookups of captured textures can give, for any level of detail.
class TexelRanges {
 public:
  using Channels = std::array<shader::Range, 4>;

  // Of what a draw binds to a sampler; texels that commands of the frame change can be anything. Reads all levels, once
  // for each record.
  const Channels& get(const Frame& frame, const shader::SampledTextures& textures, const BoundTexture& bound,
                      ProofWork& work);

 private:
  std::map<int32_t, Channels> of_record_;
};

// A draw's program and its alpha test, and what they are given. Uniforms may change.
class DrawDiscards {
 public:
  // The ranges of varyings are those of the draw's vertices: a sample that counts as inside, but lies outside by
  // rounding, has no say. `alpha_word`: the program's output word that is tested; kNoOutput: alpha is 1.
  DrawDiscards(const Frame& frame, const DrawCommand& draw, const shader::CapturedProgram& program, uint32_t alpha_word,
               ProofWork& work);

  // Takes the draw's textures into account from now on.
  void add_textures(const Frame& frame, const DrawInputs& inputs, const shader::CapturedProgram& program,
                    const shader::SampledTextures& textures, TexelRanges& ranges, ProofWork& work);

  struct Possible {
    bool by_program, by_alpha_test;
  };
  // With these uniforms, by uniform word of the program.
  Possible possible(const shader::CapturedProgram& program, std::span<const uint32_t> uniforms);
  // What `possible` looks at.
  static uint64_t work_of(const shader::CapturedProgram& program);

 private:
  AlphaTest alpha_test_{CompareFunc::always, 0};
  uint32_t alpha_word_;
  shader::DrawFacts facts_;
};

}  // namespace brokkr
