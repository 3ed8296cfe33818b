// Shaders as machine code for this processor. The system's compiler compiles their C++ text (shader/print_cpp.h), and
// we load the result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shader/code_maker.h"

namespace brokkr::shader {

class CompiledShaders : public CodeMaker {
 public:
  // `isa`: the kernel build, "v2", "v3", "v4" or "neon". `lanes`: the lanes in a vector of that build.
  CompiledShaders(const std::string& isa, int lanes);
  // Kills running compilers and everything they started, and removes their files.
  ~CompiledShaders() override;

  void take_cached(const Codes& codes) override;
  const CompiledShader* functions() const override { return is_ready() ? functions_.data() : nullptr; }

 private:
  class Library;
  // A file with several shaders. One process compiles it.
  struct Part;

  void add_parts(const std::vector<const Code*>& codes);
  void name_parts();
  bool load(Part& part, std::string& why);
  void compile() override;

  std::string isa_;
  int lanes_;
  std::vector<std::string> compiler_;  // words of its command, with flags
  std::vector<Part> parts_;
  std::vector<CompiledShader> functions_;
};

// The compiler's command for programs whose vectors have `lanes`: $CXX, or the first that is found of clang++,
// clang++-19, c++ and g++, of which 16 lanes take the last two first; empty if there is none.
std::vector<std::string> find_compiler(int lanes = 8);

}  // namespace brokkr::shader
