// A random shader in all forms that the pipeline may give it: each must have the bits of the plain form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "random_glsl.h"
#include "shader/assemble.h"
#include "shader/compiled_call.h"
#include "shader/spirv_module.h"

namespace brokkr::shader::test {

class RandomTrial {
 public:
  // Throws ShaderError where the front end or the translator refuses the text, and std::logic_error where a pass makes
  // a broken program.
  explicit RandomTrial(uint64_t seed);

  // Sets uniforms, textures and inputs, different ones for each `round`, and makes the forms. Throws like the
  // constructor.
  void give(uint64_t round);
  // The plain program, and the same folded for known uniforms, for its textures, and for both.
  const std::vector<Code>& codes() const { return codes_; }

  // Interprets all forms on the kernels `isas` for 64 samples. Returns the difference in one line, or an empty string.
  std::string run(const std::vector<std::string>& isas);
  // The same for form `form`, compiled for this processor.
  std::string run_compiled(const std::string& isa, size_t form, CompiledShader function);

 private:
  struct Results;
  Results interpreted(const std::string& isa, size_t form, CompiledShader function = nullptr) const;
  std::string compared(const Results& found, const std::string& isa, size_t form);

  uint64_t seed_, round_ = 0;
  Program program_;
  std::vector<Code> codes_;
  std::vector<uint32_t> uniforms_;
  std::unique_ptr<BoundTextures> textures_;
  std::shared_ptr<const Results> expected_;
};

}  // namespace brokkr::shader::test
