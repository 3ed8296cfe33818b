// A shader that is ready to run: its code, a build of the interpreter, registers, and the uniforms of a draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/zeroed_memory.h"
#include "shader/assemble.h"
#include "shader/call.h"
#include "shader/program_tables.h"

namespace brokkr::shader {

class Instance {
 public:
  // `code` and `kernel` must outlive the instance. `uniforms`: the bits of each uniform word.
  Instance(const Code& code, const ShaderKernel& kernel, std::vector<uint32_t> uniforms);

  // Binds textures of `frame`, and the texture that each sampler of the shader reads. Both must outlive the runs.
  void bind(const FrameTables& frame, std::span<const SamplerSlot> samplers);
  // Sets a word that ends loops when it is not 0.
  void set_abort(const uint32_t* word) { call_.abort = word; }

  int lanes() const { return kernel_.lanes; }
  // The lanes of an input word, which the caller fills before each run; null if the shader does not read the word.
  uint32_t* input(uint32_t word);
  void set_truths(uint32_t word, uint64_t lanes);  // for an input of type bool

  // Sets the compiled form of the same shader, which later runs use; null: the shader is interpreted.
  void use(CompiledShader compiled) { compiled_ = compiled; }

  // The registers, other than masks, that have the same values in all runs (CompiledCall::presets).
  const std::vector<ProgramPreset>& presets() const { return presets_; }
  // The value of a register, or of a mask, that is the same in all lanes.
  uint32_t bits(uint16_t number) const { return call_.registers[size_t(number) * size_t(kernel_.lanes)]; }
  bool truth(uint16_t number) const { return (masks_[number] & 1) != 0; }

  // Runs the shader for the quads that contain lanes of `samples`, where bit i is lane i. Returns the samples that are
  // not discarded.
  uint64_t run(uint64_t samples);
  // Returns true if the iteration limit has ended a loop in any run.
  bool was_cut() const { return call_.cut != 0; }
  // The lanes of an output word of the last run.
  const uint32_t* output(uint32_t word) const { return outputs_.data() + size_t(word) * size_t(kernel_.lanes); }

 private:
  void fill(const Preset& preset, uint32_t bits);

  const Code& code_;
  const ShaderKernel& kernel_;
  std::vector<uint32_t> uniforms_;
  ZeroedMemory registers_;
  std::vector<uint64_t> masks_;
  std::vector<uint32_t> outputs_;
  std::vector<ProgramPreset> presets_;
  ShaderCall call_;
  CompiledShader compiled_ = nullptr;
};

}  // namespace brokkr::shader
