// Shaders as machine code of this processor: the system's compiler compiles their C++ text (shader/print_cpp.h), and
// the result is loaded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shader/code_maker.h"

namespace brokkr::shader {

class CompiledShaders : public CodeMaker {
 public:
  // For the kernel build `isa`: "v2", "v3", "v4" or "neon". `lanes`: per vector of that build.
  CompiledShaders(const std::string& isa, int lanes);
  // Kills running compilers with everything they started, and removes their files.
  ~CompiledShaders() override;

  void take_cached(std::span<const Code* const> codes) override;
  const CompiledShader* functions() const override { return is_ready() ? functions_.data() : nullptr; }

 private:
  class Library;
  // A file with several shaders, compiled by one process.
  struct Part;

  void print(std::span<const Code* const> codes);
  bool load(Part& part, std::string& why);
  void compile() override;

  std::string isa_;
  int lanes_;
  std::vector<std::string> compiler_;  // words of its command, with flags
  std::vector<Part> parts_;
  std::vector<CompiledShader> functions_;
};

// The compiler's command: $CXX, or the first of c++, g++ and clang++ that is found; empty if there is none.
std::vector<std::string> find_compiler();

}  // namespace brokkr::shader
