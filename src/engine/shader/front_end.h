// The front end of run-time shaders, in separate processes. One brokkr-glsl process compiles the texts of many
// programs. If a text crashes it, only that text's program fails, and a new process compiles the others.
//
// Both ends of the pipe have the same version. Numbers are 32 bits in this computer's byte order. A request consists of
// a task, the number of texts, and the texts; an answer consists of a status and a text. Each text is preceded by its
// length in bytes. Answers come in the order of requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

inline constexpr size_t kMaxText = size_t(1) << 20;  // bytes of a program's texts

enum class GlslTask : uint32_t {
  compile,         // links all fragment shaders of a program to SPIR-V
  preprocess,      // preprocesses one shader's text
  compile_vertex,  // links all vertex shaders of a program to SPIR-V
  // Validates a module, freezes its specialization constants and inlines its functions. These tasks replace the two
  // above if the only text is a module. They also replace preprocess, which then returns the module's instructions as
  // text.
  spirv,
  spirv_vertex,
  disassemble,
};
enum class GlslStatus : uint32_t {
  result,
  fault,   // "LINE: message"; line 0 means no line
  broken,  // the same, but the process ends because its state is no longer reliable
};

using Texts = std::vector<std::string>;  // the texts of one program, or the bytes of one SPIR-V module

// Returns true if a text is a SPIR-V module in this computer's byte order.
bool is_spirv(std::string_view text);

struct GlslAnswer {
  std::string bytes;  // the result; empty if there is none
  uint32_t line = 0;  // line of the error; 0: none
  std::string problem;
  bool is_lasting = true;  // another run would give the same answer
  bool is_good() const { return problem.empty(); }
};

// Calls `take(number, answer)` for each of `programs` in order. Asks `loading` for the memory of each result, and
// whether to continue; an exception from it ends the compiler. If there is no compiler, or after eight programs have
// crashed it, the answers say so.
void run_glsl(GlslTask task, std::span<const Texts* const> programs, Loading& loading,
              const std::function<void(size_t, GlslAnswer)>& take);

}  // namespace brokkr::shader
