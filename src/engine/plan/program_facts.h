// Proves, before any fragment of a captured draw is shaded, whether its program or its alpha test can discard one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "brokkr/frame.h"
#include "shader/captured.h"
#include "shader/simplify.h"
#include "shader/textures.h"

namespace brokkr {

// The work budget of a frame's proofs: a texel or a varying counts 1, an instruction counts more. A small file can name
// the same long list again and again. Beyond the budget, data is assumed to have any value.
struct ProofWork {
  static constexpr uint64_t kMaxWork = uint64_t(1) << 27, kInstruction = 16;  // about 0.2 s; games use a tenth of it

  uint64_t left = kMaxWork;

  bool take(uint64_t work) {
    if (work > left) return false;
    left -= work;
    return true;
  }
};

// The ranges of the values that lookups of captured textures can return, at any level of detail.
class TexelRanges {
 public:
  using Channels = std::array<shader::Range, 4>;

  // The range of the texture that a draw binds to a sampler. A texture that commands of the frame change may have any
  // value. Reads all levels, once per record.
  const Channels& get(const Frame& frame, const shader::SampledTextures& textures, const BoundTexture& bound,
                      ProofWork& work);

 private:
  std::map<int32_t, Channels> of_record_;
};

// A draw's program and alpha test with their inputs. Uniforms and varyings may change.
class DrawDiscards {
 public:
  // The ranges of varyings are those at the draw's vertices. They ignore a sample that counts as inside although, by
  // rounding, its centre lies outside. `alpha_word`: the program's output word that the alpha test reads; kNoOutput:
  // alpha is 1.
  DrawDiscards(const Frame& frame, const DrawCommand& draw, const shader::CapturedProgram& program, uint32_t alpha_word,
               ProofWork& work);

  // Reads the varyings that the frame has at the draw's vertices, or assumes that they may have any value.
  void read_varyings(const Frame& frame, const shader::CapturedProgram& program, ProofWork& work);
  void forget_varyings();

  // Narrows the proof by the draw's textures from this call on.
  void add_textures(const Frame& frame, const DrawInputs& inputs, const shader::CapturedProgram& program,
                    const shader::SampledTextures& textures, TexelRanges& ranges, ProofWork& work);

  struct Possible {
    bool by_program, by_alpha_test;
  };
  // Evaluates the program for these uniforms, one value per uniform word of the program.
  Possible possible(const shader::CapturedProgram& program, std::span<const uint32_t> uniforms);
  // The work that `possible` needs.
  static uint64_t work_of(const shader::CapturedProgram& program);

 private:
  AlphaTest alpha_test_{CompareFunc::always, 0};
  uint32_t alpha_word_;
  uint64_t first_varying_, stride_, vertices_;  // of the draw in Frame::varyings
  bool replaces_;                               // the varyings of points are replaced
  shader::DrawFacts facts_;
};

}  // namespace brokkr
