// The front end of run-time shaders, in processes of its own: one brokkr-glsl compiles the texts of many programs. A
// text that breaks it costs its own program, and the others go on with a new one.
//
// Both ends of the pipe are this program's version: numbers are 32 bits in this computer's order. A request is a task,
// the number of texts, and each text behind its length in bytes. The answer to each, in their order, is a status and
// what it is about behind its length in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

inline constexpr size_t kMostText = size_t(1) << 20;  // bytes of a program's texts

enum class GlslTask : uint32_t {
  compile,     // the texts of all fragment shaders of a program: SPIR-V
  preprocess,  // of one shader: its text
};
enum class GlslStatus : uint32_t {
  result,
  fault,   // "LINE: what is wrong", where line 0 is no line
  broken,  // the same, and the process ends: it can no longer be relied on
};

using Texts = std::vector<std::string>;

struct GlslAnswer {
  std::string bytes;  // the result; empty where there is none
  uint32_t line = 0;  // of the problem; 0: none
  std::string problem;
  bool is_lasting = true;  // another run would answer the same
  bool is_good() const { return problem.empty(); }
};

// Answers each of `programs` in turn, by `take(number, answer)`. Asks `loading` for the memory of each result, and
// whether to go on; what that throws ends the compiler. Without a compiler, and where eight programs broke it, the
// answer is that.
void run_glsl(GlslTask task, std::span<const Texts* const> programs, Loading& loading,
              const std::function<void(size_t, GlslAnswer)>& take);

}  // namespace brokkr::shader
